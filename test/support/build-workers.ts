/** Bundles the programs in test/support/workers/, which tests start as processes of their own, and what they load into others from preloads/. */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'esbuild'

const root = join(import.meta.dirname, '../..')

export default async function buildWorkers(): Promise<void> {
  const folders = ['workers', 'preloads'].map((name) => join(root, 'test/support', name))
  await build({
    entryPoints: folders.flatMap((folder) => readdirSync(folder).map((file) => join(folder, file))),
    outdir: join(root, 'node_modules/.cache/agentmail'),
    outbase: join(root, 'test/support'),
    outExtension: { '.js': '.mjs' },
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'esm',
    packages: 'external',
  })
}

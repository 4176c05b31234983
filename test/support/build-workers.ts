/** Bundles the programs in test/support/workers/, which tests start as processes of their own. */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'esbuild'

const root = join(import.meta.dirname, '../..')

export default async function buildWorkers(): Promise<void> {
  const folder = join(root, 'test/support/workers')
  await build({
    entryPoints: readdirSync(folder).map((file) => join(folder, file)),
    outdir: join(root, 'node_modules/.cache/agentmail/workers'),
    outExtension: { '.js': '.mjs' },
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'esm',
    packages: 'external',
  })
}

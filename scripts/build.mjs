/** Builds src/ into dist/: one file for the binary and one for each command, so that a command loads only what it uses. */
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build, stop, transform } from 'esbuild'
import { rehearse } from './rehearsal.mjs'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const dist = join(root, 'dist')

/** Turns every dynamic import of a file of ours into a file of its own in dist. */
const lazyFiles = new Map() // by name; grows while it is built
const splitLazyImports = {
  name: 'split-lazy-imports',
  setup({ onResolve }) {
    onResolve({ filter: /^\./ }, ({ kind, path, resolveDir }) => {
      const isOurs = resolveDir.startsWith(join(root, 'src'))
      if (kind !== 'dynamic-import' || !isOurs) return undefined
      const source = join(resolveDir, path)
      const name = relative(join(root, 'src'), source).replaceAll('/', '-').replace(/\.ts$/, '')
      lazyFiles.set(name, source)
      return { path: `./${name}.cjs`, external: true }
    })
  },
}

/** The SDK's validator of JSON Schema is 150 KB that neither our servers nor our client ever run. */
const withoutValidator = {
  name: 'without-validator',
  setup({ onResolve, onLoad }) {
    const filter = /^@modelcontextprotocol\/(server|client)\/_shims$/
    onResolve({ filter }, () => ({ path: 'shims', namespace: 'without-validator' }))
    onLoad({ filter: /.*/, namespace: 'without-validator' }, () => ({
      contents: `export { default as process } from 'node:process'
        export const CORS_IS_POSSIBLE = false
        export class DefaultJsonSchemaValidator {
          getValidator() { throw new Error('No JSON Schema validator is built in') }
        }`,
    }))
  },
}

const settings = {
  outdir: dist,
  bundle: true,
  minify: true,
  keepNames: false,
  platform: 'node',
  target: 'node20',
  format: 'cjs',
  outExtension: { '.js': '.cjs' },
  supported: { 'dynamic-import': false },
  external: ['@photostructure/sqlite'],
  // Its other form asks for its parts by names that a bundle does not see.
  alias: { 'jsonc-parser': 'jsonc-parser/lib/esm/main.js' },
  // createRequire, which the first is for, takes a path as well.
  define: { 'import.meta.url': '__filename', 'import.meta.dirname': '__dirname' },
  plugins: [splitLazyImports, withoutValidator],
  logLevel: 'warning',
}

/** Without the caches that it may take. */
let binary = ''

export async function buildAll() {
  rmSync(dist, { recursive: true, force: true })
  try {
    await buildFiles()
  } finally {
    await stop() // its process would stay as long as this one, which may go on to serve
  }
  const toolsets = [...lazyFiles.keys()].map((name) => /^mcp-toolsets-(\w+)$/.exec(name)?.[1])
  await rehearse(
    dist,
    toolsets.filter((name) => name !== undefined),
    writeBinary,
  )
}

async function buildFiles() {
  lazyFiles.set('cli-main', join(root, 'src/cli/main.ts'))
  lazyFiles.set('cli-hook-main', join(root, 'src/cli/hook-main.ts'))
  for (const [name, source] of lazyFiles) {
    await build({ ...settings, entryPoints: { [name]: source } })
  }
  await buildPage()
  const text = readFileSync(join(root, 'scripts/binary.cjs'), 'utf8')
  binary = (await transform(text, { minify: true, target: 'node20' })).code
  writeBinary()
}

/** For browsers: one script, one style sheet, and the page that names them. */
async function buildPage() {
  const source = join(root, 'src/page')
  await build({
    entryPoints: { page: join(source, 'main.tsx'), login: join(source, 'login.ts') },
    outdir: join(dist, 'page'),
    bundle: true,
    minify: true,
    format: 'esm',
    target: 'es2022',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    logLevel: 'warning',
  })
  const styles = {
    entryPoints: [join(source, 'css/page.css')],
    bundle: true,
    minify: true,
    logLevel: 'warning',
  }
  await build({ ...styles, outdir: join(dist, 'page') })
  for (const name of ['index.html', 'login.html']) {
    writeFileSync(join(dist, 'page', name), readFileSync(join(source, name)))
  }
}

/** The binary knows the caches that are there now, and takes no others. */
function writeBinary() {
  const caches = readdirSync(dist).filter((name) => name.endsWith('.cache'))
  const hashes = Object.fromEntries(
    caches.map((name) => [`./${name.slice(0, -'.cache'.length)}`, hashOf(join(dist, name))]),
  )
  const known = JSON.stringify({ node: process.version, hashes })
  const text = binary.replace('built={}', () => `built=${known}`)
  if (text === binary) throw new Error('scripts/binary.cjs has no place for the caches')
  writeFileSync(join(dist, 'agentmail.cjs'), text, { mode: 0o755 })
}

const hashOf = (file) => createHash('sha256').update(readFileSync(file)).digest('hex')

if (process.argv[1] === fileURLToPath(import.meta.url)) await buildAll()

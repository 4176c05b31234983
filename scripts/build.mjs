/** Builds src/ into dist/: one file for the binary and one for each command, so that a command loads only what it uses. */
import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build, stop } from 'esbuild'
import { handshake } from './handshake.mjs'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const dist = join(root, 'dist')

/** Turns every dynamic import of a file of ours into a file of its own in dist. */
const lazyFiles = new Map()
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
  define: { 'import.meta.url': 'importMetaUrl' },
  plugins: [splitLazyImports, withoutValidator],
  logLevel: 'warning',
}

const importMetaUrl = "const importMetaUrl=require('node:url').pathToFileURL(__filename).href;"

/** Loads a sibling, through V8's code cache where the build left one; a Node of another version compiles it anew. */
const cachedRequire = `require=((plain)=>{const loaded=new Map(),load=(id)=>{
if(!id.startsWith('./'))return plain(id);
if(loaded.has(id))return loaded.get(id).exports;
const fs=plain('node:fs'),vm=plain('node:vm'),filename=plain('node:path').join(__dirname,id);
let cachedData;try{cachedData=fs.readFileSync(filename+'.cache')}catch{}
const script=new vm.Script('(function(exports,require,module,__filename,__dirname){'+fs.readFileSync(filename,'utf8')+'\\n})',{filename,cachedData});
const module={exports:{}};loaded.set(id,module);
script.runInThisContext()(module.exports,load,module,filename,__dirname);
return module.exports};return load})(require);`

export async function buildAll() {
  rmSync(dist, { recursive: true, force: true })
  try {
    await buildFiles()
  } finally {
    await stop() // its process would stay as long as this one, which may go on to serve
  }
  chmodSync(join(dist, 'agentmail.cjs'), 0o755)
  for (const name of lazyFiles.keys()) {
    const toolset = /^mcp-toolsets-(\w+)$/.exec(name)?.[1]
    if (toolset) writeCodeCache(name, toolset)
  }
}

async function buildFiles() {
  await build({
    ...settings,
    entryPoints: { agentmail: join(root, 'src/cli/main.ts') },
    banner: { js: `#!/usr/bin/env node\n${importMetaUrl}${cachedRequire}` },
  })
  for (const [name, source] of lazyFiles) {
    await build({ ...settings, entryPoints: { [name]: source }, banner: { js: importMetaUrl } })
  }
}

/** Runs a handshake on the server of a toolset and keeps what V8 compiled for it. */
function writeCodeCache(name, toolset) {
  const cache = join(dist, `${name}.cjs.cache`)
  const scratch = join(root, 'node_modules/.cache/agentmail/build')
  mkdirSync(scratch, { recursive: true })
  writeFileSync(cache, '') // what is empty is loaded as one that V8 will not take
  const keeper = join(root, 'scripts/keep-code-cache.cjs')
  const server = ['--require', keeper, join(dist, 'agentmail.cjs'), 'mcp', toolset]
  const { status, stderr } = spawnSync(process.execPath, server, {
    input: handshake,
    env: {
      ...process.env,
      TMUX: '',
      AGENTMAIL_AGENT: 'build',
      AGENTMAIL_DIR: join(scratch, 'post'),
      AGENTMAIL_SERVER: '',
      AGENTMAIL_DB: '',
      VAULT_PATH: scratch,
      XDG_CACHE_HOME: scratch,
    },
    stdio: ['pipe', 'ignore', 'pipe'],
  })
  if (status !== 0) throw new Error(`The code cache of ${toolset} could not be made: ${stderr}`)
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await buildAll()

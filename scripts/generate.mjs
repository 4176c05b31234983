/** Writes what is derived from the code: toolset indexes, schema snapshots, the reference pages of docs/, the files of the plugins. `--check` only tells what is stale. */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import { root } from './ensure.mjs'
import { pluginFiles } from './plugin-files.mjs'
import { commandsPage, settingsPage, toolsPage } from './reference-pages.mjs'

const check = process.argv.includes('--check')
const toolsDir = join(root, 'src/tools')
const snapshotsDir = join(root, 'test/tool-snapshots')
const notTools = ['index.ts', 'context.ts', 'fields.ts', 'wording.ts']
const stale = []

const toolsets = readdirSync(toolsDir, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map((entry) => entry.name)

for (const toolset of toolsets) put(join(toolsDir, toolset, 'index.ts'), indexOf(toolset))

const listings = []
for (const toolset of toolsets) {
  const { tools } = await load(`tools/${toolset}/index.ts`)
  listings.push({ toolset, tools })
  const expected = new Set()
  for (const { listing } of tools) {
    const file = join(snapshotsDir, toolset, `${listing.name}.json`)
    expected.add(`${listing.name}.json`)
    put(file, `${JSON.stringify(listing, null, 2)}\n`)
  }
  mkdirSync(join(snapshotsDir, toolset), { recursive: true })
  for (const file of readdirSync(join(snapshotsDir, toolset))) {
    if (!expected.has(file)) drop(join(snapshotsDir, toolset, file))
  }
}
const { settings } = await load('settings.ts')
const { commands } = await load('cli/commands.ts')
const { commonExitCodes, commonOptions } = await load('cli/command.ts')
const loaded = Object.entries(commands).map(async ([name, file]) => [name, (await file()).command])
const pages = {
  tools: toolsPage(listings),
  settings: settingsPage(settings),
  commands: commandsPage(await Promise.all(loaded), commonExitCodes, commonOptions),
}
for (const [name, text] of Object.entries(pages)) put(join(root, 'docs', `${name}.md`), text)

const { setupClients } = await load('setup/clients/clients.ts')
const about = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
const plugins = join(root, 'plugins')
for (const [path, text] of Object.entries(pluginFiles(plugins, setupClients, about))) {
  put(join(plugins, path), text)
}

if (stale.length > 0) {
  console.error(`Stale, run "npm run generate": ${stale.join(', ')}`)
  process.exit(1)
}

function indexOf(toolset) {
  const files = readdirSync(join(toolsDir, toolset)).filter(
    (file) => file.endsWith('.ts') && !file.endsWith('.test.ts') && !notTools.includes(file),
  )
  const names = files.map((file) => [file, camelCase(file.replace('.ts', ''))])
  return [
    `/** The tools of the ${toolset} toolset. Generated from the files of this folder: npm run generate. */`,
    ...names.map(([file, name]) => `import ${name} from './${file}'`),
    '',
    arrayOf(names.map(([, name]) => name)),
    '',
  ].join('\n')
}

function arrayOf(names) {
  const line = `export const tools = [${names.join(', ')}]`
  if (line.length <= 100) return line
  return `export const tools = [\n${names.map((name) => `  ${name},\n`).join('')}]`
}

/** What a file of src/ exports. */
async function load(file) {
  const outfile = join(root, 'node_modules/.cache/agentmail', file.replace(/ts$/, 'mjs'))
  await build({
    entryPoints: [join(root, 'src', file)],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    packages: 'external',
  })
  return import(`${pathToFileURL(outfile)}?${Date.now()}`)
}

function put(file, content) {
  let now
  try {
    now = readFileSync(file, 'utf8')
  } catch {}
  if (now === content) return
  if (check) stale.push(relative(root, file))
  else {
    mkdirSync(join(file, '..'), { recursive: true })
    writeFileSync(file, content)
  }
}

function drop(file) {
  if (check) stale.push(relative(root, file))
  else rmSync(file)
}

function camelCase(name) {
  return name.replace(/-(\w)/g, (_, letter) => letter.toUpperCase())
}

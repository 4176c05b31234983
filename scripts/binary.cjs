#!/usr/bin/env node
/** The binary as it is built: loads its files through V8's code cache, where the build left one and nobody has changed it. */
const fs = require('node:fs')
const { dirname } = require('node:path')
const { Script } = require('node:vm')

/** The Node that the caches were made by, and the SHA-256 of each. */
const built = {}
const loaded = new Map()

function load(id) {
  if (!id.startsWith('./')) return require(id)
  if (loaded.has(id)) return loaded.get(id).exports
  const filename = __dirname + id.slice(1)
  const module = { exports: {} }
  const source = fs.readFileSync(filename, 'utf8')
  const script = new Script(
    `(function(exports,require,module,__filename,__dirname){${source}\n})`,
    { filename, cachedData: cacheOf(id, filename) },
  )
  loaded.set(id, module)
  script.runInThisContext()(module.exports, load, module, filename, __dirname)
  return module.exports
}

/** Nothing where it is not the one that was built, or where another Node compiles anew. */
function cacheOf(id, filename) {
  const hash = built.node === process.version ? built.hashes[id] : undefined
  if (hash === undefined) return undefined
  try {
    const file = `${filename}.cache`
    const found = fs.lstatSync(file)
    if (!found.isFile()) return undefined
    const data = fs.readFileSync(file)
    const line = `${hash} ${found.dev} ${found.ino} ${found.size} ${found.mtimeMs} ${found.ctimeMs}\n`
    return isChecked(line, hash, data) ? data : undefined
  } catch {
    return undefined
  }
}

/** To load node:crypto takes longer than a cache saves: a file that was found right is noted, and not looked at again until it changes. */
function isChecked(line, hash, data) {
  const notes = notesFile()
  const known = notes === undefined ? '' : textOf(notes)
  if (known.includes(line)) return true
  const { createHash } = require('node:crypto')
  if (createHash('sha256').update(data).digest('hex') !== hash) return false
  if (notes !== undefined) note(notes, line, known.length > 1 << 16)
  return true
}

/** In the user's own cache folder, as places.ts knows it. */
function notesFile() {
  const { XDG_CACHE_HOME: named, HOME: home } = process.env
  const onMac = process.platform === 'darwin'
  const folder = named?.startsWith('/')
    ? named
    : home?.startsWith('/') && `${home}/${onMac ? 'Library/Caches' : '.cache'}`
  return folder ? `${folder}/agentmail/checked-code` : undefined
}

let text
function textOf(file) {
  try {
    text ??= fs.readFileSync(file, 'utf8') // the quickest way to read
  } catch {
    text = ''
  }
  return text
}

function note(file, line, isLong) {
  text = isLong ? line : text + line
  try {
    makeFolder(dirname(file))
    fs.writeFileSync(file, line, { flag: isLong ? 'w' : 'a', mode: 0o600 })
  } catch {} // then it is checked every time
}

/** Not by Node's own `recursive`, which never ends below /proc. */
function makeFolder(path) {
  if (fs.existsSync(path)) return
  makeFolder(dirname(path))
  fs.mkdirSync(path, 0o700)
}

// With an option it is a person who asks, for help most likely.
const [name, ...words] = process.argv.slice(2)
const isHook = name === 'hook' && !words.some((word) => word.startsWith('-'))
load(isHook ? './cli-hook-main.cjs' : './cli-main.cjs')

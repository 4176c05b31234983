/** Runs the `mcp` command of a built file once, and writes V8's code cache of it beside it. */
const { readFileSync, writeFileSync } = require('node:fs')
const { dirname } = require('node:path')
const vm = require('node:vm')

const filename = process.argv[2]
const source = readFileSync(filename, 'utf8')
const script = new vm.Script(
  `(function(exports,require,module,__filename,__dirname){${source}\n})`,
  { filename },
)
const module_ = { exports: {} }
script.runInThisContext()(module_.exports, require, module_, filename, dirname(filename))
module_.exports.command.run({ flags: {}, positionals: [], json: false }).then((exitCode) => {
  writeFileSync(`${filename}.cache`, script.createCachedData())
  process.exit(exitCode)
})

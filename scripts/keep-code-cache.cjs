/** Loaded before the binary: at its end, writes V8's code cache of each built file that it loaded. */
const { writeFileSync } = require('node:fs')
const vm = require('node:vm')

const scripts = []
// Before the binary takes it.
vm.Script = class extends vm.Script {
  constructor(source, options) {
    super(source, options)
    if (options?.filename?.endsWith('.cjs')) {
      scripts.push({ script: this, file: `${options.filename}.cache` })
    }
  }
}

process.on('exit', () => {
  for (const { script, file } of scripts) writeFileSync(file, script.createCachedData())
})

// A server is told to end as soon as it can be.
if (process.argv[2] === 'serve') {
  process.on('newListener', (event) => {
    if (event === 'SIGTERM') setImmediate(() => process.kill(process.pid, 'SIGTERM'))
  })
}

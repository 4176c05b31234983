/** The environment that all tests run in, and so all that they start: no setting and no key of this machine reaches it. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'

declare global {
  var machineEnvironment: Record<string, string | undefined> | undefined
}

declare module 'vitest' {
  interface ProvidedContext {
    /** As the machine has it, for what needs the network of the machine. */
    machine: Record<string, string | undefined>
  }
}

const kept = /^(PATH|TMPDIR|LANG|LC_\w+|TERM|CI|LONG|SEED|NODE_V8_COVERAGE|VITEST\w*)$/

/** Takes away what the machine has set, and gives it; once, however often Vitest reads its configuration. */
export function cleanEnvironment(): Record<string, string | undefined> {
  globalThis.machineEnvironment ??= takeAway()
  return globalThis.machineEnvironment
}

function takeAway(): Record<string, string | undefined> {
  const machine = { ...process.env }
  const cache = machine.XDG_CACHE_HOME || join(machine.HOME ?? '', '.cache')
  for (const name of Object.keys(machine)) if (!kept.test(name)) delete process.env[name]
  // Servers are not on everybody's path, and `.ci/run` builds into a cache.
  const more = ['/usr/local/sbin', '/usr/sbin', join(cache, 'agentmail-ci')]
  process.env.PATH = [machine.PATH, ...more].join(delimiter)
  const home = mkdtempSync(join(tmpdir(), 'agentmail-home-'))
  process.env.HOME = home
  process.once('exit', () => rmSync(home, { recursive: true, force: true }))
  return machine
}

/** npm start: it builds what is missing and serves, and whatever ends npm ends all that it started. */
import { execFileSync, spawn } from 'node:child_process'
import { cpSync, existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { plainEnv, root } from '../../support/agentmail.ts'
import { eventually } from '../../support/eventually.ts'
import { ask } from '../../support/server/http.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

/** A copy that has nothing installed. */
function uninstalled(): string {
  const folder = temporaryFolder()
  for (const name of ['package.json', 'package-lock.json', '.npmrc', 'src', 'scripts']) {
    cpSync(join(root, name), join(folder, name), { recursive: true })
  }
  return folder
}

/** A copy that nobody has built yet. */
function unbuilt(): string {
  const folder = uninstalled()
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  return folder
}

function runNpmStart(cwd: string) {
  const args = ['start', '--', '--port', '0', '--db', join(temporaryFolder(), 'mail.db')]
  const env = plainEnv({ npm_lifecycle_event: undefined })
  const npm = spawn('npm', args, { cwd, env })
  let said = ''
  for (const stream of [npm.stdout, npm.stderr]) {
    stream.setEncoding('utf8').on('data', (text) => {
      said += text
    })
  }
  onTestFinished(() => {
    for (const { pid } of startedBy(npm.pid)) isThere(pid, 'SIGKILL')
    npm.kill('SIGKILL')
  })
  return { npm, said: () => said }
}

async function npmStart(cwd: string) {
  const { npm, said } = runNpmStart(cwd)
  const url = await eventually(
    'npm start serves',
    () => {
      if (npm.exitCode !== null) throw new Error(said())
      return /serves (http:\S+)\//.exec(said())?.[1]
    },
    150_000,
  )
  return { npm, url, said }
}

interface Process {
  pid: number
  command: string
}

/** The processes that one has started, and those that they have. */
function startedBy(parent: number | undefined): Process[] {
  const text = execFileSync('ps', ['-eo', 'pid=,ppid=,args='], { encoding: 'utf8' })
  const all = [...text.matchAll(/^ *(\d+) +(\d+) (.*)$/gm)].map(([, pid, ppid, command = '']) => ({
    pid: Number(pid),
    ppid: Number(ppid),
    command,
  }))
  const below = (pid: number | undefined): Process[] =>
    all.filter(({ ppid }) => ppid === pid).flatMap((one) => [one, ...below(one.pid)])
  return below(parent)
}

function isThere(pid: number, signal: 0 | 'SIGKILL' = 0): boolean {
  try {
    process.kill(pid, signal)
    return true
  } catch {
    return false
  }
}

it('installs nothing but what the lock file names', async () => {
  const folder = uninstalled()
  const [asked, lock] = [join(folder, 'package.json'), join(folder, 'package-lock.json')]
  const locked = readFileSync(lock, 'utf8')
  const other = readFileSync(asked, 'utf8').replace(/("yaml": ")[^"]+/, '$12.0.0')
  writeFileSync(asked, other)
  const { npm, said } = runNpmStart(folder)
  const status = await new Promise((resolve) => npm.on('close', resolve))
  expect([status, said()]).toEqual([1, expect.stringContaining('npm ci failed')])
  expect(readFileSync(lock, 'utf8')).toBe(locked)
  expect(existsSync(join(folder, 'node_modules'))).toBe(false)
})

it('serves what it has just built, and nothing of the build stays', async () => {
  const { npm, url, said } = await npmStart(unbuilt())
  expect(said()).toContain('Building…')
  expect((await ask(url, { path: '/health' })).status).toBe(200)
  const commands = startedBy(npm.pid).map(({ command }) => command)
  expect(commands).not.toEqual([])
  expect(commands.filter((command) => command.includes('esbuild'))).toEqual([])
})

it.each(['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGKILL'] as const)(
  'ends with npm by %s',
  async (signal) => {
    const { npm } = await npmStart(root)
    const started = startedBy(npm.pid)
    expect(started.map(({ command }) => command)).toContainEqual(
      expect.stringContaining('start.mjs'),
    )
    npm.kill(signal)
    await eventually('all that npm started is gone', () => !started.some(({ pid }) => isThere(pid)))
  },
)

it.each(['SIGTERM', 'SIGHUP', 'SIGKILL'] as const)(
  'ends with npm by %s while it builds',
  async (signal) => {
    const { npm, said } = runNpmStart(unbuilt())
    await eventually('it builds', () => said().includes('Building…'))
    const started = startedBy(npm.pid)
    expect(started).not.toEqual([])
    npm.kill(signal)
    await eventually('all that npm started is gone', () => !started.some(({ pid }) => isThere(pid)))
    expect(said()).not.toContain('serves')
  },
)

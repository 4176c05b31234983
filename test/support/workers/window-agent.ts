/**
 * What runs in a tmux window: an agent that writes to the others and reads, by the commands, until
 * `stop` stands in its folder. Each attempt is noted before and after, so that who kills it knows.
 */
import { spawn } from 'node:child_process'
import { appendFileSync, existsSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

const [binary = '', folder = '', log = '', own = '', given = '', ...others] = process.argv.slice(2)

const note = (entry: object) => appendFileSync(join(folder, log), `${JSON.stringify(entry)}\n`)

interface Ran {
  exitCode: number | null
  stdout: string
  stderr: string
}

const run = (...args: string[]): Promise<Ran> =>
  new Promise((resolve) => {
    const child = spawn(process.execPath, [binary, ...args], { stdio: ['ignore', 'pipe', 'pipe'] })
    let [stdout, stderr] = ['', '']
    child.stdout.on('data', (chunk) => {
      stdout += chunk
    })
    child.stderr.on('data', (chunk) => {
      stderr += chunk
    })
    child.on('close', (exitCode) => resolve({ exitCode, stdout, stderr }))
  })

const isOver = () => existsSync(join(folder, 'stop'))

async function write(): Promise<void> {
  for (let count = 1; !isOver(); count++) {
    const to = others[count % others.length] ?? ''
    const text = `${own} to ${to} ${log} ${count}.`
    note({ event: 'writes', to, text })
    const { exitCode, stderr } = await run('send', to, text)
    note({ event: 'wrote', to, text, exitCode, stderr })
  }
}

async function read(): Promise<void> {
  while (!isOver()) {
    note({ event: 'reads' })
    const { exitCode, stdout, stderr } = await run('receive', '--json')
    note({ event: 'was handed', exitCode, stdout, stderr })
    await sleep(50)
  }
}

if (given !== '') await run('name', given)
const { exitCode, stderr } = await run('status', 'ready')
note({ event: 'started', pid: process.pid, exitCode, stderr })
await Promise.all([write(), read()])
note({ event: 'stopped' })
setInterval(() => {}, 60_000) // its window stays

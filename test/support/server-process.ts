/** A server that is not ours as a process: with a folder of its own, started until it answers, and gone with the tests. */
import { spawn } from 'node:child_process'
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Writable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Env, worker } from './agentmail.ts'

export interface Start {
  program: string
  args: string[]
  env?: Env
  /** Whether it answers; an error says no as well. */
  isReady: () => Promise<boolean>
  timeoutMs: number
}

const running = new Map<ServerProcess, number>()
const folders = new Set<string>()
let toKeeper: Writable | undefined

/** Tells the keeper what it has to clear away after us. */
function keep(): void {
  toKeeper ??= startKeeper()
  const kept = { pids: [...running.values()], folders: [...folders] }
  if (toKeeper.writable) toKeeper.write(`${JSON.stringify(kept)}\n`)
}

function startKeeper(): Writable {
  const keeper = spawn(process.execPath, [worker('server-keeper')], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true, // what interrupts the tests must not reach it
  })
  keeper.unref()
  process.once('disconnect', () => keeper.stdin.end()) // a test may hang on when its runner was killed
  return keeper.stdin
}

/** A folder that is removed at the end of the tests, if nobody did it before. */
export function keptFolder(name: string): string {
  const folder = mkdtempSync(join(tmpdir(), `agentmail-${name}-`))
  folders.add(folder)
  keep()
  return folder
}

export function removeFolder(folder: string): void {
  rmSync(folder, { recursive: true, force: true, maxRetries: 10 })
  folders.delete(folder)
  keep()
}

/** Reaches a server and all that it started, as far as they are still there. */
function signalGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error
  }
}

export class ServerProcess {
  readonly folder: string
  readonly #log: string
  readonly #name: string
  #over: Promise<void> | undefined

  constructor(name: string) {
    this.#name = name
    this.folder = keptFolder(name)
    this.#log = join(this.folder, 'log')
  }

  get isRunning(): boolean {
    return running.has(this)
  }

  /** Everything it has said, from its first start on. */
  get log(): string {
    return readFileSync(this.#log, 'utf8')
  }

  async start({ isReady, timeoutMs, ...start }: Start): Promise<void> {
    if (this.isRunning) throw new Error(`${this.#name} is running`)
    this.#launch(start)
    const deadline = performance.now() + timeoutMs
    while (this.isRunning && performance.now() < deadline) {
      if (await isReady().catch(() => false)) return
      await sleep(20)
    }
    const what = this.isRunning ? `did not answer in ${timeoutMs / 1000} s` : 'ended at its start'
    await this.end('SIGKILL')
    const end = this.log.split('\n').slice(-40).join('\n')
    throw new Error(`${this.#name} ${what}. Its log ends with:\n${end}`)
  }

  /** Runs it until it ends by itself. */
  async run(start: Omit<Start, 'isReady' | 'timeoutMs'>): Promise<void> {
    this.#launch(start)
    await this.#over
  }

  /** Ends it and all that it started. */
  async end(signal: 'SIGTERM' | 'SIGKILL', patienceMs = 10_000): Promise<void> {
    const pid = running.get(this)
    if (pid === undefined) return
    signalGroup(pid, signal)
    const impatience = setTimeout(() => signalGroup(pid, 'SIGKILL'), patienceMs)
    await this.#over
    clearTimeout(impatience)
    signalGroup(pid, 'SIGKILL')
  }

  remove(): void {
    removeFolder(this.folder)
  }

  #launch({ program, args, env = {} }: Omit<Start, 'isReady' | 'timeoutMs'>): void {
    const log = openSync(this.#log, 'a')
    const child = spawn(program, args, {
      cwd: this.folder,
      env: { ...process.env, ...env },
      stdio: ['ignore', log, log],
      detached: true, // a group of its own, so that what it starts ends with it
    })
    closeSync(log)
    this.#over = new Promise((resolve) => {
      const over = () => {
        running.delete(this)
        keep()
        resolve()
      }
      child.on('exit', over)
      child.on('error', over)
    })
    if (child.pid === undefined) return
    running.set(this, child.pid)
    keep()
  }
}

/**
 * Ports below those that the system gives to outgoing connections: a server that is started again must find its own
 * free. Each process begins at another place, so that two of them seldom choose the same.
 */
const ports = { first: 10_000, count: 20_000 }
let nextPort = (process.pid * 64) % ports.count

export async function freePort(): Promise<number> {
  for (let attempt = 0; attempt < ports.count; attempt++) {
    const port = ports.first + nextPort
    nextPort = (nextPort + 1) % ports.count
    if (await isFree(port)) return port
  }
  throw new Error('No port is free')
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer()
    server.on('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  })
}

/** What a server needs, apart from the garbage that Node has not collected yet. */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import * as z from 'zod'
import type { Env } from '../agentmail.ts'
import { eventually } from '../eventually.ts'
import { loading } from '../loading.ts'
import type { TestServer } from '../server/server.ts'

/** For a server that is to be asked. */
export const tellsMemory: Env = loading(['tell-memory'])

const told = z.object({ used: z.number(), rss: z.number(), withGarbage: z.number() })
type Memory = z.infer<typeof told>

/**
 * In MiB, once it has done what it was asked: what its objects and buffers take, and the whole
 * process after a collection and before.
 */
export async function memoryInUse(server: TestServer): Promise<Memory> {
  const { child } = server
  await atRest(server)
  const line = new Promise<string>((resolve) => {
    let text = ''
    const listen = (chunk: string) => {
      text += chunk
      const found = /^memory (.*)\n/m.exec(text)?.[1]
      if (!found) return
      child.stderr.off('data', listen)
      resolve(found)
    }
    child.stderr.on('data', listen)
  })
  child.kill('SIGUSR2')
  const { used, rss, withGarbage } = told.parse(JSON.parse(await line))
  return { used: used / 2 ** 20, rss: rss / 2 ** 20, withGarbage: withGarbage / 2 ** 20 }
}

/** Waits until a server has nothing to do. */
export const atRest = ({ pid }: TestServer): Promise<boolean> =>
  eventually('the server rests', () => isAtRest(pid), 60_000)

/** Asleep, and used no time for a while. */
async function isAtRest(pid: number): Promise<boolean> {
  const before = activity(pid)
  for (let look = 0; look < 4; look++) {
    await sleep(30)
    const now = activity(pid)
    if (now.state !== 'S' || now.ticks > before.ticks + 1) return false
  }
  return true
}

function activity(pid: number): { state: string | undefined; ticks: number } {
  const [, rest = ''] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')
  const fields = rest.split(' ')
  return { state: fields[0], ticks: Number(fields[11]) + Number(fields[12]) }
}

/** How many files and connections a process holds open. */
export const openFiles = (pid: number): number =>
  readdirSync(`/proc/${pid}/fd`).filter((fd) => !isWatch(`/proc/${pid}/fd/${fd}`)).length

/** One serves all watches of a process, and stays from the first on. */
function isWatch(link: string): boolean {
  try {
    return readlinkSync(link) === 'anon_inode:inotify'
  } catch {
    return false // it was closed meanwhile
  }
}

/** Resident memory of a process in MiB, now and at its highest. */
export function memory(pid: number): { now: number; peak: number } {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  const mebibytes = (key: string) =>
    Number(new RegExp(`^${key}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1]) / 1024
  return { now: mebibytes('VmRSS'), peak: mebibytes('VmHWM') }
}

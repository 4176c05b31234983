/** How long something takes, how often it goes, how much memory and time a process has used, what its environment is, and the one number that stands for many. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/**
 * Of every process that is started here, baselines included. A setting of whoever runs the bench may
 * change what is measured, and one that slows every Node alike makes all ratios look better.
 */
export const cleanEnv = {
  ...Object.fromEntries(
    ['PATH', 'HOME', 'TMPDIR']
      .filter((name) => process.env[name] !== undefined)
      .map((name) => [name, process.env[name]]),
  ),
  XDG_DATA_HOME: mkdtempSync(join(tmpdir(), 'agentmail-bench-data-')), // nobody's own database
}
process.once('exit', () => rmSync(cleanEnv.XDG_DATA_HOME, { recursive: true, force: true }))

export async function timed(work) {
  const started = performance.now()
  await work()
  return performance.now() - started
}

/** Calls a second, and the time of each, when so many callers call again as soon as they are answered. */
export async function throughput(callers, ms, call) {
  const started = performance.now()
  const times = []
  const caller = async (_, index) => {
    while (performance.now() - started < ms) times.push(await timed(() => call(index)))
  }
  await Promise.all(Array.from({ length: callers }, caller))
  return { rate: times.length / ((performance.now() - started) / 1000), times }
}

export const median = (values) => quantile(values, 0.5)
export const p99 = (values) => quantile(values, 0.99)

function quantile(values, share) {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.floor(sorted.length * share)]
}

/** Resident memory of a process, in MB. */
export function memoryOf(pid) {
  const kilobytes =
    process.platform === 'linux'
      ? /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
      : execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { env: cleanEnv })
  return Number(kilobytes) / 1024
}

/** What a process has used of all cores so far. */
export function cpuMsOf(pid) {
  if (process.platform === 'linux') {
    const [, rest] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')
    const [user, system] = rest.split(' ').slice(11, 13)
    return (Number(user) + Number(system)) * 10 // it is counted in hundredths of a second
  }
  const time = execFileSync('ps', ['-o', 'time=', '-p', String(pid)], { env: cleanEnv })
  const parts = String(time).trim().split(':').map(Number)
  return parts.reduce((sum, part) => sum * 60 + part) * 1000
}

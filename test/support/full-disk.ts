/** Places for a database that run out of space and get it back: a small file system, and a limit on what a process may write. */
import { spawnSync } from 'node:child_process'
import { closeSync, mkdtempSync, openSync, rmdirSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { temporaryFolder } from './temporary-folder.ts'

export interface Place {
  folder: string
  /** Leaves no byte that the process could still write. */
  fill(pid: number): void
  free(pid: number): void
}

/** Root may mount, and so may whoever needs no password for it. */
const asRoot = process.getuid?.() === 0 ? [] : ['sudo', '-n']

function run(...words: string[]): boolean {
  const [program = '', ...args] = words
  return spawnSync(program, args, { stdio: 'ignore' }).status === 0
}

function mount(megabytes: number): string | undefined {
  const folder = mkdtempSync(join(tmpdir(), 'agentmail-disk-'))
  const options = `size=${megabytes}m,mode=777`
  if (run(...asRoot, 'mount', '-t', 'tmpfs', '-o', options, 'tmpfs', folder)) return folder
  rmdirSync(folder)
  return undefined
}

function unmount(folder: string): void {
  run(...asRoot, 'umount', '-l', folder) // a killed server may not be quite gone
  rmdirSync(folder)
}

export function canMount(): boolean {
  const folder = mount(1)
  if (folder) unmount(folder)
  return folder !== undefined
}

export const canLimit = (): boolean => run('prlimit', '--version')

export function smallDisk(): Place {
  const folder = mount(4)
  if (!folder) throw new Error('A file system could be mounted a moment ago')
  onTestFinished(() => unmount(folder))
  const ballast = join(folder, 'ballast')
  return { folder, fill: () => fillWith(ballast), free: () => rmSync(ballast) }
}

function fillWith(path: string): void {
  const file = openSync(path, 'w')
  try {
    for (;;) writeSync(file, Buffer.alloc(4096))
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOSPC')) throw error
  } finally {
    closeSync(file)
  }
}

export function limitedProcess(): Place {
  const limit = (pid: number, bytes: string) => {
    run('prlimit', '--pid', String(pid), `--fsize=${bytes}`)
  }
  return {
    folder: temporaryFolder(),
    fill: (pid) => limit(pid, '1:unlimited'),
    free: (pid) => limit(pid, 'unlimited:unlimited'),
  }
}

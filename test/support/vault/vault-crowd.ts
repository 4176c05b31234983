/** Many callers in several processes at one vault. */
import type { TestVault } from './vault.ts'
import { type Fault, VaultWorker } from './vault-processes.ts'

/** Processes, and ten callers in each. */
export class Crowd {
  readonly vault: TestVault
  readonly workers: VaultWorker[]

  constructor(vault: TestVault, processes: number, fault?: Fault) {
    this.vault = vault
    this.workers = Array.from({ length: processes }, () => new VaultWorker(vault, fault))
  }

  /** Runs `act` for each caller, all at once. */
  async all<T>(act: (worker: VaultWorker, caller: string) => Promise<T>): Promise<T[]> {
    const callers = this.workers.flatMap((worker, process) =>
      Array.from({ length: 10 }, (_, caller) => act(worker, `${process}-${caller}`)),
    )
    return Promise.all(callers)
  }
}

export interface Appended {
  line: string
  /** Why it could not be added. */
  code?: string | undefined
  /** The versions of the note before and after, as its etags. */
  from: string
  to: string
  tries: number
}

/** Adds a line to the note that is at one of the paths. */
export async function append(
  worker: VaultWorker,
  paths: string[],
  line: string,
): Promise<Appended> {
  const { value, code } = await worker.do('append', { paths, line })
  return {
    line,
    code,
    from: String(value?.from),
    to: String(value?.to),
    tries: Number(value?.tries),
  }
}

/** Which lines are not there exactly once or were refused, and how many versions are not on the one chain from the first to the last. */
export function damageOf(text: string, first: string, appended: Appended[]) {
  const lines = text.split('\n')
  const next = new Map(appended.map((one) => [one.from, one]))
  let [onChain, etag] = [0, first]
  for (let one = next.get(etag); one; one = next.get(etag)) {
    onChain++
    etag = one.to
  }
  return {
    wrong: appended.map(({ line }) => line).filter((line) => count(lines, line) !== 1),
    offChain: appended.length - onChain,
  }
}

const count = (lines: string[], wanted: string) => lines.filter((line) => line === wanted).length

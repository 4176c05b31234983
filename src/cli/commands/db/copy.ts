/** agentmail db copy: everything from one database into another, told while it goes on. */
import type { Config, Flags } from '../../../config.ts'
import { isServed } from '../../../connection/connect.ts'
import {
  type Copied,
  type CopyProgress,
  checkPlaces,
  copyDatabase,
} from '../../../coordination/upkeep/copy.ts'
import { AgentMailError } from '../../../errors.ts'
import { type Database, databaseOf, namedDatabase } from '../../../store/database.ts'
import { StoreError, type View } from '../../../store/store.ts'
import { type Call, flagText } from '../../command.ts'
import { print, printError, printJson, printTable } from '../../output.ts'
import { ProgressLine } from '../../progress-line.ts'
import { number } from './facts.ts'

const barWidth = 20

export async function copyDb({ flags, json }: Call, config: Config): Promise<number> {
  if (flags.project !== undefined || flags['from-project'] !== undefined) {
    const { copyProjectDb } = await import('./copy-project.ts')
    return copyProjectDb(flags, config, json)
  }
  const { source, target } = await placesOf(flags, config)
  await checkServers(source, target, json)
  const start = performance.now()
  const copied = await transfer(source, target, new ProgressLine(json))
  const seconds = Math.round(performance.now() - start) / 1000
  if (json) printJson({ from: source.name, to: target.name, ...copied, seconds })
  else show(source, target, copied, seconds)
  return 0
}

async function placesOf(flags: Flags, config: Config) {
  const [from, to] = [flagText(flags.from), flagText(flags.to)]
  if (to === undefined) throw unnamed('to')
  if (flags.from === '') throw unnamed('from')
  const options = { create: false }
  const source = from === undefined ? databaseOf(config, options) : namedDatabase(config, from)
  const target = namedDatabase(config, to)
  if (source.name !== target.name) return { source, target }
  throw new AgentMailError(
    'invalid_request',
    `source and target are the same database: ${source.name}`,
    'Name another one with --to.',
  )
}

export const unnamed = (option: string) =>
  new AgentMailError(
    'missing_arguments',
    `--${option} names no database`,
    'Write agentmail db copy --from <db> --to <db>, or agentmail db copy --from <db> --project <name>.',
  )

async function checkServers(source: Database, target: Database, json: boolean): Promise<void> {
  if (await isServed(target)) {
    throw new AgentMailError(
      'busy',
      `a server is at work on the target: ${target.name}`,
      'Stop it, then run the copy again.',
    )
  }
  if (!json && (await isServed(source))) {
    printError(
      'A server is at work on the source. If it writes all the time, the copy cannot end: stop it then.',
    )
  }
}

async function transfer(
  source: Database,
  target: Database,
  progress: ProgressLine,
): Promise<Copied> {
  const view = await viewOfSource(source)
  try {
    const found = await opened(target, () => target.view())
    // Before it is opened to be written, so that nothing is made in one that is refused.
    await checkPlaces(view, found).finally(() => found?.close())
    const store = await opened(target, () => target.open({ create: true }))
    const teller = new Teller(progress)
    const stop = () => giveUp(progress)
    process.once('SIGINT', stop)
    try {
      return await copyDatabase(view, store, (news) => teller.tell(news))
    } finally {
      process.off('SIGINT', stop)
      progress.end()
      await store.close()
    }
  } catch (error) {
    throw StoreError.is(error) ? interrupted(error) : error
  } finally {
    await view.close()
  }
}

/** By Ctrl-C: what is written so far stays, and is passed over by the next run. */
function giveUp(progress: ProgressLine): never {
  progress.end()
  printError('Interrupted. Run the same command again: it goes on where it stopped.')
  process.exit(130)
}

/** What is copied must be there. */
export async function viewOfSource(source: Database): Promise<View> {
  const view = await opened(source, () => source.view())
  if (view) return view
  throw new AgentMailError(
    'invalid_request',
    `there is no database: ${source.name}`,
    'Check --from.',
  )
}

export const opened = <T>(database: Database, open: () => Promise<T>): Promise<T> =>
  open().catch((error) => {
    throw database.explained(error)
  })

const interrupted = (cause: StoreError) =>
  new AgentMailError(
    'storage',
    `the copy was interrupted: ${cause.message}`,
    'Nothing is lost. When that is mended, run the same command again: it goes on where it stopped.',
    { cause },
  )

/** Puts the news of a copy into words, with its speed. */
class Teller {
  readonly #progress: ProgressLine
  #doing: CopyProgress['doing'] | undefined
  #since = 0

  constructor(progress: ProgressLine) {
    this.#progress = progress
  }

  tell({ doing, table, done, all }: CopyProgress): void {
    if (doing !== this.#doing) {
      this.#doing = doing
      this.#since = performance.now()
    }
    const seconds = (performance.now() - this.#since) / 1000
    const part = all === 0 ? 1 : Math.min(1, done / all)
    const bar = '#'.repeat(Math.floor(part * barWidth)).padEnd(barWidth, '.')
    const percent = `${Math.floor(part * 100)}`.padStart(3)
    const rate = seconds < 0.5 ? '' : `, ${number(Math.round(done / seconds))} a second`
    this.#progress.tell(
      `[${bar}] ${percent} % ${doing} ${table}: ${number(done)} of ${number(all)} rows${rate}`,
    )
  }
}

function show(source: Database, target: Database, copied: Copied, seconds: number): void {
  const rows = copied.tables.map(({ name, rows, sha256 }) => [name, number(rows), sha256])
  const all = copied.tables.reduce((sum, { rows }) => sum + rows, 0)
  printTable(['TABLE', 'ROWS', 'SHA-256 ON BOTH SIDES'], rows)
  print('')
  print(`Copied ${source.name} to ${target.name}`)
  print(
    `${number(all)} rows are the same in both, ${number(copied.copied)} of them written now, in ${seconds.toFixed(1)} s`,
  )
  if (copied.version) print(`The version of the target that holds them: ${copied.version}`)
  print(
    'Servers find it with --db or AGENTMAIL_DB; what is written to the source from now on stays there.',
  )
}

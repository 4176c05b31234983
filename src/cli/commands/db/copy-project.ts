/** agentmail db copy --project: one project of a database into one of another. */
import type { Config, Flags } from '../../../config.ts'
import { isServed } from '../../../connection/connect.ts'
import { checkedProject } from '../../../connection/here.ts'
import { keyOfName } from '../../../coordination/projects/keys.ts'
import {
  type CopiedRows,
  copyProject,
  projectIn,
} from '../../../coordination/upkeep/copy-project.ts'
import { AgentMailError } from '../../../errors.ts'
import { type Database, databaseOf, namedDatabase } from '../../../store/database.ts'
import { migrate } from '../../../store/schema.ts'
import { StoreError } from '../../../store/store.ts'
import { flagText } from '../../command.ts'
import { print, printError, printJson, printTable } from '../../output.ts'
import { line } from '../../table.ts'
import { opened, unnamed, viewOfSource } from './copy.ts'
import { number } from './facts.ts'

export async function copyProjectDb(flags: Flags, config: Config, json: boolean): Promise<number> {
  const [from, to] = [flagText(flags.from), flagText(flags.to)]
  const project = checkedProject(flagText(flags.project))
  if (from === undefined) throw unnamed('from')
  if (project === undefined) {
    throw new AgentMailError(
      'missing_arguments',
      '--project names no project to copy into',
      'Write agentmail db copy --from <db> --project <name>.',
    )
  }
  const source = namedDatabase(config, from)
  const target = to === undefined ? databaseOf(config) : namedDatabase(config, to)
  if (source.name === target.name) {
    throw new AgentMailError(
      'invalid_request',
      `source and target are the same database: ${source.name}`,
      'Name another one with --to.',
    )
  }
  if (await isServed(source)) {
    printError('A server is at work on the source: what it writes from now on stays there.')
  }
  const rows = await bring(source, target, { name: flagText(flags['from-project']), project })
  if (json) printJson({ from: source.name, to: target.name, project, rows })
  else {
    const lines = Object.entries(rows).map(([name, count]) => [name, number(count)])
    printTable(['TABLE', 'ROWS'], lines)
    print(`\nCopied ${line(source.name)} into the project ${line(project)} of ${line(target.name)}`)
    print('The source is as it was. What nobody needs of it any more can be removed.')
  }
  return 0
}

async function bring(
  source: Database,
  target: Database,
  { name, project }: { name: string | undefined; project: string },
): Promise<CopiedRows> {
  const view = await viewOfSource(source)
  try {
    const from = await projectIn(view, name)
    const store = await opened(target, () => target.open({ create: true }))
    try {
      await migrate(store)
      const key = (await keyOfName(store, project)) ?? project
      return await copyProject(view, store, { from, to: key })
    } finally {
      await store.close()
    }
  } catch (error) {
    throw StoreError.is(error) ? failed(error) : error
  } finally {
    await view.close()
  }
}

const failed = (cause: StoreError) =>
  new AgentMailError(
    'storage',
    `the copy was interrupted: ${cause.message}`,
    'Nothing of it was written. When that is mended, run the same command again.',
    { cause },
  )

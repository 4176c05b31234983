/** agentmail history: who claimed, released, announced, said what, and when. */

import { listOf } from '../../connection/acting.ts'
import type { Connection } from '../../connection/connection.ts'
import type { HistoryRequest } from '../../coordination/history.ts'
import { AgentMailError } from '../../errors.ts'
import { type Command, flagText } from '../command.ts'
import { connected, placeOptions } from '../coordination.ts'
import { isRead, print, printError, printJson } from '../output.ts'
import { projectPaths } from '../project-paths.ts'
import { cutAt, line, localTime } from '../table.ts'
import { timeOrVersion } from '../times.ts'

export const command: Command = {
  usage:
    '[--file <path>] [--agent <name|id>] [--since <time>] [--as-of <time>] | --diff <from> <to>',
  summary: 'Show the audit trail: who claimed, released, announced, said what, and when.',
  details:
    'On a Dolt database each entry names the Dolt commit that holds it, and where a time is asked for,\na commit may be given: its hash, a tag, or HEAD~1.',
  options: {
    file: {
      type: 'string',
      value: 'path',
      about: 'only what happened to this file, or to a folder above it',
    },
    agent: { type: 'string', value: 'name|id', about: 'only what this agent did' },
    since: {
      type: 'string',
      value: 'time',
      about: 'only what was later: 2026-01-15T10:00:00Z, a date, yesterday, or 2h (ago)',
    },
    'as-of': { type: 'string', value: 'time', about: 'as it stood at that time: nothing later' },
    diff: {
      type: 'string',
      value: 'from> <to',
      about: 'what differs between two times: agents, claims, messages, changes',
    },
    ...placeOptions,
  },
  maxPositionals: 1,

  run: ({ flags, positionals: [to], json }) =>
    connected(flags, async (connection) => {
      for (const option of ['since', 'as-of', 'diff']) {
        if (flags[option] === '') throw misuse(`--${option} is empty`)
      }
      const from = flagText(flags.diff)
      if (from !== undefined || to !== undefined) {
        for (const other of ['file', 'agent', 'since', 'as-of']) {
          if (flags[other] !== undefined) throw misuse(`--diff and --${other} do not go together`)
        }
        if (from === undefined) throw misuse(`unexpected argument: ${to}`)
        if (!to) throw misuse('--diff needs two times, or two commits of a Dolt database')
        return showDifference(connection, timeOrVersion(from), timeOrVersion(to), json)
      }
      const named = flagText(flags.file)
      const [file] = named ? (await projectPaths([named])).files : []
      const moments = { since: momentIn(flags.since), as_of: momentIn(flags['as-of']) }
      const entries = connection.history({ file, agent: flagText(flags.agent), ...moments })
      if (json) {
        printJson(await listOf(entries))
        await tellPruned(connection, moments)
        return 0
      }
      let count = 0
      for await (const { at, agent_name, event, file: path, text, commit } of entries) {
        const version = commit === undefined ? '' : `  ${commit?.slice(0, 8) ?? '-'.padEnd(8)}`
        print(
          `${localTime(at)}${version}  ${line(agent_name).padEnd(16)}  ${event.padEnd(10)}  ${about(path, text)}`.trimEnd(),
        )
        count++
        if (!isRead()) break
      }
      if (count === 0) print('Nothing is recorded')
      await tellPruned(connection, moments)
      return 0
    }),
}

function momentIn(flag: string | boolean | undefined): string | undefined {
  const given = flagText(flag)
  return given === undefined ? undefined : timeOrVersion(given)
}

/** On stderr, so that what is shown stays what it is. */
async function tellPruned(connection: Connection, moments: HistoryRequest): Promise<void> {
  const { pruned_before: before } = await connection.prunedBefore(moments)
  if (!before) return
  printError(
    `The journal before ${before} was pruned: of what is older, only claims and agents are told that still stood then.`,
  )
}

async function showDifference(
  connection: Connection,
  from: string,
  to: string,
  json: boolean,
): Promise<number> {
  const differences = connection.difference({ from, to })
  if (json) {
    printJson(await listOf(differences))
    return 0
  }
  let count = 0
  for await (const { change, what, at, agent_name, file, text } of differences) {
    const sign = change === 'added' ? '+' : '-'
    print(
      `${sign} ${what.padEnd(7)}  ${localTime(at)}  ${line(agent_name).padEnd(16)}  ${about(file, text)}`.trimEnd(),
    )
    count++
    if (!isRead()) break
  }
  if (count === 0) print('Nothing differs')
  return 0
}

const about = (file: string | null, text: string | null): string =>
  [file, text]
    .filter((part) => part)
    .map((part) => cutAt(line(part ?? ''), 200))
    .join('  ')

const misuse = (message: string) =>
  new AgentMailError('invalid_request', message, 'See agentmail history --help.')

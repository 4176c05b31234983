/** agentmail claim: claim files before you change them. */

import type { Flags } from '../../config.ts'
import { ask } from '../../connection/acting.ts'
import type { Connection } from '../../connection/connection.ts'
import { baseOf } from '../../coordination/claims/places.ts'
import { isAbsolute, normalPath } from '../../coordination/paths.ts'
import { AgentMailError } from '../../errors.ts'
import { sleep } from '../../system/clock.ts'
import { log } from '../../system/log.ts'
import type { Command } from '../command.ts'
import { acting, actingOptions, reconnected } from '../coordination.ts'
import { print, printError, printJson } from '../output.ts'
import { projectPaths } from '../project-paths.ts'
import { line } from '../table.ts'

const lookMs = 1000

export const command: Command = {
  usage: '<file>… [--as <name>] [--hold]',
  summary: 'Claim files and folders before you change them.',
  details:
    'A folder (src/, or src where that is one) is claimed with all below it, now and later; "." is the current one.\nA claim lasts while its agent shows signs of life, at least every 2 minutes; --hold gives them, and\nreleases what it claimed when it is stopped. With --hold it is all of the files or none.',
  exitCodes: { 0: 'all are yours', 1: 'another agent holds some of them, which are told' },
  options: {
    hold: { type: 'boolean', about: 'stay, keep the claims alive, and release them on Ctrl-C' },
    ...actingOptions,
  },
  maxPositionals: 1000,

  run({ flags, positionals, json }) {
    if (positionals.length === 0) throw noFiles('claim')
    const stopped = flags.hold ? toldToStop() : undefined // before there is anything to release
    return acting(flags, async (connection, { agent_id }) => {
      const { files, spelling } = await projectPaths(positionals)
      const before = await ownOf(connection, agent_id, files)
      const { claimed, conflicts } = await ask(connection, 'claim_files', { agent_id, files })
      const answer = {
        claimed: claimed.map(spelling),
        conflicts: conflicts.map((conflict) => ({ ...conflict, file: spelling(conflict.file) })),
      }
      if (json) printJson(answer)
      else {
        for (const file of answer.claimed) print(`Claimed ${line(file)}`)
        for (const { file, holder_name, held_by } of answer.conflicts) {
          printError(`Conflict: ${line(file)} is held by ${line(holder_name)} (${held_by})`)
        }
      }
      if (!stopped) return conflicts.length > 0 ? 1 : 0
      const fresh = await ownOf(connection, agent_id, files)
      for (const path of before) fresh.delete(path) // what the agent had before stays its own
      const release = async (through: Connection) => {
        if (fresh.size > 0) await ask(through, 'release_files', { agent_id, files: [...fresh] })
      }
      if (conflicts.length > 0) {
        await release(connection)
        if (!json) printError('Nothing is held: with --hold it is all of them or none')
        return 1
      }
      if (!json) print('Holding what it claimed. Ctrl-C releases it.')
      return holding(flags, connection, {
        agent_id,
        paths: new Set([...before, ...fresh]),
        stopped,
        release,
      })
    })
  },
}

const toldToStop = () =>
  new Promise<'stopped'>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
      process.on(signal, () => resolve('stopped'))
    }
  })

/** Looks every so often whether the claims still stand; where the server goes, it goes on without it. */
async function holding(
  flags: Flags,
  first: Connection,
  held: {
    agent_id: string
    paths: Set<string>
    stopped: Promise<'stopped'>
    release(through: Connection): Promise<unknown>
  },
): Promise<number> {
  for (let connection = first; ; ) {
    connection.keepAlive(held.agent_id)
    try {
      const own = await ownOf(connection, held.agent_id, [...held.paths])
      for (const path of held.paths) {
        if (own.has(path)) continue
        printError(`No longer held: ${line(path)}`)
        held.paths.delete(path)
      }
      if (held.paths.size === 0) return 1
      if ((await Promise.race([held.stopped, sleep(lookMs)])) === 'stopped') {
        const isReleased = await held.release(connection).then(
          () => true,
          () => false, // the agent has gone stale, and its claims with it
        )
        return isReleased ? 0 : 1
      }
    } catch (error) {
      // Whatever it is, the claims may still stand.
      if (!AgentMailError.is(error) || error.code === 'unwritable') throw error
      log(`${error.message}; trying again`)
      if ((await Promise.race([held.stopped, sleep(lookMs)])) === 'stopped') return 1
      if (error.code !== 'server_unreachable') continue
      connection = await reconnected(flags).catch(() => connection)
    }
  }
}

/** Of these paths, those that the agent holds, in their normal form. */
async function ownOf(
  connection: Connection,
  agent_id: string,
  files: string[],
): Promise<Set<string>> {
  const { claims } = await ask(connection, 'get_file_claims', { files, limit: 1 })
  // What is held above and below them is told, too; only the server knows where an absolute path is.
  const asked = files.map((file) => (isAbsolute(file) ? undefined : baseOf(normalPath(file, []))))
  const isAsked = (path: string) => asked.includes(undefined) || asked.includes(baseOf(path))
  const own = claims.filter((claim) => claim.agent_id === agent_id && isAsked(claim.file_path))
  return new Set(own.map(({ file_path }) => file_path))
}

export const noFiles = (verb: string) =>
  new AgentMailError(
    'missing_arguments',
    'files is required',
    `For example: agentmail ${verb} src/parser.ts`,
  )

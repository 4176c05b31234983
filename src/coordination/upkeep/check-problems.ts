/** What is wrong with a database, in words, and what to do about it. */
import type { Cluster, ServerDescription } from '../../store/store.ts'
import type { DatabaseCheck } from './check.ts'

/** How far the clock of a database and this machine's may be apart. */
const clockToleranceMs = 1000

export interface DatabaseProblem {
  problem: string
  advice: string
}

/** @param foreign tables of something else that have the names of ours. */
export function problemsOf(check: DatabaseCheck, foreign: string[]): DatabaseProblem[] {
  const { server } = check
  return [
    ...foreign.map((table) => ({
      problem: `the database has a table "${table}" of something else`,
      advice: 'AgentMail has one of that name: give it a database of its own.',
    })),
    ...problemsOfState(check),
    ...problemsOfClock(check.clock_difference_ms ?? 0),
    ...(server ? problemsOfCommits(server) : []),
    ...(server?.cluster ? problemsOfCluster(server.cluster) : []),
    ...(check.tells_trailing_spaces_apart === false ? [spacesAreIgnored] : []),
  ]
}

function problemsOfState({ state, schema }: DatabaseCheck): DatabaseProblem[] {
  switch (state) {
    case 'newer':
      return [
        {
          problem: `the database is of a newer AgentMail (schema ${schema.done}, this one knows ${schema.known})`,
          advice: 'Update AgentMail on this machine.',
        },
      ]
    case 'unfinished_copy':
      return [
        {
          problem: 'the database is an unfinished copy of another, so no server opens it',
          advice: 'Run the same agentmail db copy again, which goes on where it stopped.',
        },
      ]
    default:
      return []
  }
}

function problemsOfClock(differenceMs: number): DatabaseProblem[] {
  if (Math.abs(differenceMs) <= clockToleranceMs) return []
  const seconds = (Math.abs(differenceMs) / 1000).toFixed(1)
  const order = differenceMs > 0 ? 'ahead of' : 'behind'
  return [
    {
      problem: `the clock of the database is ${seconds} s ${order} this machine's`,
      advice: 'Set both by the same time server; until then, times are those of the database.',
    },
  ]
}

/** A cluster has the other nodes to hold what one of them has not on disk yet. */
function problemsOfCommits({ is_durable, cluster }: ServerDescription): DatabaseProblem[] {
  if (is_durable || cluster) return []
  return [
    {
      problem: 'a power cut can lose what the database has acknowledged',
      advice: 'Set innodb_flush_log_at_trx_commit = 1 on its server.',
    },
  ]
}

function problemsOfCluster({ status, node_state }: Cluster): DatabaseProblem[] {
  const problems: DatabaseProblem[] = []
  if (status !== 'Primary') {
    problems.push({
      problem: `the node does not belong to the majority of its cluster (${status})`,
      advice: 'Bring its network or the other nodes back.',
    })
  }
  if (node_state !== 'Synced') {
    problems.push({
      problem: `the node has not everything that its cluster has (${node_state})`,
      advice: 'Wait until it is Synced, or name another node.',
    })
  }
  return problems
}

const spacesAreIgnored: DatabaseProblem = {
  problem: 'the database takes texts for equal that differ in spaces at their end',
  advice: 'Projects and channels must not differ in that alone; a newer server tells them apart.',
}

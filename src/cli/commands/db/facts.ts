/** What is known of a database, for people. */
import type { DatabaseCheck } from '../../../coordination/upkeep/check.ts'
import { cutAt } from '../../table.ts'

/** Each with its name; none of a database that is not there. */
export function factsOf(found: DatabaseCheck): [string, string][] {
  if (found.engine === null) return []
  return [
    ['Engine', found.engine],
    ['Schema', schema(found)],
    ['Identity', identity(found)],
    ['Latency', latency(found)],
    ['Clock', clock(found)],
    ['Commits', commits(found)],
    [
      'Servers',
      `several at once, ${found.supports?.several_machines ? 'on any machine' : 'on this machine'}`,
    ],
    ['Versions', versions(found)],
    ['Cluster', cluster(found)],
    ['Texts', texts(found)],
    ['TLS', tls(found)],
    ['Rows', rows(found)],
  ]
}

export const number = (value: number): string => value.toLocaleString('en-US')

const milliseconds = (value: number): string =>
  `${value < 10 ? value.toFixed(2) : value.toFixed(0)} ms`

function schema({ state, schema: { done, known } }: DatabaseCheck): string {
  if (state === 'empty') return 'no tables yet'
  const what = {
    missing: '',
    older: ': the next server that opens it brings it up to date',
    newer: ': of a newer AgentMail',
    unfinished_copy: '',
    ready: ': up to date',
  }[state]
  return `${done} of ${known}${what}`
}

function identity({ database_id, copied_from, copying_from }: DatabaseCheck): string {
  const origin = copying_from
    ? `, an unfinished copy of ${copying_from}`
    : copied_from
      ? `, copied from ${copied_from}`
      : ''
  return `${database_id ?? 'none yet'}${origin}`
}

function latency({ read_ms, write_ms }: DatabaseCheck): string {
  const read = read_ms === null ? '' : `${milliseconds(read_ms)} a read`
  return write_ms === null
    ? `${read}; no write was tried`
    : `${read}, ${milliseconds(write_ms)} a durable write`
}

function clock({ clock_difference_ms: difference }: DatabaseCheck): string {
  if (difference === null) return "this machine's own"
  if (Math.abs(difference) < 10) return "its own, the same as this machine's"
  const amount = `${number(Math.abs(difference))} ms`
  return `its own, ${amount} ${difference > 0 ? 'ahead of' : 'behind'} this machine's`
}

function commits({ server }: DatabaseCheck): string {
  const durable = server?.is_durable ?? true
  return `writes that wait share one; it is on disk ${durable ? 'before' : 'only some time after'} it is acknowledged`
}

function versions({ versions: kept }: DatabaseCheck): string {
  if (!kept) return 'none, the engine keeps none'
  const { count, newest } = kept
  if (!newest) return 'none yet'
  return `${number(count)}, the newest ${newest.id.slice(0, 8)} "${cutAt(newest.message, 80)}"`
}

function cluster({ server }: DatabaseCheck): string {
  if (!server?.cluster) return 'none'
  const { nodes, status, node_state } = server.cluster
  return `${number(nodes)} nodes, ${status}; this node is ${node_state}`
}

function texts({ server, tells_trailing_spaces_apart: isApart }: DatabaseCheck): string {
  const how =
    isApart === false
      ? 'compared without the spaces at their end'
      : 'told apart by every character, spaces at the end too'
  return server ? `${how} (${server.collation})` : how
}

function tls({ server }: DatabaseCheck): string {
  if (!server) return 'not needed, it is a file'
  if (!server.tls) return 'no'
  return server.tls.cipher ?? 'yes'
}

function rows({ rows: counts }: DatabaseCheck): string {
  const parts = Object.entries(counts).map(
    ([name, count]) => `${name.replaceAll('_', ' ')} ${number(count)}`,
  )
  return parts.join(', ') || 'none'
}

/** The overview in words. */
import { line, localTime, table } from '../table.ts'
import type { Overview, ServerView } from './overview.ts'

const mostShown = 20

/** @param mailman what is said of one that does not run. */
export function wordsOfOverview(overview: Overview, mailman = 'not running'): string {
  const { project, server, other_servers, agents, waiting, clients, next } = overview
  const about = [
    ['Project', project],
    ...(server ? serverLines(server) : [['Server', 'not running']]),
    ...other_servers.map(({ page, pid }) => ['Beside it', `${page} (PID ${pid})`]),
    ['Mailman', overview.mailman ? `running (PID ${overview.mailman.pid})` : mailman],
    ['For you', waitingWords(waiting)],
  ]
  return [
    ...about.map(([name = '', text = '']) => `${name.padEnd(11)}${line(text)}`),
    '',
    ...(agents.length > 0 ? agentLines(agents) : ['Nobody is here yet.']),
    '',
    ...clients.map(clientLine),
    ...(clients.length > 0 ? [''] : []),
    `Next: ${next}`,
  ].join('\n')
}

const clientLine = ({ client, state, next }: Overview['clients'][number]): string =>
  `${client.padEnd(11)}${line(state)}${next === null ? '' : `: ${next}`}`

const states = {
  ok: 'running',
  silent: 'does not answer',
  database_unavailable: 'cannot use its database at the moment',
  database_lost: 'has lost its database',
}

function serverLines({ page, state, pid, since, version, database, log }: ServerView): string[][] {
  const facts = [
    states[state],
    ...(since === null ? [] : [`since ${localTime(since)}`]),
    ...(pid === null ? [] : [`(PID ${pid})`]),
    ...(version === null ? [] : [`version ${version}`]),
  ]
  return [
    ['Page', page],
    ['Server', facts.join(' ')],
    ...(database === null ? [] : [['Database', database]]),
    ...(log === null ? [] : [['Log', log]]),
  ]
}

function waitingWords(waiting: Overview['waiting']): string {
  const { inbox, drafts, unknown_sends, complete } = waiting
  const parts = [
    count(inbox, 'message', 'messages'),
    count(drafts, 'draft to approve', 'drafts to approve'),
    count(unknown_sends, 'mail that may not have left', 'mails that may not have left'),
  ].filter((part) => part !== undefined)
  if (!complete) return [...parts, 'not known, since not all could be asked'].join('; ')
  return parts.join(', ') || 'nothing new'
}

const count = (number: number, one: string, many: string): string | undefined =>
  number === 0 ? undefined : `${number} ${number === 1 ? one : many}`

function agentLines(agents: Overview['agents']): string[] {
  const rows = agents
    .slice(0, mostShown)
    .map(({ name, role, where, state, unread, claims }) => [
      ...[name, role ?? '', where, state ?? '', String(unread), String(claims)],
    ])
  const more = agents.length - rows.length
  return [
    table(['NAME', 'ROLE', 'WHERE', 'STATE', 'UNREAD', 'FILES'], rows),
    ...(more > 0 ? [`and ${more} more: agentmail agents`] : []),
  ]
}

/** What people's commands and pages ask of a server beyond the tools: who is there, what was said, what happened. */
import type { ServerResponse } from 'node:http'
import type { AddressBook } from '../addresses/address-book.ts'
import {
  agentsQuery,
  announceQuery,
  answeredQuery,
  aroundQuery,
  callQuery,
  checked,
  differenceQuery,
  historyQuery,
  inboxQuery,
  leaveQuery,
  messagesQuery,
  notifiedQuery,
  placeQuery,
  renameQuery,
  searchQuery,
  sentQuery,
  sessionQuery,
  silenceQuery,
  visitQuery,
  waitingQuery,
  whereaboutsQuery,
} from '../connection/queries.ts'
import type { Project } from '../coordination/coordination.ts'
import type { Projects } from '../coordination/projects/projects.ts'
import { AgentMailError } from '../errors.ts'
import { isKeptCall } from '../sessions/moment.ts'
import { sessionOfCall } from '../sessions/session-of-call.ts'
import { tools } from '../tools/coordination/index.ts'
import { type Exchange, readJsonBody, sendJson } from './http-exchange.ts'

/** What a query gives as text and is a number. */
const numbers = ['after_id', 'limit', 'wait_seconds']

/** A tool, for commands of ours: what MCP has to do around it takes longer than most of them. */
export async function call(
  parts: { project: Project; book: AddressBook },
  { request, response }: Exchange,
): Promise<void> {
  const { tool: name, arguments: args, meta } = checked(callQuery, await readJsonBody(request))
  const tool = tools.find((one) => one.name === name)
  if (!tool) throw new AgentMailError('invalid_request', `there is no tool ${name}`)
  const gone = new AbortController()
  response.on('close', () => gone.abort())
  const told = { session: sessionOfCall(meta), isKept: isKeptCall(meta) }
  const context = { ...parts, signal: gone.signal, ...told }
  sendJson(response, 200, await tool.call(async () => context, args))
}

export async function agents(project: Project, { query, response }: Exchange): Promise<void> {
  const known = query.get('known') === 'true'
  const request = checked(agentsQuery, { ...fieldsOf(query), known })
  sendJson(response, 200, await project.agents.list(request))
}

export async function standings(project: Project, { query, response }: Exchange): Promise<void> {
  sendJson(response, 200, await project.standings(checked(agentsQuery, fieldsOf(query))))
}

export async function place(project: Project, { request, response }: Exchange): Promise<void> {
  const { agent_id, place } = checked(placeQuery, await readJsonBody(request))
  await project.standAt(agent_id, place)
  sendJson(response, 200, { ok: true })
}

export async function sessionAgent(
  project: Project,
  { request, response }: Exchange,
): Promise<void> {
  const { has_mailbox, ...search } = checked(aroundQuery, await readJsonBody(request))
  const agent = await project.sessions.agentOf(search, has_mailbox)
  sendJson(response, 200, agent ? { agent } : {})
}

export async function messages(project: Project, { query, response }: Exchange): Promise<void> {
  const request = checked(messagesQuery, fieldsOf(query))
  const gone = new AbortController()
  response.on('close', () => gone.abort())
  sendJson(response, 200, await project.messages.look(request, gone.signal))
}

export async function sentMessages(project: Project, { query, response }: Exchange): Promise<void> {
  sendJson(response, 200, await project.sent(checked(sentQuery, fieldsOf(query))))
}

export async function inbox(project: Project, { query, response }: Exchange): Promise<void> {
  const all = query.get('all') === 'true'
  sendJson(response, 200, await project.inbox(checked(inboxQuery, { ...fieldsOf(query), all })))
}

export async function silence(project: Project, { query, response }: Exchange): Promise<void> {
  const { name } = checked(silenceQuery, fieldsOf(query))
  const warning = await project.silence(name)
  sendJson(response, 200, warning === undefined ? {} : { warning })
}

export async function waitingMessages(
  project: Project,
  { request, response }: Exchange,
): Promise<void> {
  const wanted = checked(waitingQuery, await readJsonBody(request))
  const gone = new AbortController()
  response.on('close', () => gone.abort())
  sendJson(response, 200, await project.waitingFor(wanted, gone.signal))
}

export async function messagesNotified(
  project: Project,
  { request, response }: Exchange,
): Promise<void> {
  const { name, up_to, by } = checked(notifiedQuery, await readJsonBody(request))
  await project.receipts.notified(name, up_to, by)
  sendJson(response, 200, { ok: true })
}

export async function messageAnswered(
  project: Project,
  { request, response }: Exchange,
): Promise<void> {
  await project.answered(checked(answeredQuery, await readJsonBody(request)))
  sendJson(response, 200, { ok: true })
}

export async function session(project: Project, { query, response }: Exchange): Promise<void> {
  const found = await project.sessions.view(checked(sessionQuery, fieldsOf(query)))
  sendJson(response, 200, found ? { session: found } : {})
}

export async function announceTo(project: Project, { request, response }: Exchange): Promise<void> {
  const { by, ...name } = checked(announceQuery, await readJsonBody(request))
  sendJson(response, 200, await project.sessions.announce(name, by))
}

export async function search(project: Project, { query, response }: Exchange): Promise<void> {
  const request = checked(searchQuery, { ...fieldsOf(query), words: query.getAll('words') })
  const gone = new AbortController()
  response.on('close', () => gone.abort())
  sendJson(response, 200, await project.search(request, gone.signal))
}

export const history = (project: Project, { query, response }: Exchange): Promise<void> =>
  sendLines(response, project.history(checked(historyQuery, fieldsOf(query))))

export async function horizon(project: Project, { query, response }: Exchange): Promise<void> {
  sendJson(response, 200, await project.prunedBefore(checked(historyQuery, fieldsOf(query))))
}

export const difference = (project: Project, { query, response }: Exchange): Promise<void> =>
  sendLines(response, project.difference(checked(differenceQuery, fieldsOf(query))))

export async function visit(project: Project, { request, response }: Exchange): Promise<void> {
  const guest = checked(visitQuery, await readJsonBody(request))
  const { agent_id } = await project.agents.register({ ...guest, isGuest: true })
  sendJson(response, 200, { agent_id })
}

export async function leave(project: Project, { request, response }: Exchange): Promise<void> {
  const { agent_id } = checked(leaveQuery, await readJsonBody(request))
  await project.agents.leave(agent_id)
  sendJson(response, 200, { ok: true })
}

/** Which project a repository is, wherever it lies. */
export async function project(projects: Projects, { request, response }: Exchange): Promise<void> {
  const key = await projects.find(checked(whereaboutsQuery, await readJsonBody(request)))
  sendJson(response, 200, { project: await projects.nameOf(key) })
}

export async function projectList(projects: Projects, { response }: Exchange): Promise<void> {
  sendJson(response, 200, { projects: await projects.list() })
}

export async function rename(projects: Projects, { request, response }: Exchange): Promise<void> {
  const { from, to } = checked(renameQuery, await readJsonBody(request))
  await projects.rename(from, to)
  sendJson(response, 200, { ok: true })
}

/** One entry a line, since a journal may be longer than memory. */
async function sendLines(response: ServerResponse, entries: AsyncIterator<unknown>): Promise<void> {
  const first = await entries.next() // before the status is out, so that a refusal can be told
  response.writeHead(200, { 'content-type': 'application/x-ndjson' })
  for (let entry = first; !entry.done; entry = await entries.next()) {
    if (response.destroyed) return
    if (!response.write(`${JSON.stringify(entry.value)}\n`)) await drained(response)
  }
  response.end()
}

/** Or gone. */
const drained = (response: ServerResponse): Promise<void> =>
  new Promise((resolve) => {
    const done = () => {
      response.off('drain', done).off('close', done)
      resolve()
    }
    response.on('drain', done).on('close', done)
  })

function fieldsOf(query: URLSearchParams): Record<string, unknown> {
  const given = [...query].filter(([name, value]) => name !== 'project' && value !== '')
  return Object.fromEntries(
    given.map(([name, value]) => [name, numbers.includes(name) ? Number(value) : value]),
  )
}

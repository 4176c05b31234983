/** What people's commands and pages ask of a server beyond the tools: who is there, what was said, what happened. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import {
  checked,
  differenceQuery,
  historyQuery,
  leaveQuery,
  messagesQuery,
} from '../connection/queries.ts'
import type { Project } from '../coordination/coordination.ts'
import { readJsonBody, sendJson } from './http-exchange.ts'

/** What a query gives as text and is a number. */
const numbers = ['after_id', 'limit', 'wait_seconds']

type Answer = (
  project: Project,
  query: URLSearchParams,
  request: IncomingMessage,
  response: ServerResponse,
) => Promise<void>

const routes: Record<string, Answer> = {
  'GET /api/agents': async (project, query, _, response) => {
    sendJson(response, 200, await project.agents.list({ known: query.get('known') === 'true' }))
  },

  'GET /api/messages': async (project, query, _, response) => {
    const request = checked(messagesQuery, fieldsOf(query))
    const gone = new AbortController()
    response.on('close', () => gone.abort())
    sendJson(response, 200, await project.messages.look(request, gone.signal))
  },

  'GET /api/history': (project, query, _, response) =>
    sendLines(response, project.history(checked(historyQuery, fieldsOf(query)))),

  'GET /api/difference': (project, query, _, response) =>
    sendLines(response, project.difference(checked(differenceQuery, fieldsOf(query)))),

  'POST /api/leave': async (project, _, request, response) => {
    const { agent_id } = checked(leaveQuery, await readJsonBody(request))
    await project.agents.leave(agent_id)
    sendJson(response, 200, { ok: true })
  },
}

/** One entry a line, since a journal may be longer than memory. */
async function sendLines(response: ServerResponse, entries: AsyncIterator<unknown>): Promise<void> {
  const first = await entries.next() // before the status is out, so that a refusal can be told
  response.writeHead(200, { 'content-type': 'application/x-ndjson' })
  for (let entry = first; !entry.done; entry = await entries.next()) {
    if (response.destroyed) return
    if (!response.write(`${JSON.stringify(entry.value)}\n`)) {
      await Promise.race(
        ['drain', 'close'].map((event) => new Promise((done) => response.once(event, done))),
      )
    }
  }
  response.end()
}

/** Whether it was one of these. The project is named in the query. */
export async function serveApi(
  path: string,
  query: URLSearchParams,
  projectNamed: (name: string) => Project,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<boolean> {
  const key = `${request.method} ${path}`
  const answer = Object.hasOwn(routes, key) ? routes[key] : undefined
  if (!answer) return false
  await answer(projectNamed(query.get('project') ?? ''), query, request, response)
  return true
}

function fieldsOf(query: URLSearchParams): Record<string, unknown> {
  const given = [...query].filter(([name, value]) => name !== 'project' && value !== '')
  return Object.fromEntries(
    given.map(([name, value]) => [name, numbers.includes(name) ? Number(value) : value]),
  )
}

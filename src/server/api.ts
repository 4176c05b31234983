/** What people's commands and pages ask of a server beyond the tools: who is there, what was said, what happened. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import * as z from 'zod'
import type { Project } from '../coordination/coordination.ts'
import { AgentMailError } from '../errors.ts'
import {
  afterId,
  limit,
  optionalName,
  required,
  since,
  waitSeconds,
} from '../tools/coordination/fields.ts'
import { HttpError, readJsonBody, sendJson } from './http-exchange.ts'

const messagesQuery = z.strictObject({
  since,
  channel: optionalName('channel'),
  after_id: afterId,
  limit,
  wait_seconds: waitSeconds,
})
const numbers = ['after_id', 'limit', 'wait_seconds']

const historyQuery = z.strictObject({
  file: z.string().optional(),
  agent: z.string().optional(),
  since: z.string().optional(),
  as_of: z.string().optional(),
})

const leaveBody = z.strictObject({ agent_id: required('agent_id') })

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
    const request = parse(messagesQuery, fieldsOf(query))
    const gone = new AbortController()
    response.on('close', () => gone.abort())
    sendJson(response, 200, await project.messages.look(request, gone.signal))
  },

  /** One entry a line, since a journal may be longer than memory. */
  'GET /api/history': async (project, query, _, response) => {
    const entries = project.history(parse(historyQuery, fieldsOf(query)))
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
  },

  'POST /api/leave': async (project, _, request, response) => {
    const { agent_id } = parse(leaveBody, await readJsonBody(request))
    await project.agents.leave(agent_id)
    sendJson(response, 200, { ok: true })
  },
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
  try {
    await answer(projectNamed(query.get('project') ?? ''), query, request, response)
  } catch (error) {
    if (!AgentMailError.is(error)) throw error
    throw new HttpError(error.code === 'storage' ? 503 : 400, error.text)
  }
  return true
}

function fieldsOf(query: URLSearchParams): Record<string, unknown> {
  const given = [...query].filter(([name, value]) => name !== 'project' && value !== '')
  return Object.fromEntries(
    given.map(([name, value]) => [name, numbers.includes(name) ? Number(value) : value]),
  )
}

function parse<T>(schema: z.ZodType<T>, value: unknown): T {
  const result = schema.safeParse(value)
  if (result.success) return result.data
  throw new AgentMailError('invalid_request', result.error.issues[0]?.message ?? 'invalid request')
}

/** What the page shows of agents, messages, files and what happened, and what a person does about them. */
import type * as z from 'zod'
import { checked } from '../../connection/queries.ts'
import { agentsView } from '../../person/watching/agents-view.ts'
import { claimsPage, fileView } from '../../person/watching/files-view.ts'
import { journalPage } from '../../person/watching/journal-page.ts'
import { channelsView, messagesPage, messageView } from '../../person/watching/messages-view.ts'
import { needsPage } from '../../person/watching/needs.ts'
import {
  claimsQuestion,
  fileQuestion,
  journalQuestion,
  messageQuestion,
  messagesQuestion,
  projectQuestion,
  readQuestion,
  releaseQuestion,
  replyQuestion,
  searchQuestion,
  sendQuestion,
} from '../../person/watching/questions.ts'
import { releaseAsPerson } from '../../person/watching/releasing.ts'
import { searchAll } from '../../person/watching/search-all.ts'
import { Sight } from '../../person/watching/sight.ts'
import { readAsPerson, replyAsPerson, sendAsPerson } from '../../person/watching/speaking.ts'
import { readJsonBody } from '../http-exchange.ts'
import type { PageCall, PageParts, PageTable } from './page-call.ts'

export function watching(parts: PageParts): PageTable {
  const sight = new Sight(parts)
  return {
    'GET /agents': async (call) => agentsView(sight, asked(call, projectQuestion).project),
    'GET /messages': async (call) => messagesPage(sight, asked(call, messagesQuestion)),
    'GET /message': async (call) => {
      const { project, id } = asked(call, messageQuestion)
      return messageView(sight, project, id)
    },
    'GET /channels': async (call) => channelsView(sight, asked(call, projectQuestion).project),
    'POST /send': async (call) => sendAsPerson(sight, await told(call, sendQuestion)),
    'POST /reply': async (call) => replyAsPerson(sight, await told(call, replyQuestion)),
    'POST /read': async (call) => {
      await readAsPerson(sight, await told(call, readQuestion))
      return { ok: true }
    },
    'GET /claims': async (call) => claimsPage(sight, asked(call, claimsQuestion)),
    'GET /file': async (call) => {
      const { project, path } = asked(call, fileQuestion)
      return fileView(sight, project, path)
    },
    'POST /release': async (call) => releaseAsPerson(sight, await told(call, releaseQuestion)),
    'GET /journal': async (call) => journalPage(sight, asked(call, journalQuestion)),
    'GET /needs': () => needsPage(sight),
    'GET /search': async (call) => {
      const gone = new AbortController()
      call.response.on('close', () => gone.abort())
      const words = call.query.getAll('words').flatMap((text) => text.split(/\s+/))
      const given = { ...fieldsOf(call), words: words.filter((word) => word !== '') }
      return searchAll(sight, checked(searchQuestion, given), gone.signal)
    },
  }
}

const asked = <T>(call: PageCall, question: z.ZodType<T>): T => checked(question, fieldsOf(call))

const told = async <T>({ request }: PageCall, question: z.ZodType<T>): Promise<T> =>
  checked(question, await readJsonBody(request))

/** What is empty was not given. */
function fieldsOf({ query }: PageCall): Record<string, unknown> {
  const given = [...query].filter(([, value]) => value !== '')
  return Object.fromEntries(
    given.map(([name, value]) => [name, name === 'limit' ? Number(value) : value]),
  )
}

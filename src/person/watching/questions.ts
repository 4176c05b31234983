/** What the page asks, checked in the words of the tools. */
import * as z from 'zod'
import { optionalName, required, requiredPath } from '../../tools/coordination/fields.ts'
import { limitUpTo } from '../../tools/fields.ts'

const project = z.string('project must be text').optional()
const ofProject = required('project')
const cursor = z.string('a cursor must be text').max(4000, 'a cursor is too long').optional()
const time = z.string('a time must be text').optional()
const mostIds = 500
const maxWords = 100
const maxLetters = 1000
const longestId = 2000
const id = required('id').refine((text) => text.length <= longestId, 'id is too long')

export const projectQuestion = z.object({ project })

export const messagesQuestion = z.object({
  project,
  channel: optionalName('channel'),
  agent: optionalName('agent'),
  kind: z.enum(['direct', 'mailbox'], 'kind must be direct or mailbox').optional(),
  before: cursor,
  after: cursor,
  limit: limitUpTo(200).default(100),
})

export const messageQuestion = z.object({ project: ofProject, id })

export const sendQuestion = z.object({
  project: ofProject,
  channel: required('channel').pipe(optionalName('channel').unwrap()),
  text: z.string('text is required'),
})

export const replyQuestion = z.object({
  project: ofProject,
  id,
  text: z.string('text is required'),
})

export const readQuestion = z.object({
  project: ofProject,
  ids: z
    .array(id, 'ids is required\nGive a list of ids.')
    .refine((ids) => ids.length <= mostIds, `ids must be at most ${mostIds}`),
})

export const claimsQuestion = z.object({
  project,
  after: z.string('after must be text').max(4000, 'after is too long').optional(),
  limit: limitUpTo(500).default(500),
})

export const fileQuestion = z.object({ project: ofProject, path: requiredPath('path') })

export const releaseQuestion = z.object({
  project: ofProject,
  path: requiredPath('path'),
  agent_id: required('agent_id'),
})

export const journalQuestion = z.object({
  project,
  since: time,
  until: time,
  agent: optionalName('agent'),
  file: requiredPath('file').optional(),
  limit: limitUpTo(20_000).default(5000),
})

export const searchQuestion = z.object({
  project,
  words: z
    .array(required('words'), 'words is required')
    .refine((words) => words.length > 0, 'words is required')
    .refine(
      (words) => words.length <= maxWords && words.join('').length <= maxLetters,
      `words must be at most ${maxWords}, and ${maxLetters} characters in all\nSearch for a part of them.`,
    ),
})

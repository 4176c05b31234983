/** The questions beyond the tools, checked in the same words wherever they are asked. */
import * as z from 'zod'
import { notifiedWays } from '../coordination/inbox/receipts.ts'
import { AgentMailError } from '../errors.ts'
import { isProjectName } from '../names.ts'
import {
  afterId,
  limit,
  optionalName,
  required,
  requiredLine,
  since,
  waitSeconds,
} from '../tools/coordination/fields.ts'
import { limitUpTo } from '../tools/fields.ts'

export const messagesQuery = z.strictObject({
  since,
  channel: optionalName('channel'),
  after_id: afterId,
  limit,
  wait_seconds: waitSeconds,
})

export const agentsQuery = z.strictObject({
  known: z.boolean().optional(),
  agent: z.string().optional(),
  limit: limitUpTo(500).default(500),
  after: z.string().optional(),
})

export const sentQuery = z.strictObject({
  from: required('from'),
  to: optionalName('to'),
  limit: limitUpTo(500).default(20),
})

export const inboxQuery = z.strictObject({
  name: required('name'),
  all: z.boolean().optional(),
  after_id: afterId,
  limit: limitUpTo(500).default(500),
})

export const silenceQuery = z.strictObject({ name: required('name') })

const maxNames = 500

export const waitingQuery = z.strictObject({
  names: z
    .array(required('names'), 'names is required')
    .refine((names) => names.length <= maxNames, `names must be at most ${maxNames}`),
  after_id: afterId,
  wait_seconds: waitSeconds,
})

export const answeredQuery = z.strictObject({
  name: required('name'),
  id: z.int('id must be a whole number'),
  agent: required('agent'),
})

const upToWords = 'up_to must be a whole number of 0 or more'

export const notifiedQuery = z.strictObject({
  name: required('name'),
  up_to: z.int(upToWords).min(0, upToWords),
  by: z.enum(notifiedWays, `by must be one of ${notifiedWays.join(', ')}`).optional(),
})

export const sessionQuery = z.strictObject({
  client: required('client'),
  session: required('session'),
})

export const announceQuery = sessionQuery.extend({
  by: z.enum(notifiedWays, `by must be one of ${notifiedWays.join(', ')}`),
})

export const historyQuery = z.strictObject({
  file: z.string().optional(),
  agent: z.string().optional(),
  since: z.string().optional(),
  as_of: z.string().optional(),
})

export const differenceQuery = z.strictObject({ from: required('from'), to: required('to') })

const maxWords = 100
const maxLetters = 1000

export const searchQuery = z.strictObject({
  words: z
    .array(required('words'), 'words is required')
    .refine((words) => words.length > 0, 'words is required')
    .refine(
      (words) => words.length <= maxWords && words.join('').length <= maxLetters,
      `words must be at most ${maxWords}, and ${maxLetters} characters in all\nSearch for a part of them.`,
    ),
  channel: optionalName('channel'),
  agent: optionalName('agent'),
  since,
  limit,
})

export const visitQuery = z.strictObject({
  name: requiredLine('name'),
  role: requiredLine('role'),
  agent_id: optionalName('agent_id'),
})

export const placeQuery = z.strictObject({
  agent_id: required('agent_id'),
  place: z.string('place is required').min(1).max(255),
})

const sessionText = z.string().min(1).max(1000).optional()
export const aroundQuery = z.strictObject({
  client: sessionText,
  session: sessionText,
  place: sessionText,
  has_mailbox: z.boolean().optional(),
})

export const callQuery = z.strictObject({
  tool: required('tool'),
  arguments: z.record(z.string(), z.unknown(), 'arguments must be an object').optional(),
  meta: z.unknown().optional(),
})

export const leaveQuery = z.strictObject({ agent_id: required('agent_id') })

const part = (longest: number) => z.string().min(1).max(longest)

export const whereaboutsQuery = z.strictObject({
  machine: part(36),
  root: part(4096),
  origin: part(4096)
    .regex(/^[^@/]*\//, 'origin must be in its normal form, without a user')
    .optional(),
  folder: z.string().max(255),
  wished: z.string().refine(isProjectName, 'wished must be the name of a project').optional(),
})

/** Where somebody stands: in a repository, in a project of this name, or they do not say. */
export const hereQuery = z.union([
  whereaboutsQuery,
  z.strictObject({ project: z.string().optional() }),
])

export const renameQuery = z.strictObject({ from: required('from'), to: required('to') })

export function checked<T>(schema: z.ZodType<T>, value: unknown): T {
  const result = schema.safeParse(value)
  if (result.success) return result.data
  throw new AgentMailError('invalid_request', result.error.issues[0]?.message ?? 'invalid request')
}

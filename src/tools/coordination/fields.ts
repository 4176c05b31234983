/** The arguments that the coordination tools share, with the words for each fault. */
import * as z from 'zod'
import { unnameable } from '../../system/text.ts'
import { limitUpTo } from '../fields.ts'

const maxTextBytes = 64 << 10
const maxFiles = 1000
const maxPathCharacters = 1024

const characters = (text: string): number => {
  let count = 0
  for (const _ of text) count++
  return count
}
const isLongerThan = (limit: number, text: string) =>
  text.length > limit && (text.length > 2 * limit || characters(text) > limit)

/** Text that must be there: missing, empty and blank are one fault. */
export const required = (name: string) =>
  z
    .string({
      error: ({ input }) =>
        input === undefined ? `${name} is required` : `${name} is required\nGive it as text.`,
    })
    .refine((value) => value.trim() !== '', `${name} is required\nIt must not be empty or blank.`)

const short = (name: string, limit = 255) =>
  [
    (value: string) => !isLongerThan(limit, value),
    `${name} must be at most ${limit} characters`,
  ] as const
const tooLong = (name: string) =>
  [
    (value: string) => Buffer.byteLength(value) <= maxTextBytes,
    `${name} exceeds maximum size of 64KB\nShorten it, or put the text into a file and name that.`,
  ] as const

export const requiredName = (name: string) => required(name).refine(...short(name))
/** A name or role, which others are shown on a line with more: it cannot pass for another line. */
export const requiredLine = (name: string) =>
  requiredName(name).refine(
    (value) => !unnameable.test(value),
    `${name} must not contain line breaks or other control characters`,
  )
export const requiredLongText = (name: string) => required(name).refine(...tooLong(name))
export const requiredPath = (name: string) =>
  required(name).refine(...short(name, maxPathCharacters))
export const optionalName = (name: string) =>
  z
    .string(`${name} must be text`)
    .refine(...short(name))
    .optional()

/** A blank channel is none: nobody could name it. */
export const channelOf = (channel: string | undefined): string | undefined =>
  channel?.trim() === '' ? undefined : channel

export const paths = z
  .array(
    z.string('files is required\nEach file is a path, as text.'),
    'files is required\nGive a list of paths.',
  )
  .refine((files) => files.length > 0, 'files is required\nThe list is empty.')
  .refine(
    (files) => files.every((file) => file.trim() !== ''),
    'files is required\nA path in the list is empty or blank.',
  )
  .refine(
    (files) => files.length <= maxFiles,
    `files must be at most ${maxFiles} paths\nUse several calls.`,
  )
  .refine(
    (files) => !files.some((file) => isLongerThan(maxPathCharacters, file)),
    `a path in files must be at most ${maxPathCharacters} characters`,
  )

export const afterPath = z
  .string('after must be a path')
  .refine(...short('after', maxPathCharacters))
  .optional()
  .describe('Only later paths')

export const agentId = required('agent_id')
export const idempotencyKey = optionalName('idempotency_key').describe(
  'Same on retry: no duplicate',
)
export const since = z
  .string('parsing since timestamp: it is not text\nWrite it like 2026-01-15T10:00:00Z.')
  .optional()
  .describe('RFC 3339; only later')
export const afterId = z
  .int('after_id must be a whole number of 0 or more')
  .min(0, 'after_id must be a whole number of 0 or more')
  .optional()
  .describe('Only higher ids')
export const limit = limitUpTo(500).default(50)
const waitWords = 'wait_seconds must be a number from 0 to 50'
export const waitSeconds = z
  .number(waitWords)
  .min(0, waitWords)
  .max(50, waitWords)
  .optional()
  .describe('Wait for news')

// Every client pays for each word of a listing, so the hints say only what is not plain.
/** They touch the post office alone: some clients let nothing else run without asking. */
export const reads = { readOnlyHint: true, openWorldHint: false } as const
export const adds = { readOnlyHint: false, destructiveHint: false, openWorldHint: false } as const
export const repeatable = { ...adds, idempotentHint: true } as const

/** Takes an answer for a decision, or says what does not fit: nothing is guessed, and nobody but the sender is written to. */
import * as z from 'zod'
import { cleanLine, cleanText, shortened } from '../../email/visible-text/clean-text.ts'
import { readHtml } from '../../email/visible-text/html-to-text.ts'
import { looksLikeHtml } from '../../email/visible-text/visible-text.ts'
import type { AgentMailError } from '../../errors.ts'
import { isRecord, jsonOf } from '../../system/text.ts'
import { type Decision, decisionNames, doesNotFit } from './decision.ts'

const maxAnswerBytes = 200 << 10
const maxReplyCharacters = 50_000
const maxReasonCharacters = 500
const maxDelegateCharacters = 255

export const wrongDecision = `decision must be one of ${decisionNames.join(', ')}`

const textOf = (name: string) => z.string(`${name} must be text`)

/** A key that is not in it, as `to` or `cc`, makes the whole answer unfit. */
const schema = z.strictObject(
  {
    decision: z.enum(decisionNames, wrongDecision),
    reason: textOf('reason').nullish(),
    reply: textOf('reply').nullish(),
    delegate_to: textOf('delegate_to').nullish(),
  },
  {
    error: (issue) =>
      issue.code === 'unrecognized_keys' ? unknownKey(issue.keys[0] ?? '') : 'it is no object',
  },
)

/** A name that is more than a word is not repeated: it could be anything, a secret too. */
export const unknownKey = (key: string) =>
  /^[a-z_-]{1,20}$/i.test(key)
    ? `it must not have the key "${key}"`
    : 'it has a key that is not known'

/** Makes the error of what is wrong. @param key in which it is, where that is known. */
type Fail = (misfit: string, key?: keyof z.infer<typeof schema>) => AgentMailError

const noReply = 'it has no reply, and this decision needs one'

export const parseDecision = (value: unknown): Decision => readDecision(value, doesNotFit)

export function readDecision(value: unknown, fail: Fail): Decision {
  const read = schema.safeParse(value)
  if (!read.success) throw fail(read.error.issues[0]?.message ?? 'it is no object')
  const { decision, reason: why, reply, delegate_to } = read.data
  const reason = reasonOf(why ?? '', fail)
  switch (decision) {
    case 'draft_reply':
    case 'urgent':
      return { decision, reason, reply: replyOf(reply ?? '', fail) }
    case 'delegate':
      return { decision, reason, delegate_to: delegateOf(delegate_to ?? '', fail) }
    default:
      return { decision, reason }
  }
}

/** What a model thought aloud, before the answer. */
const thoughts = /^<(think|thinking)>.*?<\/\1>/is
const fence = /^(`{3,}|~{3,})[ \t]*(?:json)?\s*(\{.*\})\s*\1$/is

/** The answer is one JSON object and nothing else: in prose, a model may be quoting a mail. */
export function decisionIn(answer: string): Decision {
  if (Buffer.byteLength(answer) > maxAnswerBytes) throw doesNotFit('it is larger than 200 KB')
  const text = answer.trim().replace(thoughts, '').trim()
  const json = fence.exec(text)?.[2] ?? text
  const value = jsonOf(json)
  if (!isRecord(value)) throw doesNotFit('it is not one JSON object and nothing else')
  const decision = parseDecision(value)
  if (keysIn(json) !== Object.keys(value).length) throw doesNotFit('a key is there twice')
  return decision
}

function reasonOf(given: string, fail: Fail): string {
  const reason = cleanLine(given)
  if (reason === '') throw fail('it gives no reason', 'reason')
  if (reason.length <= maxReasonCharacters) return reason
  return `${shortened(reason, maxReasonCharacters - 1)}…`
}

/** Plain text and nothing unseen: whoever approves it sees exactly what is sent. */
function replyOf(given: string, fail: Fail): string {
  const clean = cleanText(given)
  const { text, isComplete } = looksLikeHtml(clean)
    ? readHtml(clean)
    : { text: clean, isComplete: true }
  const reply = `${text.trimEnd()}\n`
  if (reply === '\n') throw fail(noReply, 'reply')
  if (reply.length > maxReplyCharacters)
    throw fail('the reply is longer than 50,000 characters', 'reply')
  // What looks like HTML once more would be sent as such.
  if (isComplete && !looksLikeHtml(reply)) return reply
  throw fail('the reply is HTML that cannot be made a plain text', 'reply')
}

function delegateOf(given: string, fail: Fail): string | undefined {
  const delegate = cleanLine(given)
  if (delegate.length <= maxDelegateCharacters) return delegate || undefined
  throw fail('delegate_to is longer than 255 characters', 'delegate_to')
}

/** Of a JSON text: how many keys are written in it, those too that a parser lets the last one win over. */
const keysIn = (json: string): number =>
  [...json.matchAll(/"[^"\\]*(?:\\.[^"\\]*)*"(\s*:)?/g)].filter(([, colon]) => colon).length

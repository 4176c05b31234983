/** The subject of a reply: that of the mail it answers, since another would start a new thread. */

const prefix = /^\s*((re|aw|sv|antw|odp|fwd?|wg|tr)\s*(\[\d+\])?\s*:\s*)+/i

/** What was asked for, if it says the same. */
export function replySubject(asked: string, original: string): string {
  if (bare(asked) === bare(original)) return asked
  const line = original.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ').trim()
  return /^\s*re\s*:/i.test(line) ? line : `Re: ${line}`
}

const bare = (subject: string): string =>
  subject.replace(prefix, '').replace(/\s+/g, ' ').trim().toLowerCase()

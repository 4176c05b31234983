/** The subject of a reply: that of the mail it answers, since another would start a new thread. */

/** What was asked for, if it says the same but for its `Re:`. */
export function replySubject(asked: string, original: string): string {
  const line = original.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ').trim()
  if (bare(asked) === bare(line)) return asked
  return bare(line) === line ? `Re: ${line}`.trimEnd() : line
}

const bare = (subject: string): string => subject.replace(/^(\s*re\s*:)+/i, '').trim()

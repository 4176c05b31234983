/** Asks a program one thing on its standard streams, in lines of JSON, and ends it with all that it started. */
import { type ServerProgram, startServer } from '../../system/run-program.ts'
import { isRecord, jsonOf } from '../../system/text.ts'

const maxCharacters = 4 << 20
const graceMs = 300

export interface ProgramAnswer {
  /** Nothing where none came. */
  result?: Record<string, unknown>
  /** Its last words on stderr, or why it could not be started. */
  words: string
  isLate: boolean
}

/** @param messages the last of which is the question, with the id 2. */
export async function askProgram(
  program: ServerProgram,
  messages: object[],
  limitMs: number,
): Promise<ProgramAnswer> {
  const child = startServer(program)
  let [out, words, isLate] = ['', '', false]
  const over = new Promise<void>((resolve) => child.once('close', resolve))
  try {
    const result = await new Promise<ProgramAnswer['result']>((resolve) => {
      const timer = setTimeout(() => {
        isLate = true
        resolve(undefined)
      }, limitMs)
      const answer = (found?: ProgramAnswer['result']) => {
        clearTimeout(timer)
        resolve(found)
      }
      child.once('error', ({ message }) => {
        words = message
        answer()
      })
      child.once('close', () => answer())
      child.stdin.on('error', () => {}) // its end tells
      child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
        words = `${words}${chunk}`.slice(-maxCharacters)
      })
      child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
        out += chunk
        const found = out.includes('\n') ? answerIn(out) : undefined
        if (found || out.length > maxCharacters) answer(found)
      })
      for (const message of messages) child.stdin.write(`${JSON.stringify(message)}\n`)
    })
    return { ...(result && { result }), words: lastLine(words), isLate }
  } finally {
    child.stdin.end()
    const grace = setTimeout(() => end(child.pid), graceMs)
    await over
    clearTimeout(grace)
    end(child.pid)
  }
}

function answerIn(out: string): Record<string, unknown> | undefined {
  const messages = out.split('\n').slice(0, -1).map(jsonOf).filter(isRecord)
  const { result } = messages.find(({ id }) => id === 2) ?? {}
  return isRecord(result) ? result : undefined
}

const lastLine = (text: string): string =>
  text
    .split('\n')
    .map((line) => line.trim())
    .findLast((line) => line !== '') ?? ''

/** Its whole group; nobody is left where that fails. */
function end(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL')
  } catch {}
}

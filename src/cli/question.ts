/** Questions to the person at the terminal: yes or no, a line, or a secret that nobody sees. */
import { createInterface } from 'node:readline'
import { StringDecoder } from 'node:string_decoder'
import type { WriteStream } from 'node:tty'
import { sleep } from '../system/clock.ts'

/** For what a terminal still holds to arrive. */
const typedMs = 100

export const canAsk = (): boolean => process.stdin.isTTY && process.stdout.isTTY

/** The same where the answer goes to stdout: the question is on stderr. */
export const canAskAside = (): boolean => process.stdin.isTTY && process.stderr.isTTY

/** Whatever is no yes is a no, and so is the end of the input, and what was typed before the question. */
export async function isYes(
  question: string,
  output: WriteStream = process.stdout,
): Promise<boolean> {
  await forgetTyped()
  return /^y(es)?$/i.test((await askLine(question, output)) ?? '')
}

/** Nothing where the person broke it off. */
export function askLine(
  question: string,
  output: WriteStream = process.stderr,
): Promise<string | undefined> {
  const terminal = createInterface({ input: process.stdin, output })
  return new Promise((resolve) => {
    terminal.on('close', () => resolve(undefined))
    terminal.question(question, (answer) => {
      resolve(answer.trim())
      terminal.close()
    })
  })
}

const [interrupt, end, backspace, clear, escapeKey, rubout] = '\u0003\u0004\b\u0015\u001b\u007f'
/** Keys that move or do something send these, and are no part of a secret. */
const keySequence = new RegExp(`${escapeKey}(?:\\[[\\d;]*[ -/]*[@-~]|O.|.)?`, 'gsu')

/** Shows nothing of what is typed. Nothing where the person broke it off, or typed nothing. */
export async function askSecret(question: string): Promise<string | undefined> {
  await forgetTyped()
  const { stdin, stderr } = process
  const decoder = new StringDecoder('utf8')
  let typed: string[] = []
  stdin.setRawMode(true)
  stderr.write(question)
  const secret = await new Promise<string>((resolve) => {
    const hear = (chunk: Buffer) => {
      for (const key of decoder.write(chunk).replace(keySequence, '')) {
        if (key === interrupt) return finish('')
        if (key === '\r' || key === '\n' || key === end) return finish(typed.join(''))
        if (key === clear) typed = []
        else if (key === backspace || key === rubout) typed.pop()
        else if (!/\p{Cc}/u.test(key)) typed.push(key)
      }
    }
    const ended = () => finish('')
    const finish = (text: string) => {
      stdin.off('data', hear).off('end', ended).pause()
      resolve(text)
    }
    stdin.on('data', hear).on('end', ended).resume()
  })
  stdin.setRawMode(false)
  stderr.write('\n')
  return secret === '' ? undefined : secret
}

/** Raw, so that half a line is thrown away too. */
async function forgetTyped(): Promise<void> {
  const { stdin } = process
  const ignore = () => {}
  stdin.setRawMode(true)
  stdin.on('data', ignore)
  await sleep(typedMs)
  stdin.off('data', ignore)
  stdin.pause()
  stdin.setRawMode(false)
}

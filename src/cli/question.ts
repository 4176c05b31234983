/** A question to the person at the terminal that is answered by yes or no. */
import { createInterface } from 'node:readline'
import { sleep } from '../system/clock.ts'

/** For what a terminal still holds to arrive. */
const typedMs = 100

export const canAsk = (): boolean => process.stdin.isTTY && process.stdout.isTTY

/** Whatever is no yes is a no, and so is the end of the input, and what was typed before the question. */
export async function isYes(question: string): Promise<boolean> {
  await forgetTyped()
  const terminal = createInterface({ input: process.stdin, output: process.stdout })
  return new Promise((resolve) => {
    terminal.on('close', () => resolve(false))
    terminal.question(question, (answer) => {
      resolve(/^y(es)?$/i.test(answer.trim()))
      terminal.close()
    })
  })
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

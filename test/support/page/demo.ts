/** The demo of the page, with its recorded day, as a process that ends with the tests. */
import { onTestFinished } from 'vitest'
import * as z from 'zod'
import { ended, start } from '../agentmail.ts'
import { eventually } from '../eventually.ts'
import { temporaryFolder } from '../temporary-folder.ts'

const startedSchema = z.object({ url: z.string(), folder: z.string(), database: z.string() })

export type Demo = z.infer<typeof startedSchema>

export async function startDemo(
  atEnd: (end: () => void) => void = onTestFinished,
  args: string[] = ['--still'],
): Promise<Demo> {
  const home = temporaryFolder(atEnd)
  const child = start(['demo', '--page', '--json', ...args], { env: { TMPDIR: home }, cwd: home })
  atEnd(() => void child.kill('SIGKILL'))
  let shown = ''
  child.stdout.on('data', (text) => {
    shown += text
  })
  const line = await Promise.race([
    eventually('the demo serves', () => /^\{"event":"started".*\}$/m.exec(shown)?.[0]),
    ended(child).then(({ stderr }) => Promise.reject(new Error(`It did not start: ${stderr}`))),
  ])
  return startedSchema.parse(JSON.parse(line))
}

/** One process at a folder of local mail: labels a mail, sends without end, or tells what a list costs. */
import { readFileSync, writeSync } from 'node:fs'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { openLocalMail } from '../../../src/providers/local/local.ts'

const [root = '', task, ...rest] = process.argv.slice(2)
const { inbox, send } = openLocalMail(root, rest.includes('no lock') ? { lock: () => true } : {})
const say = (word: unknown) => writeSync(1, `${JSON.stringify(word)}\n`)

/** What the operating system counts for this process. */
const bytesRead = () => Number(/rchar: (\d+)/.exec(readFileSync('/proc/self/io', 'utf8'))?.[1])

if (task === 'label') {
  const [id = '', prefix = ''] = rest
  const names = Array.from({ length: 15 }, (_, number) => `${prefix}${number}`)
  await Promise.all(names.map((name) => inbox?.label(id, name)))
  say('done')
}

if (task === 'send') {
  const nobody = { from: undefined, cc: [], bcc: [], reply_to: [], html: undefined }
  const content = Buffer.alloc(300_000) // so that most of the time is spent writing
  const attachments = [{ name: 'a.bin', content, contentType: 'application/octet-stream' }]
  const rest = { attachments, original: undefined, postmark: undefined, text: 'Hi' }
  for (let number = 1; ; number++) {
    const to = [{ name: '', address: 'ada@example.com' }]
    const mail = { ...nobody, ...rest, to, subject: `Mail ${number}`, key: `key-${number}` }
    const { message_id } = await send(mail, new AbortController().signal)
    say(message_id)
  }
}

if (task === 'list') {
  const delay = monitorEventLoopDelay({ resolution: 1 })
  const costs = []
  for (const query of ['is:unread', 'is:unread', 'subject:"mail 7"']) {
    const before = bytesRead()
    const start = performance.now()
    delay.enable()
    const mails = (await inbox?.list({ query, limit: 10 }))?.mails.length
    delay.disable()
    const ms = performance.now() - start
    costs.push({ mails, bytes: bytesRead() - before, ms, longestMs: delay.max / 1e6 })
    delay.reset()
  }
  say({ costs, memory: process.memoryUsage().rss })
}

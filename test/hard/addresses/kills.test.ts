/** A server that is killed while windows and agents write to each other: none twice, and none lost that was acknowledged. */
import { mkdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import * as z from 'zod'
import { PostOffice } from '../../../src/mailbox/post-office.ts'
import { mailboxesIn } from '../../support/addresses/address-place.ts'
import { agentmail, type RunOptions } from '../../support/agentmail.ts'
import { repository } from '../../support/mailbox/tmux.ts'
import { isLong } from '../../support/parts.ts'
import { callTool, TestServer } from '../../support/server/server.ts'
import { at, upTo } from '../../support/store/databases.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const kills = isLong ? 30 : 4
const unreadSchema = z.object({ messages: z.array(z.object({ body: z.string() })) })

/** What of `all` is missing in what was handed over, and what was handed twice or never written. */
function faults(handed: string[], written: { acknowledged: string[]; unclear: string[] }) {
  const { acknowledged, unclear } = written
  return {
    lost: acknowledged.filter((text) => !handed.includes(text)),
    twice: handed.filter((text, index) => handed.indexOf(text) !== index),
    unknown: handed.filter((text) => !acknowledged.includes(text) && !unclear.includes(text)),
  }
}

it('loses nothing that was acknowledged, and doubles nothing', { timeout: 300_000 }, async () => {
  const data = temporaryFolder()
  mkdirSync(join(data, 'agentmail'))
  const env = { XDG_DATA_HOME: data }
  const cwd = repository()
  const project = basename(cwd)
  const serve = () => TestServer.start({ db: join(data, 'agentmail/agentmail.db'), cwd, env })
  let server = await serve()
  const run = (args: string[], options: RunOptions = {}) =>
    agentmail(args, { cwd, env: { ...env, ...options.env } })
  const { as, comes } = mailboxesIn({ run })
  await comes('ann')
  const { structuredContent } = await callTool(
    ...[server.url, 'register', { name: 'visitor', role: 'coder' }, project],
  )
  const agent_id = structuredContent?.agent_id
  let isOver = false

  /** Asks again under its key until it is answered, as an agent may. */
  const visitor = async () => {
    const acknowledged: string[] = []
    for (let count = 1; !isOver; count++) {
      const text = `to ann ${count}`
      const letter = { agent_id, channel: '@ann', subject: text, body: text, idempotency_key: text }
      for (;;) {
        const answer = await callTool(server.url, 'send_message', letter, project).catch(() => {})
        if (answer?.structuredContent) break
        await sleep(20)
      }
      acknowledged.push(text)
    }
    return { acknowledged, unclear: [] }
  }

  /** By the command, once each: what fails may have gone out. */
  const ann = async (who: number) => {
    const written = { acknowledged: [] as string[], unclear: [] as string[] }
    for (let count = 1; !isOver; count++) {
      const text = `to visitor ${who}.${count}`
      const { exitCode } = await as('ann', 'send', 'visitor', text)
      written[exitCode === 0 ? 'acknowledged' : 'unclear'].push(text)
    }
    return written
  }

  const writing = Promise.all([visitor(), ann(1), ann(2)])
  for (const round of upTo(kills)) {
    await sleep(300 + ((round * 70) % 300))
    server.child.kill('SIGKILL')
    await server.ended
    server = await serve()
  }
  isOver = true
  const [byVisitor, ...byAnn] = await writing
  console.log(`${byVisitor.acknowledged.length} and ${byAnn.map((one) => one.acknowledged.length)}`)

  const atAnn: string[] = []
  const mailbox = new PostOffice(join(cwd, '.agentmail')).mailbox('ann')
  for (let mail = await mailbox.take(); mail; mail = await mailbox.take()) atAnn.push(mail.message)
  const read = { agent_id, unread: true, limit: 500 }
  const atVisitor: string[] = []
  for (;;) {
    const answer = await callTool(server.url, 'read_messages', read, project)
    const { messages } = unreadSchema.parse(answer.structuredContent)
    if (messages.length === 0) break
    atVisitor.push(...messages.map(({ body }) => body).filter((body) => body.startsWith('to ')))
  }
  const none = { lost: [], twice: [], unknown: [] }
  expect(faults(atAnn, byVisitor)).toEqual(none)
  const all = (key: 'acknowledged' | 'unclear') => [...at(byAnn, 0)[key], ...at(byAnn, 1)[key]]
  const written = { acknowledged: all('acknowledged'), unclear: all('unclear') }
  expect(faults(atVisitor, written)).toEqual(none)
})

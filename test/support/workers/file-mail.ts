/** A mail server that knows no keys: its inbox and its sent mail are files; it may lie about what it has sent, be slow, or die. */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout } from 'node:timers/promises'
import type { OtherMail } from '../email/other-mailbox.ts'

interface Request {
  id?: number | string
  method: string
  params?: { name?: string; arguments?: Record<string, string> }
}

const [folder = '', isForgetful = ''] = process.argv.slice(2)
const folders = { inbox: join(folder, 'inbox'), sent: join(folder, 'sent') }
mkdirSync(folders.sent, { recursive: true })

const mailsIn = (place: string): OtherMail[] =>
  readdirSync(place).map((name) => JSON.parse(readFileSync(join(place, name), 'utf8')))

const find = (id: string | undefined): OtherMail | undefined =>
  [...mailsIn(folders.inbox), ...mailsIn(folders.sent)].find((mail) => mail.id === id)

/** As long as the file says, so that whoever asked may be gone. */
const delayMs = (when: string): number => {
  const path = join(folder, when)
  return existsSync(path) ? Number(readFileSync(path, 'utf8')) : 0
}

const tools: Record<string, (args: Record<string, string>) => unknown> = {
  list_emails({ query = '' }) {
    if (query !== 'in:sent') return { emails: mailsIn(folders.inbox) }
    const sent = mailsIn(folders.sent).sort((a, b) => (a.date > b.date ? -1 : 1))
    return { emails: isForgetful ? [] : sent }
  },
  get_email: ({ message_id }) => find(message_id),
  async send_email({ to = '', subject = '', body = '' }) {
    await setTimeout(delayMs('slow-to-take'))
    const id = `sent-${process.pid}-${readdirSync(folders.sent).length}`
    const date = new Date(Date.now()).toISOString()
    const mail: OtherMail = { id, subject, sender: 'me@example.com', to, date, body }
    writeFileSync(join(folders.sent, id), JSON.stringify(mail))
    await setTimeout(delayMs('slow-to-answer'))
    return { message_id: id, thread_id: id, sent_at: date }
  },
}

const text = { type: 'string' }
const listed = [
  { name: 'list_emails', properties: { query: text, max_results: { type: 'integer' } } },
  { name: 'get_email', properties: { message_id: text } },
  {
    name: 'send_email',
    properties: { to: text, subject: text, body: text, reply_to_message_id: text },
  },
].map(({ name, properties }) => ({ name, inputSchema: { type: 'object', properties } }))

async function answer({ method, params }: Request): Promise<object | undefined> {
  if (method === 'initialize') {
    const serverInfo = { name: 'file-mail', version: '1' }
    return { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo }
  }
  if (method === 'tools/list') {
    if (existsSync(join(folder, 'no-list'))) process.exit(1)
    return { tools: listed }
  }
  if (method !== 'tools/call') return undefined
  const value = await tools[params?.name ?? '']?.(params?.arguments ?? {})
  return { content: [{ type: 'text', text: JSON.stringify(value) }], structuredContent: value }
}

createInterface({ input: process.stdin }).on('line', async (line) => {
  const request: Request = JSON.parse(line)
  if (request.id === undefined) return
  const result = await answer(request)
  const error = { code: -32601, message: 'Method not found' }
  const reply = { jsonrpc: '2.0', id: request.id, ...(result ? { result } : { error }) }
  process.stdout.write(`${JSON.stringify(reply)}\n`)
})
process.stdout.on('error', () => {}) // whoever asked is gone

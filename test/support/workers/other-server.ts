/** MCP servers as somebody else writes them: the plainest tools, answers in text alone, unknown arguments refused. */
import { readFileSync, writeFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { listNotes } from '../../../src/vault/list.ts'
import { moveNote } from '../../../src/vault/move.ts'
import { readNote, writeNote } from '../../../src/vault/notes.ts'
import { Vault } from '../../../src/vault/vault.ts'
import type { OtherMail } from '../email/other-mailbox.ts'

type Args = Record<string, string> & { frontmatter?: object }
interface Tool {
  takes: string[]
  call(args: Args): unknown
}

const [kind = 'mail', place = '', deadly = ''] = process.argv.slice(2)

/** How a call goes wrong is written in the file of the mailbox, by the name of its tool. */
interface Mailbox {
  inbox: OtherMail[]
  sent: OtherMail[]
  faults: Record<string, string>
}

const mailbox = (): Mailbox => JSON.parse(readFileSync(place, 'utf8'))
const fail = (error: string, message = 'the service says no') => {
  throw { error, message, details: {} }
}

function take({ to = '', subject = '', body = '' }: Args): OtherMail {
  const box = mailbox()
  const id = `sent-${box.sent.length + 1}`
  const mail = { id, subject, sender: 'me@example.org', to, date: new Date().toISOString(), body }
  writeFileSync(place, JSON.stringify({ ...box, sent: [mail, ...box.sent] }))
  return mail
}

const mailTools: Record<string, Tool> = {
  list_emails: {
    takes: ['query', 'max_results'],
    call: ({ query }) => {
      const mails = query === 'in:sent' ? mailbox().sent : mailbox().inbox
      return { emails: mails.map(({ body, to, ...head }) => ({ ...head, snippet: body })) }
    },
  },
  get_email: {
    takes: ['message_id'],
    call: ({ message_id }) => {
      const { inbox, sent } = mailbox()
      const mail = [...inbox, ...sent].find(({ id }) => id === message_id) ?? fail('not_found')
      return mail?.subject.startsWith('odd') ? { ...mail, body: 7 } : mail
    },
  },
  send_email: {
    takes: ['to', 'subject', 'body', 'reply_to_message_id'],
    call: (args) => {
      const { id, date } = take(args)
      if (mailbox().faults.send_email === 'die after') process.exit(1)
      return { message_id: id, thread_id: id, sent_at: date }
    },
  },
}

const vault = new Vault(place)
const noteTools: Record<string, Tool> = {
  read_note: {
    takes: ['path'],
    call: async ({ path = '' }) => without(await readNote(vault, path)),
  },
  write_note: {
    takes: ['path', 'frontmatter', 'body'],
    call: async ({ path = '', frontmatter, body = '' }) =>
      without(await writeNote(vault, { path, frontmatter: { ...frontmatter }, body })),
  },
  list_notes: {
    takes: ['directory', 'filter'],
    call: ({ directory = '', filter }) =>
      listNotes(vault, { directory, ...(filter === undefined ? {} : { filter }) }),
  },
  move_note: {
    takes: ['source', 'destination'],
    call: async ({ source = '', destination = '' }) => {
      await moveNote(vault, { source, destination })
      return { moved: true }
    },
  },
}

const without = ({ etag: _, ...note }: { etag: string }) => note

const tools = kind === 'mail' ? mailTools : noteTools

async function answer(name: string, args: Args): Promise<object | undefined> {
  const tool = tools[name]
  const fault = kind === 'mail' ? mailbox().faults[name] : name === deadly ? 'die' : undefined
  if (fault === 'hang') return undefined
  if (fault === 'die') process.exit(1)
  try {
    const strange = Object.keys(args).find((key) => !tool?.takes.includes(key))
    if (strange) fail('invalid_request', `unknown argument ${strange}`)
    if (fault && fault !== 'die after') fail(fault)
    return text(await tool?.call(args))
  } catch (error) {
    const { code, message } =
      error instanceof Error
        ? { code: '', ...error, message: error.message }
        : { code: '', message: '' }
    return { ...text(error instanceof Error ? { error: code, message } : error), isError: true }
  }
}

const text = (value: unknown) => ({ content: [{ type: 'text', text: JSON.stringify(value) }] })
const listed = Object.entries(tools).map(([name, { takes }]) => ({
  name,
  inputSchema: { type: 'object', properties: Object.fromEntries(takes.map((key) => [key, {}])) },
}))

createInterface({ input: process.stdin }).on('line', async (line) => {
  const { id, method, params } = JSON.parse(line)
  if (id === undefined) return
  const reply = (result: object) =>
    process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, result })}\n`)
  if (method === 'initialize') {
    const serverInfo = { name: 'other', version: '1' }
    reply({ protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo })
  } else if (method === 'tools/list') reply({ tools: listed })
  else if (method === 'tools/call') {
    const result = await answer(params.name, params.arguments ?? {})
    if (result) reply(result)
  } else reply({})
})

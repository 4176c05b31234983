/** A gmail server of somebody else: gives the mails of a file as they are, and tells everything it knows when it fails. */
import { appendFileSync, readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'

/** @param file of JSON: mails, and what it says when it fails. @param seen where it writes what it was given. */
const [file = '', seen = ''] = process.argv.slice(2)
const note = (what: object) => appendFileSync(seen, `${JSON.stringify(what)}\n`)

interface Mail {
  id: string
  subject?: string
  sender?: string
  body?: string
  fault?: 'dies' | 'refuses' | 'misfits'
}
interface Plan {
  mails: Mail[]
  words?: string
  isBroken?: boolean
}
const plan: Plan = JSON.parse(readFileSync(file, 'utf8'))
const { words = '' } = plan
note({ env: process.env })
process.stderr.write(`${words.replaceAll('\n', ' ')}\n`)
if (plan.isBroken) process.exit(1)

const write = (message: object) =>
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
const told = (value: object, isError = false) => ({
  content: [{ type: 'text', text: JSON.stringify(value) }],
  ...(isError ? { isError } : { structuredContent: value }),
})
const failed = (error: string) =>
  told({ error, message: words, details: { words, outcome: words } }, true)

const tools: Record<string, (args: Record<string, unknown>) => object> = {
  list_emails: () => told({ emails: plan.mails.map(({ id, subject }) => ({ id, subject })) }),
  get_email: ({ message_id }) => {
    const mail = plan.mails.find(({ id }) => id === message_id)
    if (mail?.fault === 'dies') process.exit(1)
    if (mail?.fault === 'refuses') return failed('internal_error')
    return told(mail?.fault === 'misfits' ? { id: 7, subject: words } : { ...mail })
  },
  send_email: (args) => {
    note({ sent: args })
    return words === '' ? told({ message_id: 'sent-1' }) : failed('send_failed')
  },
}

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line)
  if (method === 'initialize') {
    const { protocolVersion } = params
    const serverInfo = { name: 'stand-in', version: '1' }
    write({ id, result: { protocolVersion, capabilities: { tools: {} }, serverInfo } })
  } else if (method === 'tools/list') {
    const listed = Object.keys(tools).map((name) => ({ name, inputSchema: { type: 'object' } }))
    write({ id, result: { tools: listed } })
  } else if (method === 'tools/call') {
    write({ id, result: tools[params.name]?.(params.arguments) ?? failed('not_found') })
  }
})

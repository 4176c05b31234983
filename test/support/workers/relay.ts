/** Stands between a client and an MCP server, notes every call of a tool, and stops for good at the one it is told. */
import { spawn } from 'node:child_process'
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

const [folder = '', program = '', ...args] = process.argv.slice(2)
const server = spawn(program, args, { stdio: ['pipe', 'pipe', 'inherit'] })

interface Message {
  id?: number | string
  method?: string
  params?: { name?: string; arguments?: Record<string, unknown> }
}
type Side = 'before' | 'after'

const at = (name: string) => join(folder, name)

/** What is asked, with its number among the calls of this run over all relays. */
function noted({ params }: Message): { call: string; count: number } {
  const { path, source, destination, directory, message_id } = params?.arguments ?? {}
  const about = [path ?? source ?? directory ?? message_id, destination].filter(Boolean)
  const call = [params?.name, ...about].join(' ')
  appendFileSync(at('calls'), `${call}\n`)
  return { call, count: readFileSync(at('calls'), 'utf8').trimEnd().split('\n').length }
}

/** The file says on which side, and the call by its number or by what it begins with: `2. send_email` is the second of them. Once. */
function isStop(side: Side, { call, count }: { call: string; count: number }): boolean {
  const [wantedSide, ...words] = existsSync(at('stop'))
    ? readFileSync(at('stop'), 'utf8').split(' ')
    : []
  const [, which, start] = /^(\d+)\. (.*)$/.exec(words.join(' ')) ?? []
  const wanted = start ?? words.join(' ')
  const alike = readFileSync(at('calls'), 'utf8').split('\n').slice(0, count)
  const isOne =
    which === undefined || alike.filter((one) => one.startsWith(wanted)).length === Number(which)
  const isIt = wanted === String(count) || (wanted !== '' && call.startsWith(wanted) && isOne)
  if (side !== wantedSide || !isIt || existsSync(at('stopped'))) return false
  writeFileSync(at('stopped'), call)
  return true
}

const calls = new Map<unknown, { call: string; count: number }>()
let held = ''

createInterface({ input: process.stdin })
  .on('line', (line) => {
    const message: Message = JSON.parse(line)
    if (message.method === 'tools/call') {
      const call = noted(message)
      calls.set(message.id, call)
      if (isStop('before', call)) {
        held = `${line}\n`
        return
      }
    }
    server.stdin.write(`${line}\n`)
  })
  // Whoever asked is gone, and what was asked is done all the same.
  .on('close', () => server.stdin.end(held))

createInterface({ input: server.stdout }).on('line', (line) => {
  const call = calls.get(JSON.parse(line).id)
  if (!call || !isStop('after', call)) process.stdout.write(`${line}\n`)
})
process.stdout.on('error', () => {})
server.on('exit', (code) => process.exit(code ?? 1))

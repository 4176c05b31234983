/** An MCP server that behaves as its argument says when it starts, and as the tool's name says when it is called. */
import { spawn } from 'node:child_process'
import { appendFileSync, closeSync, readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'

const [start = 'good', starts = ''] = process.argv.slice(2)

if (start === 'wrapped') {
  spawn(process.execPath, [process.argv[1] ?? '', 'stubborn', starts], { stdio: 'inherit' })
}
appendFileSync(starts, `${process.pid}\n`)
const isFirst = () => readFileSync(starts, 'utf8').split('\n').length === 2

if (start === 'dies') process.exit(3)
if (start === 'tattles') {
  process.stderr.write('starting\nno account for token hunter2-is-secret\n')
  process.exit(1)
}
if (start === 'stubborn' || start === 'wrapped') {
  process.on('SIGTERM', () => {})
  setInterval(() => {}, 1000)
}

interface Request {
  id?: number | string
  method: string
  params?: { name?: string; arguments?: Record<string, unknown>; cursor?: string; _meta?: object }
}

const write = (message: object) =>
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
const result = (id: Request['id'], content: object) =>
  write({ id, result: { resultType: 'complete', ...content } })
const refuse = (id: Request['id'], code: number, message: string) =>
  write({ id, error: { code, message } })
const text = (value: string, more: object = {}) => ({
  content: [{ type: 'text', text: value }],
  ...more,
})
const value = { name: 'Ada', count: 1 }

/** Writes on and on, as fast as it is read. */
function flood(line: string): void {
  const again = () => {
    while (process.stdout.write(line.repeat(1000)));
    process.stdout.once('drain', again)
  }
  again()
}

const tools: Record<string, (id: Request['id'], args: Record<string, unknown>) => unknown> = {
  good: (id) => result(id, text(JSON.stringify(value), { structuredContent: value })),
  text_only: (id) => result(id, text(JSON.stringify(value))),
  second_text: (id) =>
    result(id, {
      content: [
        { type: 'image', data: '', mimeType: 'image/png' },
        ...text(JSON.stringify(value)).content,
      ],
    }),
  slow: (id) => setTimeout(() => result(id, text(JSON.stringify(value))), 100),
  big: (id) => result(id, text(JSON.stringify({ ...value, name: 'x'.repeat(9 << 20) }))),
  measure: (id, { body }) =>
    result(id, text(JSON.stringify({ name: '', count: String(body).length }))),
  wrong_shape: (id) =>
    result(id, text('{}', { structuredContent: { name: 'private words', count: 'x' } })),
  no_json: (id) => result(id, text('hello')),
  no_result: (id) => result(id, { content: 'nonsense' }),
  error_json: (id, { code }) =>
    result(
      id,
      text(
        JSON.stringify({
          error: code,
          message: 'it said: hunter2-is-secret\nand more',
          details: { path: 'a.md', hint: ['hunter2-is-secret'] },
        }),
        { isError: true },
      ),
    ),
  error_text: (id) => result(id, text('broken: hunter2-is-secret', { isError: true })),
  error_empty: (id) => result(id, { content: [], isError: true }),
  rpc_error: (id) => refuse(id, -32602, 'Unknown tool'),
  garbage: (id) => {
    process.stdout.write('warning: what\n{"a":1}\n[]\n\n{"jsonrpc":"2.0","id":777,"result":{}}\n')
    result(id, text(JSON.stringify(value)))
  },
  noise: (id) => {
    process.stderr.write('noise '.repeat(1 << 20))
    result(id, text(JSON.stringify(value)))
  },
  env: (id) =>
    result(id, text(JSON.stringify({ name: Object.keys(process.env).join(), count: 1 }))),
  hang: () => {},
  spin: () => {
    for (;;);
  },
  flood: () => flood('garbage\n'),
  endless_line: () => flood('garbage'),
  progress: (id) =>
    flood(
      `${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken: id, progress: 1 } })}\n`,
    ),
  die: () => process.exit(1),
  die_first: (id) => (isFirst() ? process.exit(1) : tools.good?.(id, {})),
  close_first: (id) => (isFirst() ? closeSync(1) : tools.good?.(id, {})),
  pid: (id) => result(id, text(JSON.stringify({ name: '', count: process.pid }))),
}

const isModern = start === 'modern'
const pages = [
  [{ name: 'good', inputSchema: { type: 'object', properties: { first: {} } } }],
  [
    { name: 'last', inputSchema: { type: 'object', properties: { if_match: { type: 'string' } } } },
    { name: 'bare', inputSchema: { type: 'object' } },
  ],
]

createInterface({ input: process.stdin }).on('line', (line) => {
  if (start === 'hangs') return
  const { id, method, params }: Request = JSON.parse(line)
  if (id === undefined) return
  const capabilities = { tools: {} }
  if (method === 'server/discover' && isModern) {
    result(id, { supportedVersions: ['2026-07-28'], capabilities, ttlMs: 0, cacheScope: 'private' })
  } else if (method === 'initialize' && !isModern) {
    const serverInfo = { name: 'stand-in', version: '1' }
    result(id, { protocolVersion: '2025-11-25', capabilities, serverInfo })
  } else if (method === 'tools/list') {
    appendFileSync(`${starts}.lists`, '.')
    const page = Number(params?.cursor ?? 0)
    result(id, {
      tools: pages[page],
      ttlMs: 0,
      cacheScope: 'private',
      ...(page === 0 ? { nextCursor: '1' } : {}),
    })
  } else if (method === 'tools/call') {
    tools[params?.name ?? '']?.(id, params?.arguments ?? {})
  } else {
    refuse(id, -32601, 'Method not found')
  }
})

/** A small DNS server of a test's own: it knows the names that it is told, and no others. */
import { createSocket } from 'node:dgram'
import { onTestFinished } from 'vitest'

/** What is known of a name. */
export interface DnsRecords {
  A?: string[]
  MX?: { priority: number; exchange: string }[]
  SRV?: { priority: number; weight: number; port: number; name: string }[]
}

const types = { 1: 'A', 15: 'MX', 33: 'SRV' } as const
const noSuchName = 3

/** Gives its address, and the names that it was asked for. */
export async function startDnsServer(
  records: Record<string, DnsRecords>,
): Promise<{ address: string; asked: string[] }> {
  const socket = createSocket('udp4')
  const asked: string[] = []
  socket.on('message', (query, { port, address }) => {
    const { name, end } = nameIn(query)
    asked.push(name)
    const type = query.readUInt16BE(end)
    const answers = answersTo(records[name], type)
    const head = Buffer.alloc(12)
    query.copy(head, 0, 0, 2)
    head.writeUInt16BE(0x8180 | (records[name] ? 0 : noSuchName), 2)
    head.writeUInt16BE(1, 4)
    head.writeUInt16BE(answers.length, 6)
    const told = answers.map((data) => Buffer.concat([answerHead(type, data.length), data]))
    socket.send(Buffer.concat([head, query.subarray(12, end + 4), ...told]), port, address)
  })
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve))
  onTestFinished(() => void socket.close())
  return { address: `127.0.0.1:${socket.address().port}`, asked }
}

function nameIn(query: Buffer): { name: string; end: number } {
  const labels: string[] = []
  let at = 12
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length))
    at += 1 + length
  }
  return { name: labels.join('.').toLowerCase(), end: at + 1 }
}

function answersTo(known: DnsRecords | undefined, type: number): Buffer[] {
  const name = type === 1 || type === 15 || type === 33 ? types[type] : undefined
  if (!known || !name) return []
  if (name === 'A') return (known.A ?? []).map((ip) => Buffer.from(ip.split('.').map(Number)))
  if (name === 'MX') {
    return (known.MX ?? []).map(({ priority, exchange }) =>
      Buffer.concat([numbers(priority), encoded(exchange)]),
    )
  }
  return (known.SRV ?? []).map(({ priority, weight, port, name: target }) =>
    Buffer.concat([numbers(priority, weight, port), encoded(target)]),
  )
}

/** The name of the question, the type, IN, a minute. */
const answerHead = (type: number, length: number): Buffer =>
  Buffer.concat([numbers(0xc00c, type, 1, 0, 60), numbers(length)])

const numbers = (...values: number[]): Buffer => {
  const bytes = Buffer.alloc(2 * values.length)
  for (const [index, value] of values.entries()) bytes.writeUInt16BE(value, 2 * index)
  return bytes
}

const encoded = (name: string): Buffer =>
  Buffer.concat([
    ...name
      .split('.')
      .filter((label) => label !== '')
      .map((label) => Buffer.concat([Buffer.from([label.length]), Buffer.from(label, 'latin1')])),
    Buffer.from([0]),
  ])

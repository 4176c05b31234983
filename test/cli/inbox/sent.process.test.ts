/** agentmail sent, what send warns of, and who acts where two have one name. */
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { agentmail } from '../../support/agentmail.ts'
import { openAgent, openPlace, ways } from '../../support/coordination/coordination.ts'
import { repository } from '../../support/mailbox/tmux.ts'

const sentSchema = z.strictObject({
  sent: z.array(
    z.strictObject({
      id: z.string(),
      to: z.string(),
      at: z.string().nullable(),
      state: z.enum(['queued', 'notified', 'read']),
      state_at: z.string().nullable(),
      text: z.string(),
    }),
  ),
})

/** A repository whose agents have no tmux. */
function office() {
  const folder = repository()
  const as = async (name: string, ...args: string[]) =>
    agentmail(args, { cwd: folder, env: { AGENTMAIL_AGENT: name } })
  const sent = async (name: string, ...args: string[]) => {
    const { stdout, stderr, exitCode } = await as(name, 'sent', '--json', ...args)
    expect([stderr, exitCode]).toEqual(['', 0])
    return sentSchema.parse(JSON.parse(stdout)).sent
  }
  const file = (name: string) => join(folder, '.agentmail', name)
  return { folder, as, sent, file }
}

const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString()

describe('mail that was sent', () => {
  it('is queued, then read, newest first, and makes no database', async () => {
    const { as, sent, file } = office()
    for (const name of ['ann', 'bob', 'cyd']) await as(name, 'recipients')
    for (const [to, text] of [
      ['bob', 'one'],
      ['cyd', 'two\nlines'],
      ['bob', 'three'],
    ] as const) {
      expect((await as('ann', 'send', to, text)).stderr).toBe('')
    }
    await as('cyd', 'send', 'bob', 'not of ann')
    const states = async (...args: string[]) =>
      (await sent('ann', ...args)).map(({ to, state, text }) => `${to} ${state} ${text}`)
    expect(await states()).toEqual(['bob queued three', 'cyd queued two\nlines', 'bob queued one'])
    const received = JSON.parse((await as('bob', 'receive', '--json')).stdout)
    const [, , first] = await sent('ann')
    expect(received).toEqual({ from: 'ann', id: first?.id, message: 'one', at: first?.at })
    expect(first).toMatchObject({ state: 'read', state_at: expect.stringMatching(/Z$/) })
    expect(Date.parse(first?.state_at ?? '')).toBeGreaterThanOrEqual(Date.parse(first?.at ?? ''))
    expect(await states('--to', 'bob')).toEqual(['bob queued three', 'bob read one'])
    expect(await states('--limit', '1')).toEqual(['bob queued three'])
    expect(await states('--to', 'nobody')).toEqual([])
    const table = (await as('ann', 'sent')).stdout
    expect(table).toMatch(/^ID +TO +SENT +STATE +SINCE +TEXT\n/)
    expect(table).toMatch(/ cyd .* queued +two\n/)
    expect((await as('dan', 'sent')).stdout).toBe('Nothing was sent\n')
    expect((await as('x', 'sent', '--as', 'cyd', '--json')).stdout).toContain('not of ann')
    expect(existsSync(file('agentmail.db'))).toBe(false)
    expect(statSync(file('receipts')).mode & 0o777).toBe(0o700)
    expect(statSync(file('receipts/bob.jsonl')).mode & 0o777).toBe(0o600)
    for (const limit of ['0', '501', 'x', '-1']) {
      const { stderr, exitCode } = await as('ann', 'sent', `--limit=${limit}`)
      expect([stderr, exitCode]).toEqual([
        ...[`error: --limit must be a whole number from 1 to 500, not "${limit}"\n`, 1],
      ])
    }
  })

  it('is told as its line has it where a receipt is missing, torn or in the way', async () => {
    const { as, sent, file } = office()
    for (const name of ['ann', 'bob']) await as(name, 'recipients')
    for (const text of ['one', 'two', 'three']) await as('ann', 'send', 'bob', text)
    await as('bob', 'receive')
    writeFileSync(file('receipts/bob.jsonl'), '{"id":"torn')
    expect((await sent('ann')).map(({ state, state_at }) => [state, state_at])).toEqual([
      ...[
        ['queued', null],
        ['queued', null],
        ['read', null],
      ],
    ])
    const [, two] = await sent('ann')
    const lines = [
      { id: two?.id, state: 'read', at: '2026-01-01T00:00:00.000Z' },
      { id: two?.id, state: 'notified', at: '2026-01-02T00:00:00.000Z' },
    ]
    expect((await as('bob', 'receive')).stderr).toBe('')
    expect(readFileSync(file('receipts/bob.jsonl'), 'utf8').split('\n')).toHaveLength(3)
    // A state never goes back, whatever stands later.
    writeFileSync(file('receipts/bob.jsonl'), lines.map((one) => JSON.stringify(one)).join('\n'))
    expect((await sent('ann'))[1]).toMatchObject({ state: 'read', state_at: lines[0]?.at })
    writeFileSync(file('receipts/x'), '')
    await agentmail(['cleanup', '--delivered-hours', '0'], { cwd: file('..') })
    expect(readdirSync(file('mailboxes'))).toEqual(['bob.jsonl'])
    const kept = readFileSync(file('receipts/bob.jsonl'), 'utf8')
    expect(kept).toBe(`${JSON.stringify(lines[0])}\n`) // that it was read outlives it
    expect((await as('bob', 'receive')).stdout).toContain('three')
    expect(readFileSync(file('receipts/bob.jsonl'), 'utf8')).toContain('"state":"read"')
  })

  it('is handed over where no receipt can be written', async () => {
    const { as, file, sent } = office()
    for (const name of ['ann', 'bob']) await as(name, 'recipients')
    await as('ann', 'send', 'bob', 'hello')
    const { mkdirSync } = await import('node:fs')
    mkdirSync(file('receipts/bob.jsonl'))
    const { stdout, stderr, exitCode } = await as('bob', 'receive')
    expect([stdout.includes('hello'), exitCode]).toEqual([true, 0])
    expect(stderr).toMatch(/^agentmail: a receipt was not noted: /)
    expect((await as('ann', 'sent')).exitCode).toBe(1)
    expect(await sent('cyd')).toEqual([])
  })

  it('is sent with a warning where the recipient is offline or was silent for long', async () => {
    const { as, file } = office()
    await as('ann', 'recipients')
    const warned = async (fields: object) => {
      writeFileSync(
        file('recipients.jsonl'),
        `${JSON.stringify({ name: 'bob', pane: null, ...fields })}\n`,
      )
      const { stdout, stderr, exitCode } = await as('ann', 'send', 'bob', 'hello', '--json')
      expect(exitCode).toBe(0)
      const { message_id, warning } = JSON.parse(stdout)
      expect(message_id).toHaveLength(8)
      expect(stderr).toBe(warning === undefined ? '' : `warning: ${warning}\n`)
      return warning
    }
    expect(await warned({})).toBeUndefined() // never heard of
    expect(await warned({ updated_at: minutesAgo(29) })).toBeUndefined()
    expect(await warned({ updated_at: minutesAgo(31) })).toBe('bob was not heard of for 31 min')
    expect(await warned({ updated_at: minutesAgo(31), last_read_at: Date.now() })).toBeUndefined()
    expect(await warned({ updated_at: minutesAgo(31), status_at: minutesAgo(1) })).toBeUndefined()
    expect(await warned({ status: 'offline', updated_at: minutesAgo(1) })).toBe('bob is offline')
    expect(await warned({ status: 'offline', updated_at: minutesAgo(3 * 24 * 60) })).toBe(
      'bob is offline and was not heard of for 3 days',
    )
  })
})

describe.each(ways)('through %s', (way) => {
  it('tells what became of mail and messages together, and who has another name is not asked', async () => {
    const place = await openPlace(way, { AGENTMAIL_AGENT: 'ann' })
    const bob = await openAgent(place, 'bob')
    await place.json(['recipients'], { env: { AGENTMAIL_AGENT: 'cyd' } })
    await place.json(['post', 'Plan', 'the body', '--channel', '@bob'])
    await place.json(['send', 'cyd', 'mail'])
    await place.json(['post', 'to all', 'x'])
    await place.json(['post', 'Beginning', 'Beginning\nand end', '--channel', '@bob'])
    const sent = async (...args: string[]) =>
      sentSchema.parse(await place.json(['sent', ...args])).sent
    const told = async () => (await sent()).map((one) => `${one.to} ${one.state} ${one.text}`)
    expect(await told()).toEqual([
      ...['bob queued Beginning\nand end', 'cyd queued mail', 'bob queued Plan\nthe body'],
    ])
    expect(await bob.call('read_messages', { unread: true, limit: 1 })).toMatchObject({
      ...{ messages: [{ subject: 'Plan' }], has_more: true },
    })
    await place.json(['receive'], { env: { AGENTMAIL_AGENT: 'cyd' } })
    expect(await told()).toEqual([
      ...['bob queued Beginning\nand end', 'cyd read mail', 'bob read Plan\nthe body'],
    ])
    expect((await sent('--to', 'bob')).map(({ id }) => id)).toEqual(['3', '1'])
    expect(await sent('--as', bob.id)).toEqual([])
  })

  it('does not go back where a letter that was in a channel too was read and removed', async () => {
    const place = await openPlace(way, { AGENTMAIL_AGENT: 'ann' })
    const cyd = { env: { AGENTMAIL_AGENT: 'cyd' } }
    await place.json(['recipients'], cyd)
    await place.json(['post', 'first', 'first', '--channel', '@cyd'])
    await place.json(['receive'], cyd)
    await place.json(['post', 'second', 'second', '--channel', '@cyd'])
    const states = async () =>
      sentSchema.parse(await place.json(['sent'])).sent.map(({ state, state_at }) => ({
        ...{ state, state_at },
      }))
    const before = await states()
    expect(before.map(({ state }) => state)).toEqual(['queued', 'read'])
    await place.json(['cleanup', '--delivered-hours', '0'])
    expect(await states()).toEqual(before)
    await place.json(['receive'], cyd)
    await place.json(['cleanup', '--delivered-hours', '0'])
    expect((await states()).map(({ state }) => state)).toEqual(['read', 'read'])
  })

  it('refuses a name that two living agents have, and takes an id', async () => {
    const place = await openPlace(way)
    const one = await openAgent(place, 'coder')
    await one.call('claim_files', { files: ['one.ts'] })
    const as = (name: string) => place.run(['claim', 'a.ts', '--as', name])
    expect((await as('coder')).exitCode).toBe(0)
    const other = await openAgent(place, 'coder', { role: 'reviewer' })
    const { stdout, stderr, exitCode } = await as('coder')
    expect([stdout, exitCode]).toEqual(['', 1])
    expect(stderr).toMatch(/^error: 2 living agents are called "coder"\nSay which one you are:\n/)
    for (const line of [`  --as ${one.id} (coder)`, `  --as ${other.id} (reviewer)`]) {
      expect(stderr.split('\n')).toContain(line)
    }
    expect((await as(one.id)).exitCode).toBe(0)
    expect((await as(other.id)).exitCode).toBe(1) // the first holds it
    const { agents } = z
      .object({ agents: z.array(z.object({ name: z.string() })) })
      .parse(await place.json(['agents']))
    expect(agents.map(({ name }) => name)).toEqual(['coder', 'coder'])
  })
})

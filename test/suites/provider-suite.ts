/**
 * What every mail provider must do: `providerSuite('smtp', can, open)`, where `open()` gives a `Harness`.
 * `received()` is everything that the service has taken so far; `breakNext` lets the next send meet
 * one of `can.faults` (those that the service can be made to have), and is over after that send.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { AgentMailError, isNotSent } from '../../src/errors.ts'
import type { Address } from '../../src/mime/mail.ts'
import type { OutgoingMail, Provider } from '../../src/providers/provider.ts'
import { never, outgoingMail } from '../support/email/outgoing-mail.ts'
import type { ReceivedMail } from '../support/email/received-mail.ts'

export type Fault =
  | 'refuses' // a clear no: certainly not sent
  | 'refuses-login'
  | 'limits' // too many requests
  | 'loses-reply' // takes the mail, then the connection breaks
  | 'hangs' // takes the mail and never answers

export interface Harness {
  provider: Provider
  received(): Promise<ReceivedMail[]>
  breakNext?(fault: Fault): void | Promise<void>
  /** Tokens and passwords, and words of the service: in no error. */
  secrets?: readonly string[]
  /** Who the mails are from, where the account decides it. */
  from?: Address
  close(): Promise<void>
}

/** What of the suite a provider can be held to. */
interface Abilities {
  faults?: readonly Fault[]
  /** Whether a mail can be found again by its key. */
  finds?: boolean
}

export const allFaults: Fault[] = ['refuses', 'refuses-login', 'limits', 'loses-reply', 'hangs']

const person = (address: string, name = ''): Address => ({ name, address })

export function providerSuite(
  name: string,
  { faults = [], finds = false }: Abilities,
  open: () => Harness | Promise<Harness>,
): void {
  const itIf = (isThere: boolean) => (isThere ? it : (_: string, __: () => void) => {})

  describe(`mail through ${name}`, () => {
    let harness: Harness
    beforeAll(async () => {
      harness = await open()
    })
    afterAll(() => harness.close())

    const mailWith = (fields: Partial<OutgoingMail>): OutgoingMail =>
      outgoingMail({
        from: harness.from ?? person('agent@example.org', 'Agent, Smith'),
        ...fields,
      })
    const send = (fields: Partial<OutgoingMail>, signal = new AbortController().signal) =>
      harness.provider.send(mailWith(fields), signal)
    const arrivedWith = async (subject: string) =>
      (await harness.received()).filter((mail) => mail.subject === subject)

    /** What a send throws, for a service that is broken in this way. */
    async function failure(fault: Fault, subject: string, signal?: AbortSignal): Promise<unknown> {
      await harness.breakNext?.(fault)
      const error = await send({ subject }, signal).then(
        () => undefined,
        (thrown: unknown) => thrown,
      )
      expect(error).toBeInstanceOf(Error)
      for (const secret of harness.secrets ?? []) expect(toldBy(error)).not.toContain(secret)
      return error
    }

    it('delivers exactly what was asked, to exactly those who were named, once', async () => {
      const before = (await harness.received()).length
      const mail = mailWith({
        to: [person('jane@example.com', 'Doe, Jane "JD"'), person('taro@example.com', '山田 👩‍💻')],
        cc: [person('cc@example.com', "O'Neil Jr.")],
        bcc: [person('secret@example.net', 'Hidden'), person('other@example.net')],
        reply_to: [person('answers@example.org', 'Answers')],
        subject: `Ünïcode 👍 ${'long subject 山 '.repeat(30)}`.slice(0, 399).concat('!'),
        text: `Grüße 👩‍💻\n.dot\nFrom here\n\n${'x'.repeat(5000)}\nend`,
        html: '<p>Grüße <b>👩‍💻</b></p>',
        attachments: [
          {
            name: 'Grüße 山.pdf',
            content: Buffer.from([...Array(256).keys()]),
            contentType: 'application/pdf',
          },
          { name: 'a.txt', content: Buffer.from('a\r\nb\nc'), contentType: 'text/plain' },
        ],
      })
      const receipt = await send(mail)
      expect(receipt.message_id).not.toBe('')
      expect(receipt.sent_at).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+(Z|[+-]\d\d:\d\d)$/)

      const all = await harness.received()
      expect(all).toHaveLength(before + 1)
      const [arrived] = all.filter(({ subject }) => subject === mail.subject)
      const { headers, text = '', html = '', bcc = [], ...rest } = arrived ?? {}
      // By it an answer is known.
      if (receipt.header_id !== undefined && headers?.['message-id'] !== undefined) {
        expect(headers['message-id']).toBe(receipt.header_id)
      }
      const { from, to, cc, reply_to, subject, attachments } = mail
      expect(rest).toEqual({ from, to, cc, reply_to, subject, attachments })
      expect([body(text), body(html)]).toEqual([mail.text, mail.html])
      expect(bcc.toSorted()).toEqual(['other@example.net', 'secret@example.net'])
      expect(headers?.bcc).toBeUndefined()
      expect(JSON.stringify(headers)).not.toMatch(/example\.net|Hidden/)
    })

    it('delivers to nobody of whom only a name speaks', async () => {
      const names = [
        'eve@evil.example',
        'eve@evil.example, Jane',
        '<eve@evil.example>, "Jane',
        'Jane" <eve@evil.example>, "',
        'team: eve@evil.example; Jane',
        'Jane (eve@evil.example)',
        'ü@evil.example, Jane',
      ]
      for (const [number, name] of names.entries()) {
        const subject = `named ${number}`
        await send({
          ...{ subject, to: [person('jane@example.com', name)] },
          ...{ cc: [person('cc@example.com', name)], bcc: [person('bcc@example.com', name)] },
        })
        const [arrived] = await arrivedWith(subject)
        expect(arrived).toMatchObject({
          to: [person('jane@example.com', name)],
          cc: [person('cc@example.com', name)],
          bcc: ['bcc@example.com'],
        })
      }
    })

    it('delivers a mail of text alone and one of HTML alone', async () => {
      await send({ subject: 'text alone', text: 'só', html: undefined })
      await send({ subject: 'html alone', text: undefined, html: '<i>só</i>' })
      const [text] = await arrivedWith('text alone')
      const [html] = await arrivedWith('html alone')
      expect([body(text?.text), body(text?.html)]).toEqual(['só', ''])
      expect(body(html?.html)).toBe('<i>só</i>')
      expect([text?.cc, text?.bcc, text?.attachments]).toEqual([[], [], []])
    })

    it('delivers each of many mails at once, once', async () => {
      const subjects = Array.from({ length: 20 }, (_, index) => `at once ${index}`)
      const receipts = await Promise.all(
        subjects.map((subject) =>
          send({ subject, to: [person(`${subject.replaceAll(' ', '')}@example.com`)] }),
        ),
      )
      expect(new Set(receipts.map(({ message_id }) => message_id)).size).toBe(20)
      const arrived = (await harness.received()).filter(({ subject }) =>
        subject.startsWith('at once '),
      )
      expect(arrived.map(({ subject }) => subject).toSorted()).toEqual(subjects.toSorted())
      for (const { subject, to } of arrived) {
        expect(to).toEqual([person(`${subject.replaceAll(' ', '')}@example.com`)])
      }
    })

    it('sends nothing with a line break in a header', async () => {
      const evil = 'injected\r\nBcc: evil@example.com'
      for (const fields of [
        { subject: evil },
        { to: [person('a@example.com', evil)] },
        { key: evil },
      ]) {
        const error = await send(fields).catch((thrown: unknown) => thrown)
        expect(isNotSent(error)).toBe(true)
      }
      expect(JSON.stringify(await harness.received())).not.toContain('injected')
    })

    const refusals = {
      refuses: undefined,
      'refuses-login': 'auth_required',
      limits: 'rate_limited',
    }
    for (const [fault, code] of Object.entries(refusals)) {
      const known = faults.find((one) => one === fault)
      if (!known) continue
      it(`says that nothing was sent when the service ${fault}`, async () => {
        const error = await failure(known, `it ${fault}`)
        expect(isNotSent(error)).toBe(true)
        if (AgentMailError.is(error) && code) expect(error.code).toBe(code)
        expect(await arrivedWith(`it ${fault}`)).toEqual([])
        await send({ subject: `after it ${fault}` })
        expect(await arrivedWith(`after it ${fault}`)).toHaveLength(1)
      })
    }

    itIf(faults.includes('loses-reply'))(
      'does not say that nothing was sent when the reply is lost, and sends nothing again',
      async () => {
        expect(isNotSent(await failure('loses-reply', 'lost reply'))).toBe(false)
        await send({ subject: 'after the lost reply' })
        expect(await arrivedWith('lost reply')).toHaveLength(1)
        expect(await arrivedWith('after the lost reply')).toHaveLength(1)
      },
    )

    itIf(faults.includes('hangs'))(
      'ends when it is told to while the service hangs, and does not say that nothing was sent',
      async () => {
        const stop = new AbortController()
        const arrived = (async () => {
          while ((await arrivedWith('hanging')).length === 0) await new Promise(setImmediate)
          stop.abort()
        })()
        expect(isNotSent(await failure('hangs', 'hanging', stop.signal))).toBe(false)
        await arrived
        expect(await arrivedWith('hanging')).toHaveLength(1)
      },
    )

    it('sends nothing when it is told to end before it began', async () => {
      const error = await send({ subject: 'too late' }, AbortSignal.abort()).catch(
        (thrown: unknown) => thrown,
      )
      expect(error).toBeInstanceOf(Error)
      expect(await arrivedWith('too late')).toEqual([])
    })

    itIf(finds)('finds a mail by its key', async () => {
      const { provider } = harness
      const since = Date.now() - 60_000
      const receipt = await send({ subject: 'to be found', key: 'key-1' })
      const trace = { key: 'key-1', to: ['jane@example.com'], subject: 'to be found', since }
      expect((await provider.find?.(trace, never))?.message_id).toBe(receipt.message_id)
      expect(await provider.find?.({ ...trace, key: 'key-2' }, never)).toBeUndefined()
    })
  })
}

/** Line ends are the provider's affair, and some end a text with one. */
const body = (text = '') => text.replaceAll('\r\n', '\n').replace(/\n$/, '')

/** All that an error could tell anybody. */
function toldBy(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const details = AgentMailError.is(error) ? JSON.stringify([error.text, error.details]) : ''
  return [error.message, error.stack, details, error.cause && toldBy(error.cause)].join('\n')
}

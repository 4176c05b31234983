/** The suite of all mail providers on Gmail, Postmark and local mail; SMTP has it in a file of its own. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createEmulator } from 'emulate'
import { addressParser } from 'postal-mime'
import * as z from 'zod'
import { Config } from '../../src/config.ts'
import type { Address } from '../../src/mime/mail.ts'
import { openLocalMail } from '../../src/providers/local/local.ts'
import { openPostmark } from '../../src/providers/postmark/postmark.ts'
import { allFaults, type Fault, providerSuite } from '../suites/provider-suite.ts'
import { type ReceivedMail, sendersCopy } from '../support/email/received-mail.ts'
import { FakeGmail } from '../support/providers/fake-gmail.ts'
import type { FaultRule } from '../support/providers/fake-gmail-faults.ts'
import {
  FakePostmark,
  type Fault as PostmarkFault,
  serverToken,
} from '../support/providers/fake-postmark.ts'
import { gmailProvider } from '../support/providers/gmail-provider.ts'

const everything = { faults: allFaults, finds: true }
const words = 'words of the service'

/** Several times 401: one is answered with a new token. */
const gmailFaults: Record<Fault, FaultRule> = {
  refuses: { fault: '400', times: 1 },
  'refuses-login': { fault: '401', times: 2 },
  limits: { fault: '429', times: 1 },
  'loses-reply': { fault: 'lost-reply', times: 1 },
  hangs: { fault: 'slow', delayMs: 5000, times: 1 },
}

providerSuite('gmail', everything, async () => {
  const fake = await FakeGmail.start()
  const token = fake.login.grant()
  const ends: (() => void)[] = []
  return {
    provider: gmailProvider({ apiUrl: fake.url, loginUrl: fake.url, token }, (end) => {
      ends.push(end)
    }),
    received: () => Promise.all(fake.sent.map(({ raw }) => sendersCopy(raw))),
    breakNext: (fault) => fake.fail({ ...gmailFaults[fault], path: /send$/, message: words }),
    secrets: [token.access_token, token.refresh_token, 'secret-of-the-client', words],
    async close() {
      await fake.stop()
      for (const end of ends) end()
    },
  }
})

const listSchema = z.object({ messages: z.array(z.object({ id: z.string() })).default([]) })
const rawSchema = z.object({ raw: z.string() })

providerSuite('a second Gmail, made by others', {}, async () => {
  const emulator = await createEmulator({ service: 'google', port: 0 })
  const ends: (() => void)[] = []
  const token = { access_token: 'any', expiry_date: Date.now() + 3_600_000 }
  const place = { apiUrl: emulator.url, loginUrl: emulator.url, token }
  const ask = async (path: string): Promise<unknown> => {
    const url = `${emulator.url}/gmail/v1/users/me/messages${path}`
    return (await fetch(url, { headers: { authorization: 'Bearer any' } })).json()
  }
  const second = gmailProvider(place, (end) => void ends.push(end))
  return {
    // It forgets the header with the key, so there is nothing to find a mail by.
    provider: {
      name: second.name,
      account: second.account,
      send: (mail, signal) => second.send(mail, signal),
    },
    async received() {
      const { messages } = listSchema.parse(await ask('?q=in:sent&maxResults=500'))
      return Promise.all(
        messages.map(async ({ id }) => {
          const { raw } = rawSchema.parse(await ask(`/${id}?format=raw`))
          return sendersCopy(Buffer.from(raw, 'base64url'))
        }),
      )
    },
    async close() {
      await emulator.close()
      for (const end of ends) end()
    },
  }
})

const postmarkFaults: Record<Fault, PostmarkFault> = {
  refuses: { status: 422, body: { ErrorCode: 300, Message: `${words} ${serverToken}` } },
  'refuses-login': { status: 401, body: { ErrorCode: 10, Message: serverToken } },
  limits: { status: 429, body: { ErrorCode: 429, Message: serverToken } },
  'loses-reply': 'lose the reply',
  hangs: 'never answer',
}

providerSuite('postmark', everything, async () => {
  const ends: (() => void)[] = []
  const fake = await FakePostmark.start((end) => ends.push(end))
  return {
    provider: openPostmark(new Config({}, fake.env)),
    received: async () => fake.sent.map(({ body }) => fromPostmark(body)),
    breakNext: (fault) => void fake.faults.push(postmarkFaults[fault]),
    secrets: [serverToken],
    async close() {
      for (const end of ends) end()
    },
  }
})

const postmarkSchema = z.object({
  From: z.string(),
  To: z.string(),
  Cc: z.string().default(''),
  Bcc: z.string().default(''),
  ReplyTo: z.string().default(''),
  Subject: z.string(),
  TextBody: z.string().default(''),
  HtmlBody: z.string().default(''),
  Attachments: z
    .array(z.object({ Name: z.string(), Content: z.string(), ContentType: z.string() }))
    .default([]),
})

function fromPostmark(body: object): ReceivedMail {
  const mail = postmarkSchema.parse(body)
  return {
    from: people(mail.From)[0],
    to: people(mail.To),
    cc: people(mail.Cc),
    bcc: people(mail.Bcc).map(({ address }) => address),
    reply_to: people(mail.ReplyTo),
    subject: mail.Subject,
    text: mail.TextBody,
    html: mail.HtmlBody,
    attachments: mail.Attachments.map(({ Name, Content, ContentType }) => ({
      name: Name,
      content: Buffer.from(Content, 'base64'),
      contentType: ContentType,
    })),
    headers: {},
  }
}

const people = (list: string): Address[] =>
  addressParser(list).map(({ name, address = '' }) => ({ name, address }))

providerSuite('local', { finds: true }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'agentmail-test-'))
  const sent = join(folder, 'sent')
  return {
    provider: openLocalMail(folder),
    received: () =>
      Promise.all(readdirSync(sent).map((name) => sendersCopy(readFileSync(join(sent, name))))),
    close: async () => rmSync(folder, { recursive: true }),
  }
})

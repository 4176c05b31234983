/** The fake Postmark, held against Postmark's own client: what it takes, refuses and finds again. */
import { Errors, ServerClient } from 'postmark'
import { describe, expect, it } from 'vitest'
import { serverToken } from '../support/providers/fake-postmark.ts'
import { sharedFake } from '../support/providers/postmark.ts'

const fake = sharedFake()

const client = (token = serverToken) =>
  new ServerClient(token, { useHttps: false, requestHost: fake().host })
const mail = { From: 'a@example.com', To: 'b@example.com', Subject: 'Hello', TextBody: 'Hi' }

describe('the fake Postmark', () => {
  it('takes mail and templates, and finds a mail by its metadata', async () => {
    const first = await client().sendEmail({ ...mail, Metadata: { 'agentmail-key': 'k1' } })
    expect(first).toMatchObject({ ErrorCode: 0, Message: 'OK', To: 'b@example.com' })
    const { Subject: _, TextBody: __, ...head } = mail
    const template = { ...head, TemplateAlias: 'welcome', TemplateModel: { name: 'Jane' } }
    expect(await client().sendEmailWithTemplate(template)).toMatchObject({ ErrorCode: 0 })
    const find = (key: string) => client().getOutboundMessages({ 'metadata_agentmail-key': key })
    expect((await find('k1')).Messages.map(({ MessageID }) => MessageID)).toEqual([first.MessageID])
    expect((await find('k2')).Messages).toEqual([])
    expect(fake().sent).toHaveLength(2)
  })

  it('delivers nothing under the test token', async () => {
    const before = fake().sent.length
    expect(await client('POSTMARK_API_TEST').sendEmail(mail)).toMatchObject({ ErrorCode: 0 })
    expect(fake().sent).toHaveLength(before)
  })

  it.each([
    [{ From: 'nobody' }, 300, Errors.InvalidEmailRequestError],
    [{ To: '' }, 300, Errors.InvalidEmailRequestError],
    [{ TextBody: '' }, 300, Errors.InvalidEmailRequestError],
    [{ From: 'a@unconfirmed.example' }, 400, Errors.ApiInputError],
    [{ To: 'b@example.com, inactive@example.com' }, 406, Errors.InactiveRecipientsError],
    [{ MessageStream: 'nowhere' }, 1235, Errors.ApiInputError],
    [
      { Attachments: [{ Name: 'a.exe', Content: 'aGk=', ContentType: 'x/y', ContentID: null }] },
      411,
      Errors.ApiInputError,
    ],
  ])('refuses %j with the code %i', async (change, code, type) => {
    const error = await client()
      .sendEmail({ ...mail, ...change })
      .catch((error) => error)
    expect(error).toBeInstanceOf(type)
    expect(error).toMatchObject({ code, statusCode: 422 })
  })

  it('refuses a token and a template that it does not know', async () => {
    const wrong = await client('other')
      .sendEmail(mail)
      .catch((error) => error)
    expect(wrong).toBeInstanceOf(Errors.InvalidAPIKeyError)
    expect(wrong).toMatchObject({ code: 10, statusCode: 401 })
    const template = { From: mail.From, To: mail.To, TemplateId: 5, TemplateModel: {} }
    await expect(client().sendEmailWithTemplate(template)).rejects.toMatchObject({ code: 1101 })
  })

  it('fails as it is told to', async () => {
    const body = { ErrorCode: 0, Message: 'no' }
    for (const [status, type] of [
      [429, Errors.RateLimitExceededError],
      [500, Errors.InternalServerError],
      [503, Errors.ServiceUnavailablerError],
    ] as const) {
      fake().faults.push({ status, body })
      await expect(client().sendEmail(mail)).rejects.toBeInstanceOf(type)
    }
    const before = fake().sent.length
    for (const fault of ['lose the reply', 'cut the reply', 'hang up'] as const) {
      fake().faults.push(fault)
      await expect(client().sendEmail(mail)).rejects.toThrow()
    }
    expect(fake().sent).toHaveLength(before + 2)
  })
})

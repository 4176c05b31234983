/** The fake Gmail that the other tests trust, checked with Google's own client. */
import { gmail as gmailClient } from '@googleapis/gmail'
import { CodeChallengeMethod, OAuth2Client } from 'google-auth-library'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { FakeGmail } from '../support/providers/fake-gmail.ts'

let fake: FakeGmail
let auth: OAuth2Client
beforeAll(async () => {
  fake = await FakeGmail.start()
  auth = new OAuth2Client({
    clientId: 'client',
    clientSecret: 'secret',
    redirectUri: 'http://127.0.0.1:1/done',
    endpoints: {
      oauth2AuthBaseUrl: `${fake.url}/o/oauth2/v2/auth`,
      oauth2TokenUrl: `${fake.url}/token`,
      oauth2RevokeUrl: `${fake.url}/revoke`,
    },
  })
  auth.setCredentials(fake.login.grant())
})
afterAll(() => fake.stop())

const users = () =>
  gmailClient({ version: 'v1', auth, rootUrl: `${fake.url}/`, retry: false }).users
const me = { userId: 'me' }
const raw = 'From: Ann <ann@example.com>\r\nSubject: Tea\r\nX-Odd: yes\r\n\r\nAt four?'

describe('the fake Gmail', () => {
  it('gives the mails it holds, in all four formats', async () => {
    const id = fake.addMail({ raw, labelIds: ['INBOX'] })
    const listed = await users().messages.list({ ...me, q: 'subject:tea in:inbox' })
    expect(listed.data.messages).toEqual([{ id, threadId: id }])
    const none = await users().messages.list({ ...me, q: 'subject:coffee' })
    expect(none.data).toEqual({ resultSizeEstimate: 0 })
    const full = await users().messages.get({ ...me, id })
    expect(Buffer.from(full.data.payload?.body?.data ?? '', 'base64url').toString()).toBe(
      'At four?',
    )
    const metadataHeaders = ['subject']
    const metadata = await users().messages.get({ ...me, id, format: 'metadata', metadataHeaders })
    expect(metadata.data.payload?.headers).toEqual([{ name: 'Subject', value: 'Tea' }])
    const bytes = await users().messages.get({ ...me, id, format: 'raw' })
    expect(Buffer.from(bytes.data.raw ?? '', 'base64url').toString()).toBe(raw)
    const minimal = await users().messages.get({ ...me, id, format: 'minimal' })
    expect(minimal.data).toMatchObject({ id, labelIds: ['INBOX'] })
    expect(minimal.data.payload).toBeUndefined()
    await expect(users().messages.get({ ...me, id: 'gone' })).rejects.toMatchObject({ status: 404 })
  })

  it('keeps labels by the rules of Gmail', async () => {
    const id = fake.addMail({ raw })
    const made = await users().labels.create({ ...me, requestBody: { name: 'Work' } })
    const again = users().labels.create({ ...me, requestBody: { name: 'Work' } })
    await expect(again).rejects.toMatchObject({ status: 409 })
    const system = users().labels.create({ ...me, requestBody: { name: 'inbox' } })
    await expect(system).rejects.toMatchObject({ status: 400 })
    const addLabelIds = [made.data.id ?? '']
    const requestBody = { addLabelIds, removeLabelIds: ['INBOX'] }
    const modified = await users().messages.modify({ ...me, id, requestBody })
    expect(modified.data.labelIds).toEqual(['UNREAD', ...addLabelIds])
    const byName = users().messages.modify({ ...me, id, requestBody: { addLabelIds: ['Work'] } })
    await expect(byName).rejects.toMatchObject({ status: 400 })
    const labels = await users().labels.list(me)
    expect(labels.data.labels).toContainEqual({ id: addLabelIds[0], name: 'Work', type: 'user' })
  })

  it('sends, keeps what it sent, and lets a reply join its thread', async () => {
    const id = fake.addMail({ raw: `Message-ID: <tea@example.com>\r\n${raw}` })
    const reply =
      'To: ann@example.com\r\nSubject: Re: Tea\r\nIn-Reply-To: <tea@example.com>\r\n\r\nYes'
    const requestBody = { raw: Buffer.from(reply).toString('base64url'), threadId: id }
    const sent = await users().messages.send({ ...me, requestBody })
    expect(sent.data).toMatchObject({ threadId: id, labelIds: ['SENT'] })
    expect(fake.sent.at(-1)?.mail.to).toEqual([{ name: '', address: 'ann@example.com' }])
    const kept = await users().messages.list({ ...me, q: 'in:sent' })
    expect(kept.data.messages?.map((message) => message.id)).toContain(sent.data.id)
    const lost = users().messages.send({ ...me, requestBody: { ...requestBody, threadId: 'gone' } })
    await expect(lost).rejects.toMatchObject({ status: 404 })
    expect((await users().getProfile(me)).data.emailAddress).toBe('me@example.com')
  })

  it('logs in with PKCE, refreshes without a new refresh token, and revokes', async () => {
    const { codeVerifier, codeChallenge = '' } = await auth.generateCodeVerifierAsync()
    const method = CodeChallengeMethod.S256
    const consent = (code_challenge: string) =>
      fetch(auth.generateAuthUrl({ state: 's', code_challenge, code_challenge_method: method }), {
        redirect: 'manual',
      }).then((reply) => new URL(reply.headers.get('location') ?? '').searchParams)
    const code = (await consent(codeChallenge)).get('code') ?? ''
    const { tokens } = await auth.getToken({ code, codeVerifier })
    expect(tokens.refresh_token).toMatch(/^refresh-/)
    await expect(auth.getToken({ code, codeVerifier })).rejects.toThrow('invalid_grant')
    const other = (await consent('another')).get('code') ?? ''
    await expect(auth.getToken({ code: other, codeVerifier })).rejects.toThrow('invalid_grant')
    auth.setCredentials(tokens)
    const { credentials } = await auth.refreshAccessToken()
    expect(credentials.access_token).not.toBe(tokens.access_token)
    fake.login.isDead = true
    await expect(auth.refreshAccessToken()).rejects.toThrow('invalid_grant')
    fake.login.isDead = false
    await auth.revokeToken(tokens.refresh_token ?? '')
    await expect(auth.refreshAccessToken()).rejects.toThrow('invalid_grant')
    auth.setCredentials(fake.login.grant())
  })

  it('fails as it is told, for as many requests as it is told', async () => {
    for (const fault of ['401', '403-quota', '404', '429', '500', '503'] as const) {
      fake.fail({ path: /profile/, fault, times: 1, retryAfter: '7' })
      auth.setCredentials(fake.login.grant())
      const failed = await users()
        .getProfile(me)
        .then(
          () => undefined,
          (error) => error,
        )
      expect(failed?.status).toBe(Number(fault.slice(0, 3)))
      expect(failed.response.headers.get('retry-after')).toBe('7')
    }
    fake.fail({ path: /profile/, fault: 'lost-reply', times: 1 })
    await expect(users().getProfile(me)).rejects.toThrow()
    expect((await users().getProfile(me)).status).toBe(200)
  })

  it('knows only its own tokens', async () => {
    fake.login.expire()
    const { refreshes } = fake.login
    auth.setCredentials({ access_token: 'made-up', expiry_date: Date.now() + 1e6 })
    await expect(users().getProfile(me)).rejects.toMatchObject({ status: 401 })
    expect(fake.login.refreshes).toBe(refreshes)
  })
})

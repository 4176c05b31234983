/** A Gmail account: its token, refreshed once for everybody. */
import { chmodSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { describe, expect, it } from 'vitest'
import { GmailAccount } from '../../src/providers/gmail/account.ts'
import { client, modify, sharedGoogleLogin } from '../support/providers/fake-google-login.ts'
import { expired, GmailHome, homeWith, valid } from '../support/providers/gmail-home.ts'

const google = sharedGoogleLogin()

const tokenOf = async (account: GmailAccount) => (await account.client()).credentials.access_token

describe('GmailAccount', () => {
  it.each([
    ['still lasts', valid],
    ['names no end', {}],
  ])('uses a token that %s, without client_secret.json', async (_, extra) => {
    const { home, token } = homeWith(google(), extra)
    const account = GmailAccount.of(
      new GmailHome(google(), { ...home.env, GMAIL_CREDENTIALS_PATH: '/nowhere' }).config,
    )
    expect(await tokenOf(account)).toBe(token.access_token)
    expect(google().tokenRequests).toEqual([])
  })

  it('refreshes one that ends within a minute, and keeps all else in its file', async () => {
    const { home, token } = homeWith(google(), { expiry_date: Date.now() + 50_000, note: 'mine' })
    chmodSync(home.path(), 0o644)
    const account = GmailAccount.of(home.config)
    const fresh = await tokenOf(account)
    expect(fresh).not.toBe(token.access_token)
    expect(home.token()).toEqual({
      access_token: fresh,
      refresh_token: token.refresh_token,
      expiry_date: expect.any(Number),
      scope: modify,
      token_type: 'Bearer',
      note: 'mine',
    })
    expect(home.mode(home.path())).toBe('600')
    expect(readdirSync(dirname(home.path())).sort()).toEqual(['client_secret.json', 'token.json'])
    expect(await tokenOf(account)).toBe(fresh)
    expect(google().tokenRequests).toHaveLength(1)
  })

  it('refreshes when asked to, once for everybody who asks, and in the client that is in use', async () => {
    const { home, token } = homeWith(google(), valid)
    const account = GmailAccount.of(home.config)
    const inUse = await account.client()
    await Promise.all([account.refresh(), account.refresh(), account.refresh()])
    expect(inUse.credentials.access_token).not.toBe(token.access_token)
    expect(google().tokenRequests).toHaveLength(1)
    await GmailAccount.of(home.config).refresh()
    expect(google().tokenRequests).toHaveLength(2)
  })

  it('takes what another process has got, instead of asking again', async () => {
    const { home } = homeWith(google(), valid)
    const [one, other] = [GmailAccount.of(home.config), GmailAccount.of(home.config)]
    await Promise.all([one.client(), other.client()])
    await one.refresh()
    await other.refresh()
    expect(google().tokenRequests).toHaveLength(1)
    expect(await tokenOf(other)).toBe(await tokenOf(one))
  })

  it('goes on with a file that it may not write, and says so', async () => {
    const { home } = homeWith(google(), expired)
    const before = readFileSync(home.path(), 'utf8')
    mkdirSync(home.path('.token.json.new')) // stands where the new one would be written
    const account = GmailAccount.of(home.config)
    const fresh = await tokenOf(account)
    expect(await tokenOf(account)).toBe(fresh)
    expect(google().tokenRequests).toHaveLength(1)
    const { stderr, exitCode } = await home.run('status')
    expect([exitCode, stderr]).toEqual([0, expect.stringContaining('its file cannot be written')])
    expect(readFileSync(home.path(), 'utf8')).toBe(before)
  })

  it('takes the client from a token file that holds it', async () => {
    const { home } = homeWith(google(), { ...expired, type: 'authorized_user', ...client })
    const env = { ...home.env, GMAIL_CREDENTIALS_PATH: '/nowhere' }
    expect(await tokenOf(GmailAccount.of(new GmailHome(google(), env).config))).toMatch(/^ya29/)
    expect(home.token()).toMatchObject({ type: 'authorized_user', ...client })
  })

  it('masks every secret that it has met', async () => {
    const { home, token } = homeWith(google(), { ...expired, id_token: 'header.payload.signature' })
    const account = GmailAccount.of(home.config)
    const secrets = [
      token.access_token,
      token.refresh_token,
      'header.payload.signature',
      client.client_secret,
      (await tokenOf(account)) ?? '',
    ]
    const text = [...secrets, ...secrets.map(encodeURIComponent)].join(' and ')
    expect(account.redact(text)).toBe(Array(10).fill('********').join(' and '))
  })

  it.each(['../x', 'a/b', 'a b', '', 'x'.repeat(101), 'ä'])(
    'takes no path for a name: %j',
    (account) => {
      const config = () =>
        GmailAccount.of(new GmailHome(google(), { AGENTMAIL_GMAIL_ACCOUNT: account }).config)
      if (account === '') expect(config().tokenPath).toMatch(/gmail\/token\.json$/)
      else expect(config).toThrow(/the name of a Gmail account/)
    },
  )
})

/** The state of a Gmail account as its command tells it, to several processes too. */
import { mkdirSync, readFileSync, symlinkSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { GmailAccount } from '../../src/providers/gmail/account.ts'
import { type AccountState, stateOf } from '../../src/providers/gmail/state.ts'
import { ended } from '../support/agentmail.ts'
import { eventually } from '../support/eventually.ts'
import {
  address,
  client,
  type Fault,
  sharedGoogleLogin,
} from '../support/providers/fake-google-login.ts'
import { expired, GmailHome, homeWith, valid } from '../support/providers/gmail-home.ts'

const google = sharedGoogleLogin()

describe('the state of an account', () => {
  const dead = /Testing.*7 days.*Web instead of Desktop.*password.*six months.*revoked/

  it.each<[string, Partial<AccountState>, (home: GmailHome) => void]>([
    ['no token', { state: 'no_token', next: 'Run: agentmail gmail login' }, () => {}],
    ['an empty file', { state: 'no_token' }, (home) => home.put('token.json', '')],
    [
      'no JSON',
      { state: 'bad_token', problem: expect.stringMatching(/token\.json.* not JSON/) },
      (home) => home.put('token.json', '{"access_token": "ya29.half'),
    ],
    [
      'another JSON',
      { state: 'bad_token' },
      (home) => home.put('token.json', { access_token: 7, refresh_token: 'a\nb' }),
    ],
    ['a folder', { state: 'bad_token' }, (home) => mkdirSync(home.path())],
    ['a link to itself', { state: 'bad_token' }, (home) => symlinkSync('token.json', home.path())],
    [
      'no refresh token',
      { state: 'no_refresh_token' },
      (home) => home.put('token.json', { access_token: 'ya29.old', ...expired }),
    ],
    [
      'a dead refresh token',
      { state: 'dead_token', problem: expect.stringMatching(dead) },
      (home) => home.put('token.json', { refresh_token: '1//dead-refresh-token' }),
    ],
    [
      'another client',
      { state: 'bad_credentials' },
      (home) => {
        home.put('token.json', { ...google().issue(), ...expired })
        home.put('client_secret.json', { ...client, client_secret: 'wrong-secret' })
      },
    ],
    [
      'no client',
      { state: 'no_credentials' },
      (home) => {
        home.put('token.json', { ...google().issue(), ...expired })
        home.remove('client_secret.json')
      },
    ],
    [
      'a token that Gmail no longer knows',
      { state: 'ok', address },
      (home) => {
        const token = google().issue()
        google().forget(token.access_token)
        home.put('token.json', { ...token, ...valid })
      },
    ],
    [
      'an unticked permission',
      { state: 'refused' },
      (home) => home.put('token.json', { ...google().issue(), scope: 'openid' }),
    ],
    [
      'no profile',
      { state: 'ok', address: null },
      (home) => {
        google().profile = 404
        home.put('token.json', google().issue())
      },
    ],
    [
      'no Gmail API',
      { state: 'refused' },
      (home) => {
        google().profile = 403
        home.put('token.json', google().issue())
      },
    ],
    [
      'Gmail out of order',
      { state: 'unreachable' },
      (home) => {
        google().profile = 503
        home.put('token.json', google().issue())
      },
    ],
  ])('is told: %s', async (_, wanted, arrange) => {
    const home = new GmailHome(google())
    arrange(home)
    const state = await stateOf(home.config)
    expect(state).toMatchObject({ token_path: home.path(), ...wanted })
    for (const secret of google().secrets) expect(JSON.stringify(state)).not.toContain(secret)
    expect(state.problem ?? '').not.toContain(home.folder) // tools tell it to agents
  })

  it.each<Fault>(['error 500', 'garbage', 'no access token'])(
    'leaves the file alone: %s',
    async (fault) => {
      const { home } = homeWith(google(), expired)
      const before = readFileSync(home.path(), 'utf8')
      google().fault = fault
      expect(await stateOf(home.config)).toMatchObject({
        state: 'unreachable',
        problem: expect.stringMatching(/^Google's login/),
      })
      expect(readFileSync(home.path(), 'utf8')).toBe(before)
      expect(google().tokenRequests).toHaveLength(1)
    },
  )

  it('is told of every account, and of the one that is named', async () => {
    const { home } = homeWith(google(), valid)
    home.put('token-work@example.com.json', { refresh_token: '1//dead-refresh-token' })
    home.put('token-bad name.json', '')
    const all = await home.run('status')
    expect(all).toMatchObject({ exitCode: 1, stderr: '' })
    expect(all.stdout).toMatch(
      new RegExp(
        `^default account: ok, ${address}\n[^]*\nwork@example.com: not usable \\(dead_token\\)\n`,
      ),
    )
    expect(all.stdout).toContain('Run: agentmail gmail login --account work@example.com')
    const { stdout, exitCode } = await home.run('status', '--account', '', '--json')
    expect(exitCode).toBe(1)
    expect(JSON.parse(stdout).accounts).toHaveLength(2)
    const named = new GmailHome(google(), { ...home.env, GMAIL_TOKEN_PATH: home.path() })
    expect(await named.run('status', '--json')).toMatchObject({ exitCode: 0 })
  })
})

describe('agentmail gmail', () => {
  it.each([
    [[], 1, /what is to be done/],
    [['fly'], 1, /unknown subcommand: fly/],
    [['status', '--no-browser'], 1, /gmail status takes no --no-browser/],
    [['status', '--account', '../x'], 1, /the name of a Gmail account/],
    [['login', 'now'], 1, /too many arguments: now/],
    [['--help'], 0, /^$/],
  ])('answers %j', async (args, exitCode, words) => {
    const { stderr, ...ran } = await new GmailHome(google()).run(...args)
    expect(ran.exitCode).toBe(exitCode)
    expect(stderr).toMatch(words)
  })

  it('wants addresses that can be asked', async () => {
    const home = new GmailHome(google(), { GOOGLE_OAUTH_BASE_URL: 'file:///etc/passwd' })
    expect(() => GmailAccount.of(home.config)).toThrow(/^GOOGLE_OAUTH_BASE_URL must be/)
  })
})

describe('several processes', () => {
  it('refresh once, and all go on', async () => {
    const { home } = homeWith(google(), expired)
    google().replyAfterMs = 300
    const runs = await Promise.all(Array.from({ length: 5 }, () => home.run('status')))
    expect(runs.map(({ exitCode }) => exitCode)).toEqual([0, 0, 0, 0, 0])
    expect(google().tokenRequests).toHaveLength(1)
  })

  it('keep the login when one is killed while it refreshes', async () => {
    const { home, token } = homeWith(google(), expired)
    for (let round = 1; round <= 8; round++) {
      google().fault = round === 1 ? 'hang' : undefined
      const killed = home.start('status')
      const end = ended(killed)
      await eventually('it asks for a token', () => google().tokenRequests.length >= round)
      await new Promise((resolve) => setTimeout(resolve, round === 1 ? 50 : (round - 1) * 2))
      killed.kill('SIGKILL')
      await end
      expect(home.token()).toMatchObject({ refresh_token: token.refresh_token })
      home.put('token.json', { ...home.token(), ...expired })
    }
    expect(await home.run('status')).toMatchObject({ exitCode: 0 })
  })
})

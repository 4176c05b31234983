/** agentmail gmail login and logout, against a login that checks what Google checks. */
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { CodeChallengeMethod, OAuth2Client } from 'google-auth-library'
import { describe, expect, it } from 'vitest'
import { GmailAccount } from '../../src/providers/gmail/account.ts'
import { logIn } from '../../src/providers/gmail/login.ts'
import {
  address,
  client,
  type Fault,
  modify,
  sharedGoogleLogin,
} from '../support/providers/fake-google-login.ts'
import { GmailHome } from '../support/providers/gmail-home.ts'

const google = sharedGoogleLogin()

describe('agentmail gmail login', () => {
  it('logs in through a browser on this machine', async () => {
    const home = new GmailHome(google())
    const { url, done } = await home.login()
    const page = await fetch(await google().consent(url))
    expect(page.status).toBe(200)
    expect(await page.text()).toContain('You can close this window')
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'")
    expect(page.headers.get('cache-control')).toBe('no-store')
    const { stdout, stderr, exitCode } = await done
    expect({ stderr, exitCode }).toEqual({ stderr: '', exitCode: 0 })
    expect(stdout.split('\n')).toContain(url)
    expect(stdout).toContain(`Logged in as ${address}.`)
    expect(stdout).toMatch(/claude mcp add gmail --env VAULT_PATH=\S+ -- agentmail mcp gmail\n/)
    expect(home.token()).toEqual({
      access_token: expect.stringMatching(/^ya29/),
      refresh_token: expect.stringMatching(/^1\/\//),
      scope: modify,
      token_type: 'Bearer',
      expiry_date: expect.any(Number),
    })
    expect(home.mode(home.path())).toBe('600')
  })

  it('logs in by the pasted address, and waits on after a wrong one', async () => {
    const home = new GmailHome(google(), {
      GMAIL_TOKEN_PATH: join(new GmailHome(google()).folder, 'a/b/token.json'),
    })
    const { child, url, done } = await home.login('--json', '--account', 'work')
    const redirect = await google().consent(url)
    child.stdin.write(`\n${new URL(redirect).searchParams.get('code')}\n`)
    child.stdin.write(`${redirect.replace('state=', 'state=x')}\n`)
    child.stdin.end(`  ${new URL(redirect).search}  \n`)
    const { stdout, stderr, exitCode } = await done
    expect(exitCode).toBe(0)
    const token_path = home.env.GMAIL_TOKEN_PATH ?? ''
    expect(
      stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toEqual([{ url }, { account: null, address, token_path }])
    expect(stderr.match(/not the address of this login/g)).toHaveLength(2)
    expect(stderr).toContain('GMAIL_TOKEN_PATH names the token')
    expect([
      home.mode(token_path),
      home.mode(join(token_path, '..')),
      home.mode(join(token_path, '../..')),
    ]).toEqual(['600', '700', '700'])
  })

  it('answers nobody who does not know the state, and ends when the access is denied', async () => {
    const home = new GmailHome(google())
    const { url, done } = await home.login('--no-browser')
    google().isDenied = true
    const redirect = await google().consent(url)
    const { origin, search } = new URL(redirect)
    for (const query of [
      '',
      '?code=x',
      '?code=x&state=',
      '?code=x&state=wrong',
      `${search}&state=x`,
      search.replace(/error=\w+/, ''),
    ]) {
      expect([query, (await fetch(`${origin}/${query}`)).status]).toEqual([query, 400])
    }
    expect((await fetch(redirect, { method: 'POST' })).status).toBe(400)
    expect((await fetch(redirect)).status).toBe(200)
    const { stderr, exitCode } = await done
    expect(exitCode).toBe(1)
    expect(stderr).toMatch(/^error: the access was denied in the browser\n/)
    expect(existsSync(home.path())).toBe(false)
  })

  it.each<[Fault, RegExp]>([
    ['no refresh token', /gave no refresh token/],
    ['unticked', /was not ticked/],
    ['garbage', /holds no token/],
    ['no access token', /holds no token/],
    ['error 500', /Google's login cannot be reached/],
    ['invalid_client', /invalid_client/],
    ['invalid_grant', /did not accept the code/],
  ])('says what is wrong and keeps nothing: %s', async (fault, words) => {
    const home = new GmailHome(google())
    google().fault = fault
    const account = GmailAccount.of(home.config)
    const before = google().secrets.length
    const failure = await logIn(account, {
      show: async (url) => void fetch(await google().consent(url)),
      say: () => {},
      lines: noLines(),
      signal: new AbortController().signal,
    }).catch((error) => error)
    expect(failure.message).toMatch(words)
    for (const secret of google().secrets.slice(before))
      expect(JSON.stringify([failure, failure.text])).not.toContain(secret)
    expect(google().tokenRequests).toHaveLength(1)
    expect(existsSync(home.path())).toBe(false)
  })

  it('is given up when nobody answers, and ends on Ctrl-C', async () => {
    const home = new GmailHome(google())
    const quiet = {
      show: () => {},
      say: () => {},
      lines: noLines(),
      signal: new AbortController().signal,
    }
    await expect(logIn(GmailAccount.of(home.config), { ...quiet, waitMs: 20 })).rejects.toThrow(
      /nobody has answered/,
    )
    const { child, done } = await home.login()
    child.kill('SIGINT')
    expect(await done).toMatchObject({ exitCode: 130, stderr: 'The login was broken off.\n' })
  })

  it('keeps what others wrote into the token file, narrows it, and leaves a link in its place', async () => {
    const home = new GmailHome(google())
    const target = join(home.folder, 'dotfiles/token.json')
    mkdirSync(join(target, '..'))
    writeFileSync(
      target,
      JSON.stringify({
        note: 'mine',
        refresh_token: 'old-refresh-token',
        id_token: 'old-id-token',
      }),
    )
    chmodSync(target, 0o644)
    symlinkSync('../../dotfiles/token.json', home.path())
    const { url, done } = await home.login()
    await fetch(await google().consent(url))
    await done
    expect(readlinkSync(home.path())).toBe('../../dotfiles/token.json')
    expect(home.token()).toMatchObject({ note: 'mine', refresh_token: expect.stringMatching(/^1/) })
    expect(readFileSync(target, 'utf8')).not.toContain('old')
    expect(home.mode(target)).toBe('600')
  })

  it.each([
    [{ web: client }, 'type Web instead of Desktop'],
    ['{"installed":', 'is not JSON'],
    [{ installed: {} }, 'names no OAuth client'],
  ])('looks at client_secret.json: %j', async (content, words) => {
    const home = new GmailHome(google())
    home.put('client_secret.json', content)
    const said: string[] = []
    const failure = await logIn(GmailAccount.of(home.config), {
      show: () => {},
      say: (text) => said.push(text),
      lines: noLines(),
      signal: AbortSignal.abort(),
    }).catch((error) => error.message)
    expect([...said, failure].join('\n')).toContain(words)
  })
})

describe('agentmail gmail logout', () => {
  it('ends the login at Google and removes the token', async () => {
    const home = new GmailHome(google())
    const token = google().issue()
    home.put('token-work.json', token)
    home.put('token.json', google().issue())
    const { stdout, exitCode } = await home.run('logout', '--account', 'work', '--json')
    expect(exitCode).toBe(0)
    expect(JSON.parse(stdout)).toEqual({
      account: 'work',
      token_path: home.path('token-work.json'),
      removed: true,
      revoked: true,
    })
    expect(google().revoked).toEqual([token.refresh_token])
    expect([existsSync(home.path()), existsSync(home.path('token-work.json'))]).toEqual([
      true,
      false,
    ])
  })

  it('removes the token, too, where Google cannot be told, and says when there is none', async () => {
    const home = new GmailHome(google())
    home.put('token.json', google().issue())
    google().fault = 'error 500'
    expect((await home.run('logout')).stdout).toContain('Google could not be told')
    expect(existsSync(home.path())).toBe(false)
    expect(await home.run('logout')).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining('nothing to log out of'),
    })
  })
})

describe('the fake login', () => {
  it("works with Google's own client, and refuses what Google refuses", async () => {
    const at = (path: string) => google().url + path
    const redirect_uri = 'http://127.0.0.1:4711'
    const library = new OAuth2Client({
      clientId: client.client_id,
      clientSecret: client.client_secret,
      endpoints: {
        oauth2AuthBaseUrl: at('/o/oauth2/v2/auth'),
        oauth2TokenUrl: at('/token'),
        oauth2RevokeUrl: at('/revoke'),
      },
    })
    const { codeVerifier, codeChallenge = '' } = await library.generateCodeVerifierAsync()
    const grant = async () => {
      const url = library.generateAuthUrl({
        redirect_uri,
        access_type: 'offline',
        prompt: 'consent',
        scope: modify,
        state: 'x'.repeat(20),
        code_challenge: codeChallenge,
        code_challenge_method: CodeChallengeMethod.S256,
      })
      return new URL(await google().consent(url)).searchParams.get('code') ?? ''
    }
    const code = await grant()
    const { tokens } = await library.getToken({ code, codeVerifier, redirect_uri })
    await expect(library.getToken({ code, codeVerifier, redirect_uri })).rejects.toThrow(
      'invalid_grant',
    )
    await expect(
      library.getToken({ code: await grant(), codeVerifier: 'x'.repeat(43), redirect_uri }),
    ).rejects.toThrow('invalid_grant')
    await expect(
      library.getToken({ code: await grant(), codeVerifier, redirect_uri: 'http://127.0.0.1:1' }),
    ).rejects.toThrow('invalid_grant')
    await expect(
      google().consent(library.generateAuthUrl({ redirect_uri, scope: modify })),
    ).rejects.toThrow('400')
    library.setCredentials(tokens)
    const { credentials } = await library.refreshAccessToken()
    expect(credentials.access_token).not.toBe(tokens.access_token)
    const { data } = await library.request<{ emailAddress: string }>({
      url: at('/gmail/v1/users/me/profile'),
    })
    expect(data.emailAddress).toBe(address)
    await library.revokeToken(tokens.refresh_token ?? '')
    await expect(library.refreshAccessToken()).rejects.toThrow('invalid_grant')
  })
})

async function* noLines(): AsyncGenerator<string> {}

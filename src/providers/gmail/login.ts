/** Logs in to Gmail: the user allows it in a browser, here or elsewhere, and the token is kept. */
import { CodeChallengeMethod } from 'google-auth-library'
import { AgentMailError } from '../../errors.ts'
import { randomId } from '../../system/random.ts'
import type { GmailAccount } from './account.ts'
import { answerIn, type LoginAnswer, RedirectServer } from './redirect.ts'
import type { Token } from './token-file.ts'

/** Read, label, draft and send; not delete for good. */
const scope = 'https://www.googleapis.com/auth/gmail.modify'
const enough = [scope, 'https://mail.google.com/']

const waitMs = 10 * 60_000

export interface LoginTalk {
  /** Shows the address that the user opens. */
  show(url: string): void
  say(text: string): void
  /** What the user types or pastes. */
  lines: AsyncIterable<string>
  signal: AbortSignal
  waitMs?: number
}

export async function logIn(account: GmailAccount, talk: LoginTalk): Promise<void> {
  const credentials = account.credentials(account.credentialsPath)
  if (credentials.isWeb) {
    talk.say(
      'warning: client_secret.json holds a client of type Web instead of Desktop: Google may refuse this login, or end it soon.',
    )
  }
  const client = account.login.client(credentials)
  const { codeVerifier, codeChallenge } = await client.generateCodeVerifierAsync()
  const state = randomId(43)
  const server = await RedirectServer.open(state)
  try {
    const url = client.generateAuthUrl({
      redirect_uri: server.uri,
      access_type: 'offline',
      prompt: 'consent',
      scope,
      state,
      code_challenge_method: CodeChallengeMethod.S256,
      ...(codeChallenge !== undefined && { code_challenge: codeChallenge }),
    })
    talk.show(url)
    const answer = await Promise.race([server.answer, pasted(talk, state), ended(talk)])
    if ('error' in answer) throw refused(answer.error)
    const exchange = { code: answer.code, codeVerifier, redirect_uri: server.uri }
    const token = await account.exchange(credentials, exchange)
    checkAllowed(token)
    checkLasting(token)
    await account.begin(token)
  } finally {
    server.close()
  }
}

/** The user can untick what AgentMail needs; where nothing is said, all that was asked for is allowed. */
export function checkAllowed({ scope: given }: { scope?: string | undefined }): void {
  if (given === undefined || given.split(' ').some((one) => enough.includes(one))) return
  throw new AgentMailError(
    'permission_denied',
    'the permission to read, label and send mail was not ticked in the browser',
    'Log in again and tick the box beside it.',
    { details: { reason: 'refused' } },
  )
}

/** The address of the redirect, copied from a browser on another machine. */
async function pasted({ lines, say }: LoginTalk, state: string): Promise<LoginAnswer> {
  try {
    for await (const line of lines) {
      if (line.trim() === '') continue
      const answer = answerIn(line, state)
      if (answer) return answer
      say(
        'That is not the address of this login. Copy the whole line from the address bar of the browser: it begins with http://127.0.0.1 and holds state= and code=.',
      )
    }
  } catch {} // an input that breaks is one that has ended
  return new Promise(() => {}) // the browser may still come
}

function ended({ signal, waitMs: ms = waitMs }: LoginTalk): Promise<never> {
  return new Promise((_, reject) => {
    const stop = () => reject(new AgentMailError('auth_required', 'the login was broken off'))
    if (signal.aborted) stop()
    signal.addEventListener('abort', stop)
    AbortSignal.timeout(ms).addEventListener('abort', () =>
      reject(
        new AgentMailError(
          'auth_required',
          `nobody has answered within ${Math.round(ms / 60_000)} minutes: the login is given up`,
          'Run it again, open the address and allow AgentMail to use the account.',
        ),
      ),
    )
  })
}

function refused(error: string): AgentMailError {
  if (error === 'access_denied') {
    return new AgentMailError(
      'permission_denied',
      'the access was denied in the browser',
      'Run it again and allow it. While the consent screen is in Testing, only its test users can.',
    )
  }
  const word = /^[a-z_]{1,40}$/.test(error) ? ` (${error})` : ''
  return new AgentMailError(
    'permission_denied',
    `Google has refused the login${word}`,
    'Check the OAuth client: its type must be "Desktop app".',
  )
}

function checkLasting({ refresh_token }: Token): void {
  if (refresh_token) return
  throw new AgentMailError(
    'auth_required',
    'Google gave no refresh token, so the login would end within the hour; it was not kept',
    'Remove AgentMail at https://myaccount.google.com/connections, see that the client is of type "Desktop app", and log in again.',
  )
}

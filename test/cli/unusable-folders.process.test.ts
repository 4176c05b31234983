/** Places where no folder can be made, as below /proc: a command says so, and does not try for ever. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type Env, ended, type Ran, start } from '../support/agentmail.ts'
import { git } from '../support/mailbox/tmux.ts'
import { FakeGoogleLogin } from '../support/providers/fake-google-login.ts'
import { GmailHome } from '../support/providers/gmail-home.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { TestVault } from '../support/vault/vault.ts'

const unusable = '/proc/there/is/none'
const patienceMs = 20_000

/** Ends a process that does not end by itself. */
function endLater(child: ReturnType<typeof start>): void {
  const timer = setTimeout(() => child.kill('SIGKILL'), patienceMs)
  child.on('close', () => clearTimeout(timer))
}

function run(args: string[], env: Env, cwd = temporaryFolder()): Promise<Ran> {
  git(cwd, 'init', '--quiet')
  const child = start(args, { cwd, env })
  endLater(child)
  child.stdin.end()
  return ended(child)
}

describe.runIf(existsSync('/proc/self'))('where no folder can be made', () => {
  it.each([
    ['AGENTMAIL_DIR', ['status', 'ready'], /the post office could not be read or written/],
    ['XDG_DATA_HOME', ['post', 'subject', 'body'], /the folder of the database could not be made/],
    ['XDG_STATE_HOME', ['mail', 'log'], /the record of sent mail could not be made/],
    ['AGENTMAIL_MAIL_DIR', ['mail', 'list'], /the folder of local mail cannot be used/],
  ])('says so of %s in %j', async (name, args, words) => {
    const env = { AGENTMAIL_AGENT: 'ann', AGENTMAIL_MAIL: 'local', [name]: unusable }
    const { stdout, stderr, signal } = await run(args, env)
    expect({ stdout, signal }).toEqual({ stdout: '', signal: null })
    expect(stderr).toMatch(words)
  })

  it('says so of a new vault', async () => {
    const { stdout, stderr, signal } = await run(['vault', 'init', unusable], {})
    expect({ stdout, signal }).toEqual({ stdout: '', signal: null })
    expect(stderr).toMatch(/the folder could not be made/)
  })

  it('says so of XDG_CONFIG_HOME when a login has a token to keep', async () => {
    const google = await FakeGoogleLogin.open()
    onTestFinished(() => google.close())
    const home = new GmailHome(google, {
      XDG_CONFIG_HOME: unusable,
      GMAIL_CREDENTIALS_PATH: new GmailHome(google).path('client_secret.json'),
    })
    const { child, url, done } = await home.login()
    endLater(child)
    await fetch(await google.consent(url))
    const { stderr, signal } = await done
    expect(signal).toBeNull()
    expect(stderr).toContain(`could not be written to ${join(unusable, 'agentmail/gmail')}`)
  })

  it('does without an index of notes where XDG_CACHE_HOME is so', async () => {
    const vault = new TestVault()
    const child = start(['mcp', 'obsidian'], { env: { ...vault.env, XDG_CACHE_HOME: unusable } })
    endLater(child)
    child.stderr.once('data', () => child.stdin.end())
    const { stderr, exitCode } = await ended(child)
    expect(stderr).toMatch(/there is no search index, and searches read the notes/)
    expect(exitCode).toBe(0)
  })
})

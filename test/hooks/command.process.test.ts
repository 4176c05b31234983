/** agentmail hook: the answer of each client in its own form, through a server and past it, and always exit code 0. */
import { createServer } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { agentmail, type Env, ended, type Ran, start } from '../support/agentmail.ts'
import { openPlace, type Place, ways } from '../support/coordination/coordination.ts'
import { beforeEdits, capturedHooks, inputIn } from '../support/hooks/hook-inputs.ts'
import { listening } from '../support/listening.ts'
import { repository } from '../support/mailbox/tmux.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

/** Nothing here is about time, and other tests run at the same time. */
const patient: Env = { AGENTMAIL_HOOK_MS: '30000' }

const answerOf = ({ exitCode, stdout, stderr }: Ran): Record<string, unknown> => {
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' })
  return JSON.parse(stdout)
}

/** What a client is told that is not to edit, whatever form it has. */
const refusalIn = (answer: object): string | undefined =>
  /"(?:permissionDecision|decision)":"deny","(?:permissionDecisionReason|reason)":"([^"]*)"/.exec(
    JSON.stringify(answer),
  )?.[1]

const hookIn = (
  place: Place,
  { name, client, event }: { name: string; client: string; event: string | undefined },
  { env = {}, session }: { env?: Env; session?: string } = {},
) =>
  place.run(['hook', client, ...(event ? [event] : [])], {
    env: { ...place.env, ...patient, ...env },
    input: inputIn(place.repository, name, session),
  })

describe.each(ways)('through %s', (way) => {
  it('a file that another holds is refused in the form of each client, a free one is not', async () => {
    const place = await openPlace(way, patient, patient)
    expect(await place.run(['claim', 'b.txt', '--as', 'holder'])).toMatchObject({ exitCode: 0 })
    expect(beforeEdits).toHaveLength(6)
    for (const hook of beforeEdits) {
      const answer = answerOf(await hookIn(place, hook))
      expect(refusalIn(answer), hook.name).toMatch(/^b\.txt is held by holder/)
    }
    await place.run(['release', 'b.txt', '--as', 'holder'])
    const [first] = beforeEdits
    if (first) expect(answerOf(await hookIn(place, first))).toEqual({})
  })

  it('a session that starts hears who it is', async () => {
    const place = await openPlace(way, patient, patient)
    const hook = { name: 'claude-SessionStart-startup', client: 'claude', event: undefined }
    const answer = answerOf(await hookIn(place, hook, { env: { AGENTMAIL_AGENT: 'planner' } }))
    expect(answer).toMatchObject({
      hookSpecificOutput: { additionalContext: expect.stringContaining('planner') },
    })
  })

  it('hooks of every client are answered with JSON', async () => {
    const place = await openPlace(way, patient, patient)
    const some = capturedHooks.filter((_, index) => index % 7 === 0)
    for (const hook of some) {
      const { exitCode, stdout, stderr } = await hookIn(place, hook, { session: hook.name })
      expect({ ...hook, exitCode, stderr }).toEqual({ ...hook, exitCode: 0, stderr: '' })
      expect(JSON.parse(stdout)).toBeTypeOf('object')
    }
  })

  it('Copilot that runs the hooks of Claude is answered as Copilot', async () => {
    const place = await openPlace(way, patient, patient)
    const name = 'copilot-as-claude-SessionStart'
    const env = { COPILOT_CLI: '1' }
    const answer = answerOf(
      await hookIn(place, { name, client: 'claude', event: undefined }, { env }),
    )
    expect(answer).toHaveProperty('additionalContext')
  })
})

describe('without an answer', () => {
  const write = { name: 'claude-PreToolUse-write', client: 'claude', event: undefined }

  /** A hook of a client whose server is at this address. */
  async function hookAt(address: string, env: Env = {}, name = write.name): Promise<Ran> {
    const folder = repository()
    return agentmail(['hook', 'claude'], {
      cwd: folder,
      env: { AGENTMAIL_SERVER: `http://${address}`, XDG_CACHE_HOME: temporaryFolder(), ...env },
      input: inputIn(folder, name),
    })
  }

  const silent = () => listening(createServer((socket) => socket.on('error', () => {})))
  const dead = async () => {
    const server = createServer()
    const address = await listening(server, () => {})
    await new Promise((resolve) => server.close(resolve))
    return address
  }
  const rude = () => listening(createServer((socket) => socket.end('no HTTP at all\r\n\r\n')))
  const other = () =>
    listening(
      createServer((socket) =>
        socket.end('HTTP/1.1 200 OK\r\ncontent-length: 5\r\nconnection: close\r\n\r\nhello'),
      ),
    )

  it.each([
    ['a server that accepts and says nothing', silent],
    ['a server that is gone', dead],
    ['something that does not speak HTTP', rude],
    ['another program', other],
  ])('of %s the client goes on, with one line for people', async (_what, open) => {
    const ran = await hookAt(await open())
    expect(ran).toMatchObject({ exitCode: 0, stdout: '{}\n' })
    expect(ran.stderr).toMatch(/^agentmail: the client goes on without an answer: .+\n$/)
  })

  it('an edit is refused where the guard is closed, and nothing else is', async () => {
    const address = await silent()
    const env = { AGENTMAIL_GUARD: 'closed' }
    const refused = await hookAt(address, env)
    expect(refused.exitCode).toBe(0)
    expect(refusalIn(JSON.parse(refused.stdout))).toMatch(
      /^AgentMail could not say whether somebody holds .+b\.txt \(.+\), and AGENTMAIL_GUARD=closed/,
    )
    const prompt = await hookAt(address, env, 'claude-UserPromptSubmit')
    expect(prompt).toMatchObject({ exitCode: 0, stdout: '{}\n' })
    const bash = await hookAt(address, env, 'claude-PreToolUse-bash')
    expect(bash).toMatchObject({ exitCode: 0, stdout: '{}\n' })
  })

  it('what cannot be read is refused where the guard is closed and it may be an edit', async () => {
    const folder = repository()
    const whole = JSON.stringify(JSON.parse(inputIn(folder, 'claude-PreToolUse-write', 's')))
    const huge = whole.replace('"tool_input":{', `"tool_input":{"x":"${'x'.repeat(17 << 20)}",`)
    const inputs: [input: string, args: string[], isRefused: boolean][] = [
      [whole.slice(0, -5), ['claude'], true],
      [huge, ['claude'], true],
      ['', ['copilot', 'preToolUse'], true],
      [whole.replace('PreToolUse', 'Stop').slice(0, -5), ['claude'], false],
      ['no JSON', ['gemini'], false],
      ['no JSON', ['gemini', 'BeforeTool'], true],
      ['no JSON', ['gemini', 'AfterAgent'], false],
    ]
    for (const [input, args, isRefused] of inputs) {
      for (const AGENTMAIL_GUARD of ['closed', 'on']) {
        const ran = await agentmail(['hook', ...args], {
          cwd: folder,
          env: { AGENTMAIL_GUARD },
          input,
        })
        expect(ran.exitCode).toBe(0)
        expect(ran.stderr).toMatch(/^agentmail: .+\n$/)
        if (isRefused && AGENTMAIL_GUARD === 'closed') {
          expect(refusalIn(JSON.parse(ran.stdout))).toContain('AGENTMAIL_GUARD=closed refuses it')
        } else expect(ran.stdout).toBe('{}\n')
      }
    }
  })

  it.each([
    ['answers', other, patient],
    ['says nothing', silent, { AGENTMAIL_HOOK_MS: '7000' }], // a quarter is less than it is asked for
  ])('a session that starts where another program %s is told so', async (_what, open, limit) => {
    const folder = repository()
    const port = (await open()).replace(/.*:/, '')
    const env = { ...limit, AGENTMAIL_PORT: port, XDG_DATA_HOME: temporaryFolder() }
    const startAt = (client: string, name = `${client}-SessionStart`) =>
      agentmail(['hook', client], { cwd: folder, env, input: inputIn(folder, name, 's') })
    const told = JSON.stringify(answerOf(await startAt('claude', 'claude-SessionStart-startup')))
    expect(told).toContain(`Another program is at http://127.0.0.1:${port}`)
    expect(JSON.stringify(answerOf(await startAt('codex')))).not.toContain('Another program')
  })

  it('is told once a session', async () => {
    const env = { XDG_CACHE_HOME: temporaryFolder() }
    const address = await dead()
    expect((await hookAt(address, env)).stderr).not.toBe('')
    expect((await hookAt(address, env)).stderr).toBe('')
    expect((await hookAt(address, env, 'gemini-BeforeTool-replace')).stderr).toBe('') // its session too
    expect((await hookAt(address, env, 'claude-SessionStart-clear')).stderr).not.toBe('')
  })

  it('of a database that cannot be opened the client goes on', async () => {
    const folder = repository()
    const ran = await agentmail(['hook', 'claude'], {
      cwd: folder,
      env: { ...patient, AGENTMAIL_DB: folder, XDG_CACHE_HOME: temporaryFolder() },
      input: inputIn(folder, write.name),
    })
    expect(ran).toMatchObject({ exitCode: 0, stdout: '{}\n' })
    expect(ran.stderr).toMatch(/^agentmail: .*the database could not be opened.*\n$/)
  })
})

describe('whatever it is given', () => {
  const inputs: [what: string, args: string[], input: string | Buffer, words: RegExp][] = [
    ['nothing', ['claude'], '', /no JSON/],
    ['no JSON', ['claude'], 'hello', /no JSON/],
    ['NUL', ['gemini'], Buffer.alloc(1000), /no JSON/],
    ['20 MB', ['codex'], Buffer.alloc(20_000_000, 'x'), /too large/],
    ['depth without measure', ['qwen'], '['.repeat(100_000), /no JSON/],
    ['no session', ['copilot', 'preToolUse'], '{}', /names no session/],
    ['a client that is unknown', ['emacs'], '{}', /no hooks of "emacs"/],
    ['no client', [], '{}', /no hooks of ""/],
    ['too many words', ['claude', 'a', 'b', 'c'], '{}', /names no session/],
    ['an option that is unknown', ['claude', '--fast'], '{}', /unknown option --fast/],
  ]

  it.each(inputs)(
    'of %s the client goes on, with one line for people',
    async (_what, args, input, words) => {
      const { exitCode, stdout, stderr } = await agentmail(['hook', ...args], { input })
      expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: '{}\n' })
      expect(stderr).toMatch(words)
      expect(stderr.trimEnd().split('\n')).toHaveLength(1)
    },
  )

  it('and where nobody ever writes, the client goes on', async () => {
    const child = start(['hook', 'claude'])
    expect(await ended(child)).toMatchObject({ exitCode: 0, stdout: '{}\n' })
  })

  it('and where the home folder is none, the client goes on', async () => {
    const folder = repository()
    const nowhere = join(folder, 'a-file')
    const env = { XDG_CACHE_HOME: nowhere, XDG_DATA_HOME: '/dev/null/x', HOME: '/dev/null/y' }
    const input = inputIn(folder, 'claude-Stop')
    const { exitCode, stdout, stderr } = await agentmail(['hook', 'claude'], {
      cwd: folder,
      env,
      input,
    })
    expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: '{}\n' })
    expect(stderr).toMatch(/^agentmail: /)
  })
})

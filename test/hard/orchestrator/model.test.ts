/** Models that hang, fail and talk nonsense: the mail waits, everything else goes on, and the end is no later for it. */
import type { ChildProcessWithoutNullStreams } from 'node:child_process'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type Env, ended } from '../../support/agentmail.ts'
import { eventually } from '../../support/eventually.ts'
import { Clerk, draft, type Told } from '../../support/orchestrator/clerk.ts'
import { type LlmRequest, llmKey, sharedLlm } from '../../support/orchestrator/fake-llm.ts'
import { mail } from '../../support/providers/local-folder.ts'

const llm = sharedLlm()

function begin(clerk: Clerk, env: Env) {
  const child: ChildProcessWithoutNullStreams = clerk.start(env)
  const events: Told[] = []
  createInterface({ input: child.stdout }).on('line', (line) => events.push(JSON.parse(line)))
  onTestFinished(() => void child.kill('SIGKILL'))
  return { child, events, done: ended(child) }
}

const statusOf = async (clerk: Clerk, subject: string) =>
  (await clerk.notes('Needs_Action')).find((note) => note.frontmatter.subject === subject)
    ?.frontmatter.status

describe('a model', () => {
  it('that hangs holds up neither what is approved nor the end', async () => {
    const clerk = new Clerk()
    clerk.add(mail({ Subject: 'first' }))
    clerk.put('Approved/.keep', '')
    llm().otherwise = () => 'hang'
    const { child, events, done } = begin(clerk, {
      ...llm().env('anthropic'),
      AGENTMAIL_MAIL_FROM: 'me@example.com',
    })
    await eventually('the model is asked', () => llm().requests.length > 0)
    clerk.put('Approved/hello.md', draft('bob@example.com'))
    await eventually('it is sent', () => events.some(({ event }) => event === 'sent'))
    const began = performance.now()
    child.kill('SIGTERM')
    expect((await done).exitCode).toBe(0)
    expect(performance.now() - began).toBeLessThan(10_000)
    expect(llm().requests).toHaveLength(1)
    expect(await clerk.recipients()).toEqual([['bob@example.com']])
    expect(await statusOf(clerk, 'first')).toBe('pending')
    expect(events.filter(({ event }) => event === 'trouble')).toEqual([])
  })

  it('that talks nonsense is asked five times, later each time, and other mails go on', async () => {
    const clerk = new Clerk()
    clerk.add(mail({ Subject: 'nonsense' }))
    const times: number[] = []
    llm().otherwise = ({ user }) => {
      if (!/^subject: nonsense$/m.test(user)) return { says: '{"decision":"archive","reason":"-"}' }
      times.push(performance.now())
      return { says: 'As you wish!' }
    }
    const { child, events, done } = begin(clerk, {
      ...llm().env('openai'),
      AGENTMAIL_POLL_SECONDS: '0.05',
      AGENTMAIL_RETRY_SECONDS: '0.1',
    })
    await eventually('it was asked', () => times.length > 0)
    clerk.add(mail({ Subject: 'another' }))
    await eventually('the other is filed', async () => (await clerk.notes('Done')).length === 1)
    await eventually('it is left', () => events.some(({ event }) => event === 'undecided'))
    clerk.add(mail({ Subject: 'a third' }))
    await eventually('it is filed', async () => (await clerk.notes('Done')).length === 2)
    child.kill('SIGTERM')
    expect((await done).exitCode).toBe(0)
    expect(times).toHaveLength(5)
    const gaps = times.slice(1).map((time, index) => time - (times[index] ?? 0))
    for (const [index, gap] of gaps.entries()) expect(gap).toBeGreaterThan(90 * 2 ** index)
    expect(await statusOf(clerk, 'nonsense')).toBe('pending')
  })

  it('that is not there for a while is asked again until it is', async () => {
    const clerk = new Clerk()
    clerk.add(mail({ Subject: 'patient' }))
    llm().told.push(
      { status: 500, words: `no: ${llmKey}` },
      { status: 429, headers: { 'retry-after': '0' } },
      'reset',
      'cut',
      'flood',
      { raw: '<h1>Gateway</h1>', status: 200 },
      'hang',
    )
    const { child, events, done } = begin(clerk, {
      ...llm().env('openai'),
      AGENTMAIL_POLL_SECONDS: '0.05',
      AGENTMAIL_RETRY_SECONDS: '0.01',
      AGENTMAIL_LLM_TIMEOUT_SECONDS: '1',
    })
    await eventually('it is filed', () => events.some(({ event }) => event === 'triaged'))
    child.kill('SIGTERM')
    await done
    expect(llm().requests).toHaveLength(8)
    const told = events.filter(({ event }) => event === 'trouble').map(({ text }) => text)
    expect(told.join('\n')).toMatch(/HTTP 500[\s\S]*HTTP 429[\s\S]*hung up[\s\S]*more than 1 MB/)
  })

  it('that repeats our key, however it spells it, puts it into no note and no log', async () => {
    const clerk = new Clerk()
    const letters = [...llmKey]
    const spelled = [
      llmKey,
      letters.join('\u200b'),
      letters.map((letter) => `&#${letter.charCodeAt(0)};`).join(''),
    ]
    const escaped = letters.map((one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`)
    const answers = [
      ...spelled.flatMap((key) => [
        { decision: 'draft_reply', reason: 'x', reply: `<p>${key}</p><p>Yes</p>` },
        { decision: 'delegate', reason: 'x', delegate_to: key },
        { decision: 'needs_info', reason: key },
        { decision: 'archive', reason: 'x', [key]: 1 },
      ]),
    ].map((answer) => JSON.stringify(answer))
    answers.push(`{"decision":"needs_info","reason":"${escaped.join('')}"}`, llmKey)
    for (const says of answers) llm().told.push({ says })
    for (const index of answers.keys()) clerk.add(mail({ Subject: `mail ${index}` }))
    const { stdout, stderr } = await clerk.once(llm().env('openai'))
    expect(llm().requests).toHaveLength(answers.length)
    expect(stdout + stderr).toContain('it repeats the key of the service')
    expect(stdout + stderr).not.toContain(llmKey)
    const files = readdirSync(clerk.folder, { recursive: true, encoding: 'utf8' })
      .map((name) => join(clerk.folder, name))
      .filter((path) => statSync(path).isFile() && readFileSync(path, 'utf8').includes(llmKey))
    expect(files).toEqual([])
  })

  const isAbout =
    (...subjects: string[]) =>
    ({ user }: LlmRequest) =>
      subjects.some((subject) => user.includes(`subject: ${subject}\n`))
  const archive = { says: '{"decision":"archive","reason":"-"}' }
  const subjectsIn = async (clerk: Clerk, folder: string) =>
    (await clerk.notes(folder)).map(({ frontmatter }) => frontmatter.subject)

  it.each([
    ['fails', { status: 500 }],
    ['is refused the prompt', { status: 400, words: 'This prompt is not permitted.' }],
    ['hangs up', 'reset'],
  ] as const)(
    'that %s on one mail decides about the others in the same round',
    async (_, fault) => {
      const clerk = new Clerk()
      for (const subject of ['a', 'b', 'c']) clerk.add(mail({ Subject: subject }))
      const isBad = isAbout('a')
      llm().otherwise = (request) => (isBad(request) ? fault : archive)
      const { exitCode, events } = await clerk.once(llm().env('openai'))
      expect(exitCode).toBe(1)
      expect(await subjectsIn(clerk, 'Done')).toEqual(['b', 'c'])
      expect(await statusOf(clerk, 'a')).toBe('pending')
      const troubles = events.filter(({ event }) => event === 'trouble')
      expect(troubles).toHaveLength(1)
      expect(troubles[0]?.text).toMatch(
        /^Needs_Action\/\S*a\S*\.md: openai:fake-model: the model at /,
      )
    },
  )

  it('that fails on many mails in a row is asked about three, and told of once', async () => {
    const clerk = new Clerk()
    for (let index = 0; index < 12; index++) clerk.add(mail({ Subject: `mail ${index}` }))
    llm().otherwise = () => ({ status: 503 })
    const { exitCode, events } = await clerk.once(llm().env('anthropic'))
    expect(exitCode).toBe(1)
    expect(llm().requests).toHaveLength(3)
    expect(new Set(llm().requests.map(({ user }) => user)).size).toBe(3)
    const troubles = events.filter(({ event }) => event === 'trouble').map(({ text }) => text)
    expect(troubles).toEqual([
      expect.stringMatching(/^anthropic:fake-model: the model at \S+ answered with HTTP 503/),
    ])
  })

  it('that fails on several mails for good never holds up those that come later', async () => {
    const clerk = new Clerk()
    const bad = ['a', 'b', 'c', 'd']
    for (const subject of bad) clerk.add(mail({ Subject: subject }))
    const isBad = isAbout(...bad)
    llm().otherwise = (request) => (isBad(request) ? { status: 500 } : archive)
    const soon = { ...llm().env('openai'), AGENTMAIL_RETRY_SECONDS: '0.001' }
    for (let round = 0; round < 2; round++) await clerk.once(soon)
    clerk.add(mail({ Subject: 'z' }))
    await clerk.once(soon)
    expect(await subjectsIn(clerk, 'Done')).toEqual(['z'])
    for (const subject of bad) expect(await statusOf(clerk, subject)).toBe('pending')
  })

  it('that keeps failing on a mail is asked about it later each time', async () => {
    const clerk = new Clerk()
    clerk.add(mail({ Subject: 'bad' }))
    const times: number[] = []
    const isBad = isAbout('bad')
    llm().otherwise = (request) => {
      if (!isBad(request)) return archive
      times.push(performance.now())
      return { status: 500 }
    }
    const { child, events, done } = begin(clerk, {
      ...llm().env('openai'),
      AGENTMAIL_POLL_SECONDS: '0.05',
      AGENTMAIL_RETRY_SECONDS: '0.2',
    })
    await eventually('it was asked four times', () => times.length === 4)
    clerk.add(mail({ Subject: 'good' }))
    await eventually('the other is decided', () => events.some(({ event }) => event === 'triaged'))
    child.kill('SIGTERM')
    expect((await done).exitCode).toBe(0)
    const gaps = times.slice(1).map((time, index) => time - (times[index] ?? 0))
    for (const [index, gap] of gaps.entries()) expect(gap).toBeGreaterThan(190 * 2 ** index)
    expect(await statusOf(clerk, 'bad')).toBe('pending')
  })
})

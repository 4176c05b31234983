/** The demo of the page, as somebody tries it in one command. */
import { existsSync, mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import * as z from 'zod'
import { agentmail, ended, type Ran, start } from '../../support/agentmail.ts'
import { afterAllTests } from '../../support/at-end.ts'
import { eventually } from '../../support/eventually.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const startedSchema = z.object({
  event: z.literal('started'),
  url: z.string(),
  folder: z.string(),
  database: z.string(),
  pid: z.number(),
})

/** What every command leaves, whatever it does: that its code was found right. */
const ofBinary = ['cache/agentmail', 'cache/agentmail/checked-code']

/** Of a user who has set up things of their own, none of which may be touched. */
function ownHome(atEnd: (end: () => void) => void = onTestFinished) {
  const home = temporaryFolder(atEnd)
  const places = ['data', 'state', 'cache', 'config', 'tmp', 'vault', 'mail']
  for (const name of places) mkdirSync(join(home, name))
  const at = (name: string) => join(home, name)
  const env = {
    ...{ HOME: home, TMPDIR: at('tmp'), VAULT_PATH: at('vault'), AGENTMAIL_MAIL_DIR: at('mail') },
    ...{ XDG_DATA_HOME: at('data'), XDG_STATE_HOME: at('state') },
    ...{ XDG_CACHE_HOME: at('cache'), XDG_CONFIG_HOME: at('config') },
    ...{ AGENTMAIL_DB: at('data/own.db'), AGENTMAIL_PROJECT: 'mine', AGENTMAIL_PERSON: 'anna' },
  }
  const touched = () =>
    readdirSync(home, { recursive: true, encoding: 'utf8' }).filter(
      (path) => !places.includes(path) && !ofBinary.includes(path),
    )
  return { home, env, touched }
}

async function startDemo(
  args: string[],
  env: Record<string, string>,
  atEnd: (end: () => void) => void = onTestFinished,
) {
  const child = start(['demo', '--page', '--json', ...args], { env, cwd: env.HOME ?? '' })
  atEnd(() => void child.kill('SIGKILL'))
  let shown = ''
  child.stdout.on('data', (text) => {
    shown += text
  })
  const over = ended(child)
  const line = await Promise.race([
    eventually('it serves', () => /^\{"event":"started".*\}$/m.exec(shown)?.[0]),
    over.then(({ stderr }) => Promise.reject(new Error(`It did not start: ${stderr}`))),
  ])
  return { child, over, ...startedSchema.parse(JSON.parse(line)) }
}

describe('the demo of the page', () => {
  const atEnd = afterAllTests()
  let demo: Awaited<ReturnType<typeof startDemo>>
  beforeAll(async () => {
    demo = await startDemo(['--still'], ownHome(atEnd).env, atEnd)
  })

  /** A command of somebody who looks at the demo from elsewhere. */
  const ask = async (...args: string[]): Promise<Ran> => {
    const env = { XDG_DATA_HOME: temporaryFolder() }
    return agentmail([...args, '--server', demo.url], { env, cwd: temporaryFolder() })
  }
  /** With the settings of the demo itself, in its shop. */
  const inside = (...args: string[]): Promise<Ran> => {
    const at = (name: string) => join(demo.folder, name)
    const env = {
      ...{ AGENTMAIL_DB: demo.database, VAULT_PATH: at('vault'), XDG_STATE_HOME: at('state') },
      ...{ XDG_DATA_HOME: at('data'), AGENTMAIL_MAIL: 'local', AGENTMAIL_MAIL_DIR: at('mail') },
    }
    return agentmail([...args, '--json'], { env, cwd: at('shop') })
  }

  it('serves a day of agents in two projects, which ends now', async () => {
    const health = await fetch(`${demo.url}/health`)
    expect(await health.json()).toMatchObject({ status: 'ok', projects: ['api', 'shop'] })
    const { stdout } = await ask('history', '--project', 'shop')
    const lines = stdout.trimEnd().split('\n')
    expect(lines.length).toBeGreaterThan(150)
    expect(lines.length).toBeLessThan(260)
    for (const event of ['claimed', 'released', 'announced', 'said', 'left', 'went stale']) {
      expect(lines.some((line) => line.includes(` ${event} `) || line.endsWith(event))).toBe(true)
    }
    const recent = await ask('history', '--project', 'shop', '--since', '1h')
    expect(recent.stdout.trimEnd().split('\n').length).toBeGreaterThan(10)
    const early = await ask('history', '--project', 'shop', '--as-of', '8h')
    expect(early.stdout).toContain('Today: coupons at checkout')
  })

  it('has agents in every state, and keeps them there', async () => {
    const { stdout } = await inside('agents')
    const { agents } = z
      .object({ agents: z.array(z.object({ name: z.string(), state: z.string().nullable() })) })
      .parse(JSON.parse(stdout))
    expect(Object.fromEntries(agents.map(({ name, state }) => [name, state]))).toEqual({
      ...{ planner: 'ready', 'api-builder': 'work', web: 'waits', tests: 'work' },
      ...{ reviewer: 'ready', docs: 'silent', ops: 'ready', design: 'ready' },
    })
  })

  it('has messages in every state of their way', async () => {
    const { stdout } = await inside('sent', '--as', 'planner')
    const { sent } = z
      .object({ sent: z.array(z.object({ state: z.string() })) })
      .parse(JSON.parse(stdout))
    const others = await inside('sent', '--as', 'tests')
    const states = new Set([
      ...sent.map(({ state }) => state),
      ...(others.stdout.match(/notified/g) ?? []),
    ])
    expect([...states].sort()).toEqual(['notified', 'queued', 'read'])
  })

  it('has something of each kind that waits for the person', async () => {
    const { stdout } = await inside('inbox', '--as', 'human')
    const { inbox } = z
      .object({ inbox: z.array(z.object({ kind: z.string(), from: z.string() })) })
      .parse(JSON.parse(stdout))
    const found = inbox.map(({ kind, from }) => `${kind} from ${from}`).sort()
    expect(found).toEqual([
      'draft from docs',
      ...['draft from orchestrator', 'draft from orchestrator', 'draft from orchestrator'],
      'mailbox from ops',
      'message from api-builder',
      'message from planner',
      'unknown_send from agentmail',
    ])
  })

  it('sends what is approved, as a file', async () => {
    const sent = () =>
      readdirSync(join(demo.folder, 'mail/sent')).filter((name) => /eml$/.test(name))
    expect(sent()).toHaveLength(1)
    const { stdout } = await inside('drafts', 'list')
    const { drafts } = z
      .object({ drafts: z.array(z.object({ path: z.string(), version: z.string() })) })
      .parse(JSON.parse(stdout))
    const urgent = drafts.find(({ path }) => path.includes('re-i-was-charged-twice'))
    const approved = await inside(
      ...['drafts', 'approve', urgent?.path ?? '', '--version', urgent?.version ?? ''],
    )
    expect(approved).toMatchObject({ exitCode: 0 })
    await eventually('it is sent', () => sent().some((name) => name.includes('charged-twice')))
  })
})

describe('a demo of the page that is not still', () => {
  it('goes on while somebody looks', async () => {
    const { url } = await startDemo([], ownHome().env)
    const args = ['messages', '--project', 'shop', '--since', '1h', '--server', url]
    await eventually('somebody says something new', async () => {
      const { stdout } = await agentmail(args, { cwd: temporaryFolder() })
      return stdout.includes('I run everything once more')
    })
  })
})

describe('the end of the demo of the page', () => {
  it.each(['SIGTERM', 'SIGINT'] as const)(
    'leaves nothing behind, and has touched nothing of the user: %s',
    async (signal) => {
      const { env, touched } = ownHome()
      const { child, over, folder } = await startDemo([], env)
      expect(existsSync(join(folder, 'shop/.git'))).toBe(true)
      child.kill(signal)
      expect(await over).toMatchObject({ exitCode: 0 })
      expect(existsSync(folder)).toBe(false)
      expect(touched()).toEqual([])
    },
  )

  it('comes before it serves, too', async () => {
    const { env, touched } = ownHome()
    const child = start(['demo', '--page'], { env, cwd: env.HOME })
    onTestFinished(() => void child.kill('SIGKILL'))
    const over = ended(child)
    await eventually('it has begun', () =>
      readdirSync(env.TMPDIR).some((name) => existsSync(join(env.TMPDIR, name, 'vault'))),
    )
    child.kill('SIGTERM')
    expect((await over).exitCode).toBe(1)
    expect(touched()).toEqual([])
  })

  it('leaves nothing behind where the port is taken', async () => {
    const { env, touched } = ownHome()
    const first = await startDemo(['--still'], ownHome().env)
    const args = ['demo', '--page', '--port', new URL(first.url).port]
    const { exitCode, stdout, stderr } = await agentmail(args, { env, cwd: env.HOME })
    expect([exitCode, stdout]).toEqual([3, ''])
    expect(stderr).toContain('is in use')
    expect(touched()).toEqual([])
  })
})

describe('the options of the demo', () => {
  it.each([
    [['--still'], '--still is for --page alone'],
    [['--port', '0'], '--port is for --page alone'],
    [['--page', '--yes'], '--yes is not for --page'],
  ])('are refused where they mean nothing: %j', async (args, words) => {
    const { exitCode, stderr } = await agentmail(['demo', ...args])
    expect([exitCode, stderr]).toEqual([1, `error: ${words}\nSee agentmail demo --help.\n`])
  })
})

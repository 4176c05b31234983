/** Hooks that are answered in bounded time: what comes late goes on, is told later, and closes a closed guard. */
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { eventually } from '../support/eventually.ts'
import { openScene } from '../support/hooks/answering-scene.ts'

const soonMs = 60
const neverMs = 60_000
const edit = { tool_name: 'Write', tool_input: { file_path: 'a.txt' } }
const contextIn = (event: string, additionalContext: string) => ({
  hookSpecificOutput: { hookEventName: event, additionalContext },
})

describe('a hook', () => {
  it('is heard at the desk of its folder, with what is known around it', async () => {
    const scene = await openScene(neverMs)
    const headers = {
      'x-agentmail-hook': 'command',
      'x-agentmail-agent': 'planner',
      'x-agentmail-project': 'other',
    }
    const asked = scene.ask('PreToolUse', { headers, input: edit })
    await scene.say({ refusal: 'held' })
    expect(await asked).toHaveProperty('hookSpecificOutput.permissionDecision', 'deny')
    const [{ desk, told, around } = expect.fail()] = scene.heard
    expect(desk).toMatchObject({ root: scene.repository, project: { key: 'other' } })
    expect(desk.office?.dir).toBe(join(scene.repository, '.agentmail'))
    expect(told.moment).toEqual({ kind: 'before-edit', paths: ['a.txt'] })
    expect(around?.name).toBe('planner')
  })

  it('outside a repository is of no project in particular, and has no post office', async () => {
    const scene = await openScene(neverMs)
    const asked = scene.ask('SessionStart', { input: { cwd: '/' } })
    await scene.say({})
    expect(await asked).toEqual({})
    const [{ desk } = expect.fail()] = scene.heard
    expect(desk).toMatchObject({ root: undefined, office: undefined })
  })

  it('stays at the desk where its session began, wherever the client goes', async () => {
    const scene = await openScene(neverMs)
    for (const [event, cwd] of [
      ['SessionStart', join(scene.repository, 'sub')],
      ['PreToolUse', '/'],
      ['SessionStart', '/'],
    ] as const) {
      const asked = scene.ask(event, { input: { cwd } })
      await scene.say({})
      await asked
    }
    expect(scene.heard.map(({ desk }) => desk.root)).toEqual([
      ...[scene.repository, scene.repository, undefined],
    ])
    expect(scene.heard[1]?.told.cwd).toBe('/')
  })

  it('by the client itself is in the project that its session named', async () => {
    const scene = await openScene(neverMs)
    for (const headers of [{ 'x-agentmail-project': 'named' }, {}]) {
      const asked = scene.ask('UserPromptSubmit', { headers })
      await scene.say({})
      await asked
    }
    expect(scene.heard.map(({ desk }) => desk.project.key)).toEqual(['named', 'named'])
    expect(scene.heard[1]?.around).toBeUndefined()
  })
})

describe('the moments of one session', () => {
  it('are heard one after another, and those of others meanwhile', async () => {
    const scene = await openScene(neverMs)
    const first = scene.ask('UserPromptSubmit')
    const second = scene.ask('PostToolUse')
    const other = scene.ask('PostToolUse', { input: { session_id: 'other' } })
    const sessions = () => scene.heard.map(({ told }) => `${told.session} ${told.moment.kind}`)
    await eventually('two are heard', () => scene.heard.length === 2)
    expect(sessions().sort()).toEqual(['other sign-of-life', 's prompt'])
    for (const _ of [first, second, other]) await scene.say({})
    await Promise.all([first, second, other])
    expect(sessions().at(-1)).toBe('s sign-of-life')
  })

  it('do not wait for ever for one that hangs', async () => {
    const scene = await openScene(soonMs)
    await scene.ask('UserPromptSubmit')
    await scene.ask('PostToolUse')
    await eventually('both are heard', () => scene.heard.length === 2)
  })

  it('end a turn once, where that is told twice and it goes on for mail', async () => {
    const scene = await openScene(neverMs)
    const ends = [scene.ask('Stop'), scene.ask('Stop')]
    await scene.say({ mail: 'mail' })
    expect(await Promise.all(ends)).toEqual([contextIn('Stop', 'mail'), {}])
    expect(scene.heard).toHaveLength(1)
    for (const [event, input] of [
      ['Stop', { stop_hook_active: true }],
      ['Stop', {}],
    ] as const) {
      const asked = scene.ask(event, { input })
      await scene.say({})
      await asked
    }
    expect(scene.heard).toHaveLength(3)
  })
})

describe('a hook that is not answered in time', () => {
  it('lets its client go on', async () => {
    const scene = await openScene(soonMs)
    expect(await scene.ask('PreToolUse', { input: edit })).toEqual({})
  })

  it('refuses an edit, and nothing else, where the guard is closed', async () => {
    const scene = await openScene(soonMs)
    const headers = { 'x-agentmail-hook': 'command', 'x-agentmail-guard': 'closed' }
    const answer = await scene.ask('PreToolUse', { headers, input: edit })
    expect(JSON.stringify(answer)).toMatch(/"deny".*somebody holds a\.txt \(no answer in time\)/)
    expect(await scene.ask('UserPromptSubmit', { headers })).toEqual({})
    const remembered = await scene.ask('PreToolUse', { input: edit })
    expect(remembered).toEqual(answer)
  })

  it('refuses also what it could not read, where the session said so and it may be an edit', async () => {
    const scene = await openScene(neverMs)
    const headers = { 'x-agentmail-hook': 'command', 'x-agentmail-guard': 'closed' }
    const started = scene.ask('SessionStart', { headers })
    await scene.say({})
    await started
    const broken = { input: { cwd: '../..', ...edit } }
    expect(JSON.stringify(await scene.ask('PreToolUse', broken))).toContain('"deny"')
    expect(await scene.ask('Stop', broken)).toEqual({})
    const other = { input: { ...broken.input, session_id: 'other' } }
    expect(await scene.ask('PreToolUse', other)).toEqual({})
  })

  it('knows that it is late, and while it is not that it is not', async () => {
    const scene = await openScene(neverMs)
    const control = scene.ask('Stop', { input: { session_id: 'other' } })
    await scene.say({})
    await control
    scene.hookMs = soonMs
    await scene.ask('Stop')
    expect(scene.late()).toEqual([false, true])
    await scene.say({})
    scene.hookMs = neverMs
    const gone = scene.ask('Stop', { input: { session_id: 'gone' }, isGone: true })
    await scene.say({})
    await gone
    expect(scene.late().at(-1)).toBe(true)
  })

  it('is told what was taken for it when it is resumed', async () => {
    const scene = await openScene(soonMs)
    await scene.ask('Stop')
    await scene.say({ mail: 'mail' })
    scene.hookMs = neverMs
    for (const [event, expected] of [
      ['SessionEnd', {}],
      ['SessionStart', contextIn('SessionStart', 'mail')],
    ] as const) {
      const asked = scene.ask(event)
      await scene.say({})
      expect(await asked).toEqual(expected)
    }
  })

  it('is told at the next one what was taken for it, once', async () => {
    const scene = await openScene(soonMs)
    expect(await scene.ask('Stop')).toEqual({})
    await scene.say({ mail: 'mail' })
    scene.hookMs = neverMs
    const scenes = [
      ['Notification', {}],
      ['PostToolUse', contextIn('PostToolUse', 'mail\n\nnews')],
      ['PostToolUse', contextIn('PostToolUse', 'news')],
    ] as const
    for (const [event, expected] of scenes) {
      const asked = scene.ask(event)
      await scene.say(event === 'Notification' ? {} : { context: 'news' })
      expect({ event, answer: await asked }).toEqual({ event, answer: expected })
    }
  })

  it('does not keep a turn going that goes on already', async () => {
    const scene = await openScene(soonMs)
    await scene.ask('UserPromptSubmit')
    await scene.say({ context: 'mail' })
    scene.hookMs = neverMs
    for (const [stop_hook_active, expected] of [
      [true, {}],
      [false, contextIn('Stop', 'mail')],
      [false, {}],
    ] as const) {
      const asked = scene.ask('Stop', { input: { stop_hook_active } })
      await scene.say({})
      expect(await asked).toEqual(expected)
    }
  })
})

describe('what a client could not hear', () => {
  it('since it does not listen then, it is told when it does', async () => {
    const scene = await openScene(neverMs)
    const shell = { tool_name: 'run_shell_command', tool_input: { command: 'rm x' } }
    const before = scene.ask('BeforeTool', { client: 'gemini', input: shell })
    await scene.say({ context: 'x is held' })
    expect(await before).toEqual({})
    const later = scene.ask('AfterTool', { client: 'gemini', input: shell })
    await scene.say({})
    expect(await later).toEqual(contextIn('AfterTool', 'x is held'))
  })

  it('since it had gone, it is told the next time', async () => {
    const scene = await openScene(neverMs)
    const gone = scene.ask('Stop', { isGone: true })
    await scene.say({ mail: 'mail' })
    await gone
    const next = scene.ask('UserPromptSubmit')
    await scene.say({})
    expect(await next).toEqual(contextIn('UserPromptSubmit', 'mail'))
  })

  it('is nobody else to hear', async () => {
    const scene = await openScene(soonMs)
    await scene.ask('Stop')
    await scene.say({ mail: 'mail' })
    scene.hookMs = neverMs
    const other = scene.ask('UserPromptSubmit', { input: { session_id: 'other' } })
    await scene.say({})
    expect(await other).toEqual({})
  })
})

describe('a hook that fails', () => {
  it('lets its client go on, or not, as one that is late', async () => {
    const scene = await openScene(neverMs)
    for (const [guard, pattern] of [
      ['on', /^\{\}$/],
      ['closed', /"deny".*\(the disk is full\)/],
    ] as const) {
      const asked = scene.ask('PreToolUse', {
        headers: { 'x-agentmail-hook': 'command', 'x-agentmail-guard': guard },
        input: edit,
      })
      await scene.say(new Error('the disk is full\nat a.ts:1'))
      expect(JSON.stringify(await asked)).toMatch(pattern)
    }
  })
})

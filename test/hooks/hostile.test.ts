/** What is no input of a hook, and what only looks like one. */
import { describe, expect, it } from 'vitest'
import { AgentMailError } from '../../src/errors.ts'
import { readHook } from '../../src/hooks/read-hook.ts'
import { readHookHeaders, surroundingHeaders } from '../../src/hooks/surroundings.ts'
import { hookClients } from '../../src/sessions/moment.ts'

const good = { session_id: 's', cwd: '/repo', hook_event_name: 'PreToolUse' }

const refused: [what: string, text: string][] = [
  ['nothing', ''],
  ['no JSON', '{"session_id": "s"'],
  ['NUL', '\0\0\0'],
  ['a list', '[]'],
  ['null', 'null'],
  ['a text', '"x"'],
  ['no session', JSON.stringify({ ...good, session_id: undefined })],
  ['a session that is a number', JSON.stringify({ ...good, session_id: 7 })],
  ['a session that steers', JSON.stringify({ ...good, session_id: 'a\u001b[2J' })],
  ['a session without end', JSON.stringify({ ...good, session_id: 'x'.repeat(1 << 20) })],
  ['no folder', JSON.stringify({ ...good, cwd: undefined })],
  ['a folder that is relative', JSON.stringify({ ...good, cwd: '../..' })],
  ['a folder with NUL', JSON.stringify({ ...good, cwd: '/a\0b' })],
  ['a folder that is a list', JSON.stringify({ ...good, cwd: ['/'] })],
]

describe.each(hookClients)('as the input of %s', (client) => {
  it.each(refused)('%s is refused in words', (_what, text) => {
    try {
      readHook(client, text, 'PreToolUse')
      expect.unreachable()
    } catch (error) {
      expect(AgentMailError.is(error, 'invalid_request')).toBe(true)
      expect(String(error).length).toBeLessThan(200)
    }
  })

  it('fields of any other kind make it a sign of life', () => {
    const odd: unknown[] = [null, 7, true, [], {}, '', [[]], { toString: 1 }, 'x'.repeat(1000)]
    for (const tool_name of odd) {
      for (const tool_input of odd) {
        const input = { ...good, tool_name, tool_input, toolArgs: tool_input, tool_response: odd }
        const { moment } = readHook(client, JSON.stringify(input), 'x').told
        expect(moment.kind).toBe('sign-of-life')
      }
    }
  })

  it('depth without measure harms nobody', () => {
    const depth = 50_000
    const deep = `${'['.repeat(depth)}${']'.repeat(depth)}`
    const input = JSON.stringify({ ...good, tool_name: 'x' }).replace(
      '"x"',
      `"x","tool_input":${deep},"tool_response":${deep}`,
    )
    for (const event of ['PreToolUse', 'PostToolUse', 'AfterTool', 'postToolUse']) {
      const text = input.replace('PreToolUse', event)
      expect(readHook(client, text).told.moment.kind).toBe('sign-of-life')
    }
  })

  it('keys of every object are no fields', () => {
    const text = '{"__proto__": {"session_id": "s", "cwd": "/"}, "hook_event_name": "constructor"}'
    expect(() => readHook(client, text)).toThrow('names no session')
    const named = JSON.stringify({ ...good, hook_event_name: '__proto__', tool_name: 'toString' })
    expect(readHook(client, named).told.moment.kind).toBe('sign-of-life')
  })
})

it('there are no hooks of others', () => {
  for (const client of ['', 'cursor', '__proto__', 'constructor', 'Claude', '../claude']) {
    expect(() => readHook(client, JSON.stringify(good))).toThrow('there are no hooks of')
  }
})

describe('what a command tells of its surroundings', () => {
  it('arrives as it was', () => {
    const around = {
      name: 'Ünï "x", %\u{1f600}',
      tmux: { pane: '%5', server: 4711, name: 'a window; of mine', isGiven: true },
      guard: 'closed',
      autoClaim: 'session',
    }
    const headers = surroundingHeaders({ around, project: 'répo' })
    expect(Object.values(headers).join()).toMatch(/^[\x20-\x7e]*$/)
    expect(readHookHeaders(headers)).toEqual({ around, project: 'répo' })
  })

  it('is nothing where there is no command', () => {
    expect(readHookHeaders({})).toEqual({ around: undefined, project: undefined })
    const headers = surroundingHeaders({ around: {}, project: undefined })
    expect(readHookHeaders(headers)).toEqual({ around: {}, project: undefined })
  })

  it('is nothing where it is not as it must be', () => {
    const wrong = {
      'x-agentmail-agent': ['a%00b', '%', 'a%0Ab', '%20', 'x'.repeat(300), 'x'.repeat(1 << 20)],
      'x-agentmail-tmux': ['5 1 window x', '%255 x window y', '%255 1 x', '%255 1 given '],
      'x-agentmail-guard': ['open', 'on,off', ''],
      'x-agentmail-auto-claim': ['for ever', '__proto__'],
      'x-agentmail-project': ['a%00', '%ff'],
    }
    for (const [name, values] of Object.entries(wrong)) {
      for (const value of values) {
        const read = readHookHeaders({ 'x-agentmail-hook': 'command', [name]: value })
        expect({ [name]: value, read }).toEqual({
          [name]: value,
          read: { around: {}, project: undefined },
        })
      }
    }
  })
})

describe.each(hookClients)('as the answer of a server to %s', (client) => {
  const events = [
    'PreToolUse',
    'preToolUse',
    'BeforeTool',
    'PermissionRequest',
    'Stop',
    'agentStop',
  ]
  const read = (event: string) =>
    readHook(client, JSON.stringify({ ...good, hook_event_name: event }), event)

  it.each([
    [{ hookSpecificOutput: { permissionDecision: 'allow', permissionDecisionReason: 'x' } }],
    [{ hookSpecificOutput: { permissionDecision: 'ask', additionalContext: 'x' } }],
    [{ hookSpecificOutput: { decision: { behavior: 'allow' } } }],
    [{ permissionDecision: 'allow' }],
    [{ decision: 'approve', reason: 'x' }],
    [{ decision: 'allow', hookSpecificOutput: { tool_input: {} } }],
    [{ decision: null }],
    [{ hookSpecificOutput: { updatedInput: { command: 'x' } } }],
    [{ continue: false, systemMessage: 'x' }],
  ])('%j is none of ours', (answer) => {
    for (const event of events) expect(read(event).asOurs(answer)).toBeUndefined()
  })

  it('what else is in one of ours is left out', () => {
    const hookSpecificOutput = { additionalContext: 'x', updatedInput: { command: 'y' } }
    const form = read('SessionStart').asOurs({ hookSpecificOutput, continue: false }) ?? ''
    expect(form).toContain('"additionalContext":"x"')
    expect(form).not.toMatch(/updatedInput|continue/)
    expect(read('SessionStart').asOurs({})).toBe('{}')
  })
})

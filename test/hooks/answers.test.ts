/** What each client is answered at each of its events, to the letter: what it does not know it may take for an error. */
import { describe, expect, it } from 'vitest'
import { readHook } from '../../src/hooks/read-hook.ts'
import type { HookAnswer } from '../../src/sessions/moment.ts'

const answerAt = (client: string, event: string, answer: HookAnswer): unknown => {
  const input = { session_id: 's', cwd: '/repo', tool_name: 'x', tool_input: {} }
  const { inForm, asOurs } = readHook(client, JSON.stringify(input), event)
  const form = inForm(answer)
  expect(asOurs(JSON.parse(form))).toBe(form)
  return JSON.parse(form)
}

/** The forms, as `facts` of each client have them. */
const denial = (hookEventName: string, permissionDecisionReason: string) => ({
  hookSpecificOutput: { hookEventName, permissionDecision: 'deny', permissionDecisionReason },
})
const context = (hookEventName: string, additionalContext: string) => ({
  hookSpecificOutput: { hookEventName, additionalContext },
})
const plainContext = (_event: string, additionalContext: string) => ({ additionalContext })
const block = (_event: string, reason: string) => ({ decision: 'block', reason })
const deny = (_event: string, reason: string) => ({ decision: 'deny', reason })
const plainDenial = (_event: string, permissionDecisionReason: string) => ({
  permissionDecision: 'deny',
  permissionDecisionReason,
})

type Form = (event: string, text: string) => object

interface Listener {
  client: string
  refusal: Record<string, Form>
  context: Record<string, Form>
  mail: Record<string, Form>
  /** Where nothing can be said. */
  deaf: string[]
}

const listeners: Listener[] = [
  {
    client: 'claude',
    refusal: { PreToolUse: denial },
    context: {
      ...{ SessionStart: context, UserPromptSubmit: context, PreToolUse: context },
      ...{ PostToolUse: context, PostToolUseFailure: context, PostToolBatch: context },
    },
    mail: { Stop: context },
    deaf: ['PermissionRequest', 'Notification', 'SubagentStart', 'SubagentStop', 'SessionEnd'],
  },
  {
    client: 'codex',
    refusal: { PreToolUse: denial },
    context: {
      ...{ SessionStart: context, UserPromptSubmit: context },
      ...{ PreToolUse: context, PostToolUse: context },
    },
    mail: { Stop: block },
    deaf: ['PermissionRequest', 'Interrupt', 'SessionEnd', 'PostToolBatch'],
  },
  {
    client: 'gemini',
    refusal: { BeforeTool: deny },
    context: { SessionStart: context, BeforeAgent: context, AfterTool: context },
    mail: { AfterAgent: deny },
    deaf: ['Notification', 'PreCompress', 'BeforeModel', 'SessionEnd'],
  },
  {
    client: 'qwen',
    refusal: { PreToolUse: denial },
    context: {
      ...{ SessionStart: context, UserPromptSubmit: context },
      ...{ PostToolUse: context, PostToolUseFailure: context, PostToolBatch: context },
    },
    mail: { Stop: block },
    deaf: ['PermissionRequest', 'Notification', 'SessionEnd'],
  },
  {
    client: 'copilot',
    refusal: { preToolUse: plainDenial, PreToolUse: denial },
    context: {
      ...{ sessionStart: plainContext, userPromptSubmitted: plainContext },
      ...{ postToolUse: plainContext, postToolUseFailure: plainContext },
      ...{ SessionStart: plainContext, UserPromptSubmit: plainContext },
      ...{ PostToolUse: plainContext, PostToolUseFailure: plainContext },
    },
    mail: { agentStop: block, Stop: block },
    deaf: ['permissionRequest', 'sessionEnd', 'PermissionRequest', 'SessionEnd'],
  },
]

const kinds = ['refusal', 'context', 'mail'] as const

describe.each(listeners)('$client', (listener) => {
  const { client } = listener
  const events = [
    ...new Set([...kinds.flatMap((kind) => Object.keys(listener[kind])), ...listener.deaf]),
  ]

  it.each([...events, 'SomethingNew'])('is answered as it understands it at %s', (event) => {
    for (const kind of kinds) {
      const form = listener[kind][event]
      expect({ [kind]: answerAt(client, event, { [kind]: 'words "…" \n' }) }).toEqual({
        [kind]: form ? form(event, 'words "…" \n') : {},
      })
    }
  })

  it.each(events)('is told nothing where there is nothing to say at %s', (event) => {
    for (const answer of [{}, { refusal: '', context: '', mail: '' }]) {
      expect(answerAt(client, event, answer)).toEqual({})
    }
  })

  it('hears of a refusal, and of nothing beside it', () => {
    for (const [event, form] of Object.entries(listener.refusal)) {
      const answer = { refusal: 'held', context: 'news', mail: 'mail' }
      expect(answerAt(client, event, answer)).toEqual(form(event, 'held'))
    }
  })
})

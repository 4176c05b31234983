/** What the hooks of real clients told, captured from them, and the moments of a session that it is read as. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { patchedPaths } from '../../src/hooks/patched-paths.ts'
import { readHook } from '../../src/hooks/read-hook.ts'
import type { Moment } from '../../src/sessions/moment.ts'

const folder = join(import.meta.dirname, 'inputs')
const session = '00000000-0000-4000-8000-000000000001'

const start: Moment = { kind: 'session-start' }
const prompt: Moment = { kind: 'prompt' }
const editing = (...paths: string[]): Moment => ({ kind: 'before-edit', paths })
const edited = (...paths: string[]): Moment => ({ kind: 'after-edit', paths })
const shell = (kind: 'before-shell' | 'after-shell', command = 'echo hi > c.txt'): Moment => ({
  kind,
  command,
})
const registered = (last: number): Moment => ({
  kind: 'registered',
  agentId: `${session.slice(0, -1)}${last}`,
})
const turnEnd = (isAgain = false): Moment => ({ kind: 'turn-end', isAgain })
const end: Moment = { kind: 'session-end' }
const asked: Moment = { kind: 'permission' }
const alive: Moment = { kind: 'sign-of-life' }
const toolStart: Moment = { kind: 'sign-of-life', tool: 'start' }
const toolEnd: Moment = { kind: 'sign-of-life', tool: 'end' }

const [a, b] = ['/repo/a.txt', '/repo/b.txt']
const many = ['a.txt', 'src/a2.txt', 'new file.txt', 'gone.txt']

const moments: Record<string, Moment> = {
  'claude-Notification': asked,
  'claude-PermissionRequest-write': asked,
  'claude-PostCompact': alive,
  'claude-PostToolBatch': alive,
  'claude-PostToolUse-bash': shell('after-shell'),
  'claude-PostToolUse-edit': edited(a),
  'claude-PostToolUse-mcp': registered(3),
  'claude-PostToolUse-read': toolEnd,
  'claude-PostToolUse-write': edited(b),
  'claude-PostToolUseFailure-bash': shell('after-shell', 'echo hi; exit 3'),
  'claude-PreCompact': alive,
  'claude-PreToolUse-bash': shell('before-shell', 'echo hi; exit 3'),
  'claude-PreToolUse-edit': editing(a),
  'claude-PreToolUse-mcp': alive,
  'claude-PreToolUse-read': alive,
  'claude-PreToolUse-write-subagent': editing(b),
  'claude-PreToolUse-write': editing(b),
  'claude-SessionEnd-clear': end,
  'claude-SessionEnd-other': end,
  'claude-SessionEnd-prompt_input_exit': end,
  'claude-SessionStart-clear': start,
  'claude-SessionStart-compact': start,
  'claude-SessionStart-startup': start,
  'claude-Stop-again': turnEnd(true),
  'claude-Stop': turnEnd(),
  'claude-SubagentStart': alive,
  'claude-SubagentStop': alive,
  'claude-UserPromptSubmit-task': prompt,
  'claude-UserPromptSubmit': prompt,
  'codex-PostToolUse-apply_patch-many': edited(...many),
  'codex-PostToolUse-apply_patch': edited('b.txt'),
  'codex-PostToolUse-bash': shell('after-shell'),
  'codex-PostToolUse-mcp': registered(3),
  'codex-PreToolUse-apply_patch-many': editing(...many),
  'codex-PreToolUse-apply_patch': editing('b.txt'),
  'codex-PreToolUse-bash': shell('before-shell'),
  'codex-PreToolUse-mcp': alive,
  'codex-SessionEnd': end,
  'codex-SessionStart': start,
  'codex-Stop-again': turnEnd(true),
  'codex-Stop': turnEnd(),
  'codex-UserPromptSubmit': prompt,
  'copilot-agentStop': turnEnd(),
  'copilot-as-claude-PostToolUse-edit': edited(a),
  'copilot-as-claude-PostToolUse-write': edited(b),
  'copilot-as-claude-PreToolUse-edit': editing(a),
  'copilot-as-claude-PreToolUse-write': editing(b),
  'copilot-as-claude-SessionEnd': end,
  'copilot-as-claude-SessionStart': start,
  'copilot-as-claude-Stop': turnEnd(),
  'copilot-as-claude-UserPromptSubmit': prompt,
  'copilot-permissionRequest-bash': asked,
  'copilot-permissionRequest-edit': asked,
  'copilot-postToolUse-bash': shell('after-shell'),
  'copilot-postToolUse-create': edited(b),
  'copilot-postToolUse-edit': edited(a),
  'copilot-postToolUse-mcp': registered(2),
  'copilot-preToolUse-bash': shell('before-shell'),
  'copilot-preToolUse-create': editing(b),
  'copilot-preToolUse-edit': editing(a),
  'copilot-preToolUse-mcp': alive,
  'copilot-sessionEnd': end,
  'copilot-sessionStart': start,
  'copilot-userPromptSubmitted': prompt,
  'gemini-AfterAgent-again': turnEnd(true),
  'gemini-AfterAgent': turnEnd(),
  'gemini-AfterTool-mcp': registered(2),
  'gemini-AfterTool-replace': edited(a),
  'gemini-AfterTool-run_shell_command': shell('after-shell'),
  'gemini-AfterTool-write_file': edited(b),
  'gemini-BeforeAgent': prompt,
  'gemini-BeforeTool-mcp': alive,
  'gemini-BeforeTool-replace': editing(a),
  'gemini-BeforeTool-run_shell_command': shell('before-shell'),
  'gemini-BeforeTool-write_file': editing(b),
  'gemini-PreCompress': alive,
  'gemini-SessionEnd': end,
  'gemini-SessionStart': start,
  'qwen-Notification': alive,
  'qwen-PostToolBatch': alive,
  'qwen-PostToolUse-mcp': registered(2),
  'qwen-PostToolUse-run_shell_command': shell('after-shell'),
  'qwen-PostToolUse-write_file': edited(b),
  'qwen-PreToolUse-mcp': alive,
  'qwen-PreToolUse-run_shell_command': shell('before-shell'),
  'qwen-PreToolUse-write_file': editing(b),
  'qwen-SessionStart': start,
  'qwen-Stop': turnEnd(),
  'qwen-UserPromptSubmit': prompt,
}

const textOf = (name: string) => readFileSync(join(folder, `${name}.json`), 'utf8')
const clientOf = (name: string) => name.split('-')[0] ?? ''

describe('a hook of a real client', () => {
  it.each(Object.entries(moments))('%s', (name, moment) => {
    const event = /^copilot-(\w+)/.exec(name)?.[1]
    const { told } = readHook(clientOf(name), textOf(name), event)
    expect(told).toEqual({
      client: clientOf(name),
      session: expect.stringMatching(/^[0-]+4000-8000-0+[15]$/),
      cwd: '/repo',
      moment,
    })
  })

  it('is in the table, whichever was captured', () => {
    const captured = readdirSync(folder).map((file) => file.replace(/\.json$/, ''))
    expect(Object.keys(moments).sort()).toEqual(captured.sort())
  })

  it.each(Object.entries(moments).filter(([name]) => name.startsWith('copilot-')))(
    '%s is known by its fields, where nobody says which it is',
    (name, moment) => {
      expect(readHook('copilot', textOf(name)).told.moment).toEqual(moment)
    },
  )
})

/** A hook around the call of a tool. */
const told = (client: string, event: string, call: object): Moment =>
  readHook(
    client,
    JSON.stringify({ session_id: session, cwd: '/repo', hook_event_name: event, ...call }),
  ).told.moment

describe('a turn of Claude Code that was stopped by its user', () => {
  it('is over once the client says that it waits for a prompt, and nothing is handed over there', () => {
    const told = { session_id: session, cwd: '/repo', hook_event_name: 'Notification' }
    const momentAt = (notification_type: string) =>
      readHook('claude', JSON.stringify({ ...told, notification_type })).told.moment
    expect(momentAt('idle_prompt')).toEqual(turnEnd(true))
    expect(momentAt('auth_success')).toEqual(alive)
  })
})

describe('a tool', () => {
  const called = (tool_name: string, tool_response: unknown) =>
    told('claude', 'PostToolUse', { tool_name, tool_input: {}, tool_response })
  const answer = JSON.stringify({ agent_id: session, agents: [{ name: 'x', role: 'y' }] })

  it('of ours that registers tells who the session is, however it is spelled and wrapped', () => {
    const names = [
      ...['mcp__agentmail__register', 'mcp_agentmail_register', 'agentmail-register'],
      ...['agentmail_register', 'mcp__plugin_agentmail_agentmail__register'],
    ]
    const wrapped = [
      answer,
      JSON.parse(answer),
      { content: [{ type: 'text', text: answer }] },
      [{ type: 'text', text: answer }],
      { structuredContent: JSON.parse(answer) },
      { llmContent: [{ text: `<untrusted_context>\n${answer}\n</untrusted_context>` }] },
    ]
    for (const name of names) {
      for (const response of wrapped) expect(called(name, response)).toEqual(registered(1))
    }
  })

  it('of others that is called so too, or has not registered, does not', () => {
    expect(called('mcp__other__register', answer)).toEqual(toolEnd)
    expect(called('mcp__notagentmail__register', answer)).toEqual(toolEnd)
    for (const response of ['name is required', '', undefined, 7, '{"agent_id":"../x"}', '}{']) {
      expect(called('mcp__agentmail__register', response)).toEqual(toolEnd)
    }
  })

  it('edits a notebook, or a file in several places', () => {
    const notebook = { tool_name: 'NotebookEdit', tool_input: { notebook_path: '/repo/n.ipynb' } }
    expect(told('claude', 'PreToolUse', notebook)).toEqual(editing('/repo/n.ipynb'))
    const edits = { tool_name: 'MultiEdit', tool_input: { file_path: a, edits: [{}, {}] } }
    expect(told('claude', 'PreToolUse', edits)).toEqual(editing(a))
  })

  it('takes long where it starts another agent', () => {
    expect(told('claude', 'PreToolUse', { tool_name: 'Task', tool_input: {} })).toEqual(toolStart)
    expect(told('qwen', 'PreToolUse', { tool_name: 'task', tool_input: {} })).toEqual(toolStart)
    expect(told('claude', 'PreToolUse', { tool_name: 'Grep', tool_input: {} })).toEqual(alive)
  })

  it('that failed has edited nothing', () => {
    const failed = [
      ['copilot', { tool_name: 'Write', tool_input: { path: a } }, { result_type: 'denied' }],
      ['gemini', { tool_name: 'replace', tool_input: { file_path: a } }, { error: 'no match' }],
      ['codex', { tool_name: 'apply_patch', tool_input: { command: patch } }, 'Exit code: 1\n'],
    ] as const
    for (const [client, call, tool_response] of failed) {
      const event = client === 'gemini' ? 'AfterTool' : 'PostToolUse'
      expect(told(client, event, { ...call, tool_response })).toEqual(toolEnd)
    }
  })

  it('patches files by way of a shell', () => {
    const command = `apply_patch <<'EOF'\n${patch}\nEOF`
    const call = { tool_name: 'Bash', tool_input: { command } }
    expect(told('codex', 'PreToolUse', call)).toEqual(editing('x.txt'))
  })

  it('whose arguments are a text is understood as well', () => {
    const call = { toolName: 'create', toolArgs: JSON.stringify({ path: b }) }
    expect(told('copilot', 'preToolUse', call)).toEqual(editing(b))
    expect(told('copilot', 'preToolUse', { toolName: 'apply_patch', toolArgs: patch })).toEqual(
      editing('x.txt'),
    )
  })
})

const patch = '*** Begin Patch\n*** Delete File: x.txt\n*** End Patch'

describe('a patch', () => {
  it('names its files once, and nothing that stands in them', () => {
    const lines = [
      ...['*** Begin Patch', '*** Update File: a b/ü.txt\r', '@@', '-*** Add File: no', '+x'],
      ...[' context', '*** Update File: a b/ü.txt', '+*** Delete File: no', '*** End Patch'],
    ]
    expect(patchedPaths(lines.join('\n'))).toEqual(['a b/ü.txt'])
  })

  it('is read in a moment, whatever it is', () => {
    const spaces = ' '.repeat(1 << 20)
    expect(patchedPaths(`*** Add File: x${spaces}y\n`.repeat(2))).toHaveLength(1)
    expect(patchedPaths(`${spaces}\n*** Add File: ${spaces}`)).toEqual([])
  })
})

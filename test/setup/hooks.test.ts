/** Which hooks setup writes, and that none are written twice. */
import { describe, expect, it } from 'vitest'
import { SetupHome } from '../support/setup/home.ts'

const claude = ['claude' as const]

describe('setup of hooks', () => {
  it.each([
    ['claude', ['PostToolUse', 'PostToolUseFailure'], 'Edit|Write|MultiEdit|NotebookEdit|Bash|'],
    ['qwen', ['PostToolUse'], 'write_file|edit|run_shell_command|'],
  ] as const)(
    'tells of any tool of %s that begins, and only what ours give',
    (client, events, tools) => {
      const home = new SetupHome()
      home.setUp({ clients: [client] })
      const { hooks } = JSON.parse(home.read(`.${client}/settings.json`) ?? '')
      for (const event of events) {
        expect(hooks[event]).toMatchObject([
          { matcher: `${tools}mcp__agentmail__register`, hooks: [{ type: 'http' }] },
        ])
      }
      expect(hooks.PreToolUse).toEqual([{ hooks: [expect.objectContaining({ type: 'http' })] }])
    },
  )

  it('blocks edits that nobody can vouch for where the guard is closed', () => {
    const home = new SetupHome()
    home.setUp({ clients: claude, wanted: { isGuardClosed: true } })
    const { hooks } = JSON.parse(home.read('.claude/settings.json') ?? '')
    expect(hooks.PreToolUse[0]).toMatchObject({
      matcher: /Edit\|Write/,
      hooks: [{ onFailure: 'block' }],
    })
    expect(JSON.stringify(hooks).match(/onFailure/g)).toHaveLength(1)
  })

  it.each([
    ['user', 'project'],
    ['project', 'user'],
  ] as const)('writes none for the %s where the %s has them', (scope, other) => {
    const home = new SetupHome()
    home.setUp({ clients: claude, wanted: { scope: other } })
    const [planned] = home.plan({ clients: claude, wanted: { scope } }).clients
    expect(planned).toMatchObject({ hasHooks: false, hooksElsewhere: expect.any(String) })
    expect(home.plan({ clients: claude, wanted: { scope: other } }).clients).toMatchObject([
      { hasHooks: true },
    ])
  })
})

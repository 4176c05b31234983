/** The real Claude Code outside tmux: what it starts is the agent of its session. */
import { expect, it } from 'vitest'
import { ClientMachine } from '../../support/clients/client-machine.ts'
import { clients, programOf } from '../../support/clients/clients.ts'
import { describeWith } from '../../support/parts.ts'

describeWith(clients.map(programOf), 'Claude Code outside tmux', () => {
  it('starts the mailbox server, and its commands and tools are one agent', async () => {
    const claude = clients.find(({ name }) => name === 'claude')
    if (!claude) throw new Error('there is no claude')
    const machine = await ClientMachine.with(claude)
    await machine.run('--version')
    const toolsets = ['--with', 'coordination,mailbox']
    const set = await machine.agentmail('setup', 'claude', ...toolsets, '--yes')
    expect(set).toMatchObject({ exitCode: 0 })
    const { model } = machine
    model.next({ call: 'Bash', input: { command: 'agentmail claim a.txt', description: 'Hold' } })
    const role = 'coder'
    model.next({ call: 'mcp__agentmail__register', input: { name: 'parser', role } })
    model.next({ call: 'Bash', input: { command: 'agentmail name', description: 'Ask' } })
    model.next({ call: 'Bash', input: { command: 'agentmail agents --json', description: 'Ask' } })
    const told = ['--output-format', 'stream-json', '--verbose', '--allowedTools', 'Bash']
    const { stdout } = await machine.run('-p', 'go', ...told)
    expect(stdout).toMatch(/"name":"agentmail-mailbox","status":"connected"/)
    expect(model.has('you are claude-1, with agent_id')).toBe(true)
    expect(model.has('parser (session)')).toBe(true)
    const history = await machine.agentmail('history', '--json')
    const ids = new Set(JSON.parse(history.stdout).map((one: { agent_id: string }) => one.agent_id))
    expect(ids.size).toBe(1)
  })
})

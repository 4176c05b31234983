/** The plugin and the extension in the real clients, which install them and run their hooks. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { ClientMachine } from '../../support/clients/client-machine.ts'
import { clients, programOf } from '../../support/clients/clients.ts'
import type { Answer } from '../../support/clients/scripted-model.ts'
import { describeWith } from '../../support/parts.ts'

/** What a client is told for one turn without a window, and what it calls to write a file. */
const ways: Record<string, { once: string[]; write: (file: string) => Answer }> = {
  claude: {
    once: ['-p', 'go', '--permission-mode', 'acceptEdits'],
    write: (file_path) => ({ call: 'Write', input: { file_path, content: 'new' } }),
  },
  codex: {
    once: [
      ...['exec', '--dangerously-bypass-approvals-and-sandbox'],
      ...['--dangerously-bypass-hook-trust', 'go'],
    ],
    write: (file) => {
      const patch = `*** Begin Patch\n*** Add File: ${file}\n+new\n*** End Patch`
      return { call: 'exec_command', input: { cmd: `apply_patch <<'EOF'\n${patch}\nEOF` } }
    },
  },
  gemini: {
    once: ['--yolo', '-p', 'go'],
    write: (file_path) => ({ call: 'write_file', input: { file_path, content: 'new' } }),
  },
}

/** As `agentmail plugin` says. */
async function install(machine: ClientMachine): Promise<void> {
  const { stdout } = await machine.agentmail('plugin', machine.client.name)
  for (const line of stdout.trim().split('\n').slice(1)) {
    const [, ...words] = line.split(' ')
    const consent = words[0] === 'extensions' ? ['--consent'] : []
    const ran = await machine.run(...words, ...consent)
    expect(ran, line).toMatchObject({ exitCode: 0 })
  }
}

describeWith(clients.map(programOf), 'the plugin in the real clients', () => {
  it.each(clients)(
    'is installed as the command says, and refuses what another holds: $name',
    async (client) => {
      const machine = await ClientMachine.with(client)
      await install(machine)
      const way = ways[client.name]
      if (!way) throw new Error(`nobody knows how ${client.name} writes a file`)
      const file = join(machine.repository, 'a.txt')
      const turn = async () => {
        machine.model.next(way.write(file))
        return machine.run(...way.once)
      }
      expect((await machine.agentmail('claim', 'a.txt')).exitCode).toBe(0)
      expect(await turn()).toMatchObject({ exitCode: 0 })
      expect(machine.model.has('a.txt is held by berta')).toBe(true)
      expect(machine.model.has(`you are ${client.name}-1, with agent_id`)).toBe(true)
      expect(existsSync(file)).toBe(false)
      // The control run: the very same turn, once nobody holds the file.
      expect((await machine.agentmail('release', 'a.txt')).exitCode).toBe(0)
      await turn()
      expect(readFileSync(file, 'utf8')).toMatch(/^new/)
      const { stdout } = await machine.agentmail('history', '--file', 'a.txt')
      expect(stdout).toMatch(new RegExp(`${client.name}-\\d`))
    },
    180_000,
  )

  // Codex tells nothing after a patch that its shell was given.
  const announcing = clients.filter(({ name }) => name !== 'codex')
  it.each(announcing)('takes the place of what setup wrote: $name', async (client) => {
    const machine = await ClientMachine.with(client)
    await machine.run('--version')
    const setup = async () => {
      const { stdout } = await machine.agentmail('setup', client.name, '--yes', '--json')
      return JSON.parse(stdout).clients[0]
    }
    expect(await setup()).toMatchObject({ hooks: true, plugin: false })
    await install(machine)
    expect(await setup()).toMatchObject({ hooks: false, plugin: true })
    const way = ways[client.name]
    machine.model.next(way?.write(join(machine.repository, 'a.txt')) ?? { text: '' })
    await machine.run(...(way?.once ?? []))
    const { stdout } = await machine.agentmail('changes', '--json')
    // Heard twice, it would be two edits.
    expect(JSON.parse(stdout).changes).toMatchObject([
      { summary: expect.stringContaining('(1 edit in') },
    ])
  })
})

/** agentmail plugin, and whether the clients take what it leads to. */
import { spawnSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { agentmail, root } from '../support/agentmail.ts'
import { clients, commandOf, programOf } from '../support/clients/clients.ts'
import { describeWith, pathOf } from '../support/parts.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const plugins = join(root, 'plugins')

describe('agentmail plugin', () => {
  const run = (args: string[], home: string) =>
    agentmail(['plugin', ...args], { env: { HOME: home, PATH: '/usr/bin:/bin' } })

  it('prints the commands of the clients that are here, or that are named', async () => {
    const home = temporaryFolder()
    const nothing = await run([], home)
    expect(nothing.exitCode).toBe(1)
    expect(nothing.stderr).toContain('agentmail plugin claude|codex|copilot|gemini')
    mkdirSync(join(home, '.codex'))
    expect((await run([], home)).stdout).toBe(
      `# Codex\ncodex plugin marketplace add ${plugins}\ncodex plugin add agentmail@agentmail\n`,
    )
    const { folder, plugins: named } = JSON.parse((await run(['gemini', '--json'], home)).stdout)
    expect(folder).toBe(plugins)
    expect(named).toEqual([
      { client: 'gemini', commands: [`gemini extensions link ${join(plugins, 'gemini')}`] },
    ])
    expect((await run(['vscode'], home)).exitCode).toBe(1)
  })
})

describeWith(clients.map(programOf), 'the checks of the clients', () => {
  it.each([
    ['claude', ['plugin', 'validate', plugins]],
    ['claude', ['plugin', 'validate', join(plugins, 'agentmail'), '--profile', 'directory']],
    ['gemini', ['extensions', 'validate', join(plugins, 'gemini')]],
  ])('are passed: %s %j', (name, args) => {
    const client = clients.find((one) => one.name === name)
    if (!client) throw new Error(`there is no ${name}`)
    const home = temporaryFolder()
    const place = { home, folder: home, model: 'http://127.0.0.1:9' }
    const [command = '', ...rest] = commandOf({ ...client, args }, pathOf(programOf(client)), place)
    const { stdout, stderr, status } = spawnSync(command, rest, {
      encoding: 'utf8',
      timeout: 50_000,
    })
    expect(status, stdout + stderr).toBe(0)
    expect(stdout + stderr).toMatch(/Validation passed|successfully validated/)
  })
})

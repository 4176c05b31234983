/** agentmail plugin: how our plugin is installed, in place of what `agentmail setup` writes. */
import { Config } from '../../config.ts'
import { AgentMailError } from '../../errors.ts'
import { setupClients } from '../../setup/clients/clients.ts'
import { isInstalled } from '../../setup/found.ts'
import { pluginClients, pluginCommands, pluginsFolder } from '../../setup/plugin.ts'
import { oneOf, setupPlaces } from '../../setup/request.ts'
import type { Command } from '../command.ts'
import { print, printJson } from '../output.ts'

export const command: Command = {
  usage: '[client…]',
  summary: 'Print the commands that install the plugin for coding agents.',
  details: `Clients: ${pluginClients.join(', ')}; without a name, those that are installed. The plugin brings the
MCP server, the hooks, a skill and the commands /mail and /who. It is another way to what agentmail setup
writes: where both are, setup takes out its own. Nothing is changed by this; agentmail plugin claude | sh does it.`,
  exitCodes: { 1: 'no client that can have it was found' },
  maxPositionals: pluginClients.length,

  async run({ positionals, json }) {
    const named = positionals.map((name) => oneOf('clients', pluginClients, name))
    const places = await setupPlaces(new Config())
    const clients = pluginClients.filter((client) =>
      named.length > 0 ? named.includes(client) : isInstalled(setupClients[client], places),
    )
    if (clients.length === 0) {
      throw new AgentMailError(
        'not_found',
        'no coding client that can have the plugin was found',
        `Name one: agentmail plugin ${pluginClients.join('|')}`,
      )
    }
    const folder = pluginsFolder()
    if (folder === undefined) {
      throw new AgentMailError(
        'not_found',
        'this installation has no folder of plugins',
        'Install AgentMail again: npm install -g agent-post-office',
      )
    }
    const plugins = clients.map((client) => ({ client, commands: pluginCommands(client, folder) }))
    if (json) printJson({ folder, plugins })
    else {
      const lines = plugins.flatMap(({ client, commands }) => [
        `# ${setupClients[client].title}`,
        ...commands,
      ])
      print(lines.join('\n'))
    }
    return 0
  },
}

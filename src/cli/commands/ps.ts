/** agentmail ps: what is up, who is here, what waits. */
import { Config } from '../../config.ts'
import type { Command } from '../command.ts'
import { placeOptions } from '../coordination.ts'
import { print, printJson } from '../output.ts'

export const command: Command = {
  usage: '',
  summary: 'Show what is up, who is here, and what waits for you; nothing is started.',
  details:
    'JSON: project; server (null where none runs: url, page, state, version, pid, since, database, log);\nother_servers; mailman (null, or pid and log); agents as in agentmail agents; waiting (name: the\nagent that AGENTMAIL_AGENT or the session names, else the person; inbox, drafts, unknown_sends;\ncomplete: whether all could be asked); clients (client, state, next: what sets it up, or null); next.\nA server is ok, silent (it does not answer), database_unavailable or database_lost.',
  options: placeOptions,

  async run({ flags, json }) {
    const { overviewOf } = await import('../overview/overview.ts')
    const overview = await overviewOf(flags, new Config(flags))
    if (json) printJson(overview)
    else {
      const { wordsOfOverview } = await import('../overview/show.ts')
      print(wordsOfOverview(overview))
    }
    return 0
  },
}

/** agentmail up: the server and the mailman in the background, and what there is. */
import { Config, optionsOf } from '../../config.ts'
import { unreachable } from '../../connection/remote/remote-errors.ts'
import { namedServer } from '../../connection/remote/server-address.ts'
import { AgentMailError } from '../../errors.ts'
import { startMailman } from '../../mailbox/mailman/in-background.ts'
import { pidIfRunning } from '../../mailbox/mailman/pid-file.ts'
import { ownPane, viewFrom } from '../../mailbox/tmux.ts'
import { ensureServer } from '../../server/background.ts'
import { databaseOf } from '../../store/database.ts'
import type { Command } from '../command.ts'
import { print, printError, printJson } from '../output.ts'
import { officeHere, overviewOf, viewOfNamed } from '../overview/overview.ts'
import { wordsOfOverview } from '../overview/show.ts'

export const command: Command = {
  usage: '[--host <address>] [--port <n>] [--db <file>]',
  summary: 'Start the server in the background, and the mailman in tmux; show what there is.',
  details:
    'What runs already is left as it is, also a server that was started by agentmail serve. The server goes\non when the terminal ends: agentmail down stops it. Its log is in your state folder. With\nAGENTMAIL_SERVER the server is that one, and none is started.\nJSON: as agentmail ps, and started: what was started now (server, mailman).',
  exitCodes: {
    1: 'the server or the mailman could not be started; stderr says why',
    3: 'another program has the port',
  },
  options: optionsOf('host', 'port', 'db'),

  async run({ flags, json }) {
    const config = new Config(flags)
    const isServerStarted = await ensureUp(config)
    const mailman = await ensureMailman(config)
    const overview = await overviewOf(flags, config)
    const started = [
      ...(isServerStarted ? ['server'] : []),
      ...(mailman.isStarted ? ['mailman'] : []),
    ]
    if (json) printJson({ ...overview, started })
    else print(wordsOfOverview(overview, mailman.why))
    if (mailman.trouble !== undefined) printError(`error: ${mailman.trouble}`)
    return mailman.trouble === undefined ? 0 : 1
  },
}

async function ensureUp(config: Config): Promise<boolean> {
  const named = namedServer(config)
  if (named) {
    const { url } = named
    const { state } = await viewOfNamed(url)
    if (state === 'silent') throw unreachable(url, 'AgentMail does not answer there')
    return false
  }
  const { server, isStarted } = await ensureServer(config, databaseOf(config))
  const { port } = new URL(server.url)
  const wanted = config.isFlag('port') ? config.text('port')?.trim() : undefined
  if (wanted !== undefined && wanted !== '0' && wanted !== port) {
    printError(`The server runs already, at ${server.url}: for another port, agentmail down first.`)
  }
  return isStarted
}

interface MailmanState {
  isStarted: boolean
  /** Why none runs. */
  why?: string
  /** Why one that should could not be started. */
  trouble?: string
}

/** Only where there is a tmux pane to start it from, and a post office to watch. */
async function ensureMailman(config: Config): Promise<MailmanState> {
  const isStarted = false
  const office = await officeHere(config)
  if (!office) return { isStarted, why: 'not started: this is no repository with a post office' }
  if (pidIfRunning(office.pidFile) !== undefined) return { isStarted }
  const pane = ownPane(config)
  if (!pane) return { isStarted, why: 'not started: this is not tmux' }
  if (config.text('nudge')?.trim().toLowerCase() === 'off') {
    return { isStarted, why: 'not started: AGENTMAIL_NUDGE is off' }
  }
  try {
    await viewFrom(pane)
    office.create()
    const { failed, log } = await startMailman(office, config.environment(), false)
    if (failed === undefined) return { isStarted: true }
    if (pidIfRunning(office.pidFile) !== undefined) return { isStarted } // another was faster
    return { isStarted, trouble: `the mailman could not be started\nIts log says why: ${log}` }
  } catch (error) {
    if (AgentMailError.is(error, 'already_running')) return { isStarted }
    if (AgentMailError.is(error, 'tmux_lost')) {
      return { isStarted, why: 'not started: the tmux pane that TMUX_PANE names is gone' }
    }
    if (!AgentMailError.is(error)) throw error
    return { isStarted, trouble: error.text }
  }
}

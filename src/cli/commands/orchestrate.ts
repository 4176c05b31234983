/** agentmail orchestrate: work the inbox and the vault, from new mail to an approved reply. */
import { Config, optionsOf } from '../../config.ts'
import { AgentMailError } from '../../errors.ts'
import { report } from '../../system/log.ts'
import type { Command } from '../command.ts'
import { jsonLine } from '../output.ts'
import { line, localTime } from '../table.ts'

export const command: Command = {
  usage: '[--once] [--digest <HH:MM>]',
  summary: 'Take mail in, have replies drafted, and send those that you approve.',
  details: `New mail becomes a note in Needs_Action/ of the vault. A model (AGENTMAIL_LLM), or the rules in Rules.md,
propose what to do: a reply in Drafts/, which waits until you move it to Approved/ or say agentmail drafts
approve; or the mail goes to Done/, or waits for you. What you have approved is sent once and filed in Done/.

It goes on until Ctrl-C or kill; SIGUSR1 prints a summary. Everything it does is a line on stdout (with
--json, one event a line) and in Logs/ of the vault. One vault has one orchestrator: beside one that runs,
--once waits 10 seconds and ends with 1.

--digest 18:00 sends you a mail once a day from that time (local) on, with what came, what waits for you and
what left, to AGENTMAIL_DIGEST_TO or the address of the account; --once --digest now sends one at once, to try it.

Settings: AGENTMAIL_LLM (anthropic:<model> or openai:<model>), AGENTMAIL_LLM_API_KEY, AGENTMAIL_LLM_BASE_URL;
AGENTMAIL_INBOX_QUERY, AGENTMAIL_POLL_SECONDS, AGENTMAIL_QUIET_SECONDS, AGENTMAIL_RETRY_SECONDS;
GMAIL_MCP_SERVER and OBSIDIAN_MCP_SERVER (commands that start other servers). agentmail config explains them.`,
  exitCodes: {
    0: 'it was stopped; with --once: it has done all that it could',
    1: 'with --once: work waits that could not be done now (it says what and why; what waits for you does not count)',
    2: 'a setting is wrong, or there is no vault',
  },
  options: {
    once: { type: 'boolean', about: 'do what can be done now, then end, as from cron' },
    digest: {
      type: 'string',
      value: 'HH:MM',
      about: 'mail yourself once a day what came, waits and left',
    },
    ...optionsOf('vault', 'gmailAccount'),
  },

  async run({ flags, json }) {
    const { runOrchestrator } = await import('../../orchestrator/run-orchestrator.ts')
    const { digestTime } = await import('../../orchestrator/digest/digest-time.ts')
    const digestAt = typeof flags.digest === 'string' ? digestTime(flags.digest) : undefined
    if (digestAt === 'now' && flags.once !== true) {
      throw new AgentMailError(
        'server_config',
        '--digest now goes with --once',
        'Write agentmail orchestrate --once --digest now, or give a time of the day.',
      )
    }
    const ending = new AbortController()
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
      process.on(signal, () => (ending.signal.aborted ? process.exit(1) : ending.abort()))
    }
    return runOrchestrator(new Config(flags), {
      isOnce: flags.once === true,
      digestAt,
      signal: ending.signal,
      onEvent: (event) =>
        report(
          json
            ? jsonLine(event)
            : `${localTime(event.at).slice(11)} ${event.event.padEnd(9)} ${line(event.text)}`,
        ),
    })
  },
}

/** agentmail mailman: watch the mailboxes and nudge agents that have mail. */
import { Config } from '../../config.ts'
import { WaitingMessages } from '../../connection/waiting-messages.ts'
import { AgentMailError, notInTmux } from '../../errors.ts'
import { startMailman } from '../../mailbox/mailman/in-background.ts'
import {
  Mailman,
  type MailmanEvent,
  type MailmanOptions,
  nudgeWays,
} from '../../mailbox/mailman/mailman.ts'
import { OwnWays } from '../../mailbox/mailman/own-ways.ts'
import { takePidFile, warnOfStale } from '../../mailbox/mailman/pid-file.ts'
import { PostOffice } from '../../mailbox/post-office.ts'
import { ownPane, serverPid, viewFrom } from '../../mailbox/tmux.ts'
import { rfc3339, systemClock } from '../../system/clock.ts'
import { log, report } from '../../system/log.ts'
import { tellStarter } from '../../system/run-program.ts'
import type { Command } from '../command.ts'
import { jsonLine, print, printFailure, printJson } from '../output.ts'

export const command: Command = {
  usage: '[--daemon]',
  summary: 'Watch the mailboxes and nudge agents that have mail waiting.',
  details: [
    'An agent that has said ready and has new mail, or a new message in its channel @name, is nudged',
    'once, at most once a minute (AGENTMAIL_NUDGE_SECONDS). "Check your agentmail" is typed only into',
    'the pane of an agent that said ready while the mailman watched, and whose screen is as it was when',
    'it had settled after that.',
    "Everywhere else nothing is typed: tmux's status line says who has mail, and the window's bell rings.",
    'So it does after 10, 30 and 60 minutes for mail that still waits. AGENTMAIL_NUDGE=line never types,',
    'off does nothing. Ctrl-C or kill stops it. It ends with the tmux session it was started in.',
  ].join('\n'),
  exitCodes: {
    1: 'its tmux session has ended',
    2: 'it runs already, this is not tmux, or AGENTMAIL_NUDGE is none of its words',
  },
  options: {
    daemon: { type: 'boolean', about: 'run in the background; its log is .agentmail/mailman.log' },
  },

  async run({ flags, json }) {
    const config = new Config(flags)
    const pane = ownPane(config)
    if (!pane) {
      throw notInTmux('The mailman types into tmux windows, so start it in one of them.')
    }
    const way = config.choice('nudge', nudgeWays) ?? 'keys'
    const [view, office] = await Promise.all([viewFrom(pane), PostOffice.locate(config)])
    const { session } = view.pane
    office.create()
    return flags.daemon
      ? startDaemon(config, office, json)
      : work(config, { office, session, way }, json)
  },
}

async function work(
  config: Config,
  place: Pick<MailmanOptions, 'office' | 'session' | 'way'>,
  json: boolean,
): Promise<number> {
  const { office } = place
  const nudgeMs = config.number('nudgeSeconds') * 1000
  const pidFile = await takePidFile(office.pidFile)
  const say = (event: object, text: string) => report(json ? jsonLine(event) : text)
  try {
    warnOfStale(pidFile)
    const mailman = new Mailman({
      ...place,
      server: serverPid(config),
      clock: systemClock,
      nudgeMs,
      otherMail: new WaitingMessages(config),
      ownWays: new OwnWays(config, {
        ...{ office, clock: systemClock },
        patienceMs: config.number('wakeSeconds') * 1000,
      }),
      onEvent: (event) =>
        say({ at: rfc3339(systemClock.now()), ...event }, `${clockTime()} ${sentence(event)}`),
    })
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
      process.on(signal, () => mailman.stop())
    }
    const { pid } = process
    say(
      { event: 'started', pid, post_office: office.dir },
      `Mailman started (PID: ${pid}), watching ${office.dir}`,
    )
    tellStarter()
    await mailman.run()
    return 0
  } catch (error) {
    if (!AgentMailError.is(error, 'tmux_lost')) throw error
    log('the tmux session has ended, and the mailman with it')
    return 1
  } finally {
    pidFile.release()
  }
}

async function startDaemon(config: Config, office: PostOffice, json: boolean): Promise<number> {
  const started = await startMailman(office, config.environment(), json)
  if (started.failed !== undefined) {
    const next = `Its log says why: ${started.log}`
    printFailure(new AgentMailError('internal', 'the mailman could not be started', next), json)
    return started.failed
  }
  const { pid, log: logFile } = started
  if (json) printJson({ event: 'started', pid, log: logFile })
  else
    print(
      `Mailman started in the background (PID: ${pid}).\nIts log: ${logFile}\nStop it with: kill ${pid}`,
    )
  return 0
}

const clockTime = () => new Date(systemClock.now()).toTimeString().slice(0, 8)

function sentence(event: MailmanEvent): string {
  switch (event.event) {
    case 'settled':
      return `${event.agent} is ready`
    case 'nudged':
      if (event.by === 'keys') return `nudged ${event.agent}`
      return `${event.agent} has mail, told by line and bell: ${event.reason}`
    case 'failed':
      return `warning: ${event.reason}`
  }
}

/** agentmail mailman: watch the mailboxes and nudge agents that have mail. */
import { spawn } from 'node:child_process'
import { closeSync, fstatSync, ftruncateSync } from 'node:fs'
import { join } from 'node:path'
import { Config } from '../../config.ts'
import { WaitingMessages } from '../../connection/waiting-messages.ts'
import { AgentMailError, notInTmux } from '../../errors.ts'
import {
  Mailman,
  type MailmanEvent,
  type MailmanOptions,
  nudgeWays,
} from '../../mailbox/mailman/mailman.ts'
import { type PidFile, takePidFile } from '../../mailbox/mailman/pid-file.ts'
import { PostOffice } from '../../mailbox/post-office.ts'
import { ownPane, serverPid, viewFrom } from '../../mailbox/tmux.ts'
import { rfc3339, systemClock } from '../../system/clock.ts'
import { openRegularFile } from '../../system/files.ts'
import { log, report } from '../../system/log.ts'
import { withStorageErrors } from '../../system/post-office-folder.ts'
import type { Command } from '../command.ts'
import { jsonLine, print, printError, printJson } from '../output.ts'

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
    return flags.daemon ? startDaemon(office, json) : work(config, { office, session, way }, json)
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
    process.send?.({ started: pid })
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

/** Starts this same command detached, and stays until it has said that it runs. */
async function startDaemon(office: PostOffice, json: boolean): Promise<number> {
  const pidFile = await takePidFile(office.pidFile)
  warnOfStale(pidFile)
  pidFile.release()
  const logFile = join(office.dir, 'mailman.log')
  const output = withStorageErrors(() =>
    openRegularFile(logFile, { create: true, append: true, isPrivate: true }),
  )
  if (fstatSync(output).size > 1 << 20) ftruncateSync(output)
  const args = [process.argv[1] ?? '', 'mailman', ...(json ? ['--json'] : [])]
  const child = spawn(process.execPath, args, {
    detached: true,
    stdio: ['ignore', output, output, 'ipc'],
  })
  closeSync(output)
  const failed = await new Promise<number | undefined>((resolve) => {
    child.on('message', () => resolve(undefined))
    child.on('exit', (code) => resolve(code ?? 1))
  })
  if (failed !== undefined) {
    printError(`error: the mailman could not be started\nIts log says why: ${logFile}\n`)
    return failed
  }
  if (json) printJson({ event: 'started', pid: child.pid, log: logFile })
  else
    print(
      `Mailman started in the background (PID: ${child.pid}).\nIts log: ${logFile}\nStop it with: kill ${child.pid}`,
    )
  child.disconnect()
  child.unref()
  return 0
}

function warnOfStale({ stale }: PidFile): void {
  const who = stale && /^\d{1,10}$/.test(stale) ? `PID ${stale}` : 'no readable PID'
  if (stale) log(`warning: a mailman with ${who} ended without a word; taking over from it`)
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

/** agentmail wake: wait in the background of Claude Code for mail to its session, and wake it by exit code 2. */
import { existsSync } from 'node:fs'
import { isAbsolute } from 'node:path'
import { Config } from '../../config.ts'
import { readHook } from '../../hooks/read-hook.ts'
import { settings } from '../../settings.ts'
import { logNothing } from '../../system/log.ts'
import { isAlive } from '../../system/run-program.ts'
import { ifSoon } from '../../system/time-limit.ts'
import type { Command } from '../command.ts'
import { printError } from '../output.ts'
import { pipedText } from '../piped-text.ts'

/** As setup gives it to the client, which may have gone without ending it. */
const longestMs = 86_400_000
const lookMs = 2_000
const maxInputBytes = 1 << 20
/** A session that waits for its hooks is not to wait for long. */
const upMs = 4_000

export const command: Command = {
  usage: '<claude|qwen> [--up]',
  summary: 'Wait for mail to a session of Claude Code, and wake it (agentmail setup writes this).',
  details: 'Qwen Code cannot be woken: for it the server is started with --up, and that is all.',
  options: {
    up: {
      type: 'boolean',
      about:
        "the session's hooks ask the server: start it when the session starts, if none runs, and again when it was killed",
    },
  },
  exitCodes: { 0: 'nothing to wake it for', 2: 'mail waits, as stderr says' },
  maxPositionals: Number.POSITIVE_INFINITY,
  toleratesBadSettings: true,
  answerError: () => 0,

  async run({ flags, positionals: [client = ''] }) {
    const config = new Config()
    if (!['claude', 'qwen'].includes(client) || config.text('copilot') !== undefined) return 0
    logNothing()
    const input = await pipedText(true, maxInputBytes)
    if (input === undefined) return 0
    const { told } = readHook(client, input)
    process.chdir(folderOf(config, told))
    const isUp = flags.up === true && config.text('server') === undefined
    const up = isUp ? () => bringUp(config) : undefined
    // Whoever waits for its end would wait for a day.
    const isWaitedFor = client !== 'claude' || config.text('claudeAttended')?.trim() !== '1'
    if (up && told.moment.kind === 'session-start') await ifSoon(isWaitedFor ? upMs : longestMs, up)
    if (isWaitedFor) return 0
    const { untilWoken } = await import('../../hooks/wake.ts')
    const session = { client, session: told.session }
    const text = await untilWoken(config, session, endOf(config), up)
    if (text === undefined) return 0
    printError(text)
    return 2
  },
}

/** The server is nobody's: it is not to take itself for the session that has started it. Without one the session goes on. */
async function bringUp(config: Config): Promise<void> {
  const [{ ensureServer }, { databaseOf }] = await Promise.all([
    import('../../server/background.ts'),
    import('../../store/database.ts'),
  ])
  const ofNobody = config.with(
    Object.fromEntries(paneSettings.map((name) => [settings[name].env, undefined])),
  )
  await ensureServer(ofNobody, databaseOf(config)).catch(() => {})
}

/** Whose window it is; what the client says of its session no server is given. */
const paneSettings = ['agent', 'tmux', 'tmuxPane'] as const

type Told = ReturnType<typeof readHook>['told']

/** Where the session began: it may have gone into another folder since. */
function folderOf(config: Config, { cwd, moment }: Told): string {
  const project = config.text('claudeProject')
  const isStart = moment.kind === 'session-start'
  return isStart || !project || !isAbsolute(project) || !existsSync(project) ? cwd : project
}

/** Fires when the client has gone, whatever became of this process' parents, and when it ends this one. */
function endOf(config: Config): AbortSignal {
  const over = new AbortController()
  const end = () => over.abort()
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, end)
  const { ppid } = process
  const client = Number(config.text('claudePid'))
  const look = () => {
    if (process.ppid !== ppid || (client > 1 && !isAlive(client))) end()
  }
  setInterval(look, lookMs).unref()
  setTimeout(end, longestMs).unref()
  return over.signal
}

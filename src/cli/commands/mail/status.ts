/** agentmail mail status and logout: which service it is, whether it works, and how to be rid of a login. */
import { Config } from '../../../config.ts'
import type { ServiceState } from '../../../email/service-answer.ts'
import { serviceState } from '../../../email/service-state.ts'
import { forgetLogin, keptLoginPath } from '../../../providers/imap/login/kept-login.ts'
import { loginMs } from '../../../providers/mail-server.ts'
import { elapsedMs } from '../../../system/clock.ts'
import type { Call } from '../../command.ts'
import { print, printJson } from '../../output.ts'
import { ProgressLine } from '../../progress-line.ts'
import { atMost } from '../../subcommands.ts'
import { line } from '../../table.ts'

export async function status({ flags, positionals, json }: Call): Promise<number> {
  atMost(0, positionals)
  const asked = serviceState({ config: new Config(flags), limitMs: loginMs })
  const state = await awaited(asked, json)
  if (json) printJson(state)
  else print(told(state))
  return state.state === 'ok' || state.state === 'soon' ? 0 : 1
}

/** A server may take long to answer those who were wrong before. */
async function awaited<T>(work: Promise<T>, isSilent: boolean): Promise<T> {
  const progress = new ProgressLine(isSilent)
  const began = elapsedMs()
  const tell = () =>
    progress.tell(`Waiting for the mail service: ${Math.round((elapsedMs() - began) / 1000)} s …`)
  const timer = setInterval(tell, 1000)
  try {
    return await work
  } finally {
    clearInterval(timer)
    progress.end()
  }
}

export async function logout({ flags, positionals, json }: Call): Promise<number> {
  atMost(0, positionals)
  const config = new Config(flags)
  const path = keptLoginPath(config)
  const removed = await forgetLogin(config)
  if (json) printJson({ path, removed })
  else if (removed) print(`Logged out: ${line(path)} is removed.`)
  else print(`There is nothing to log out of: no login at ${line(path)}.`)
  return 0
}

function told(state: ServiceState): string {
  const { name, address, chosen_by, says, note, next } = state
  if (state.state === 'none') return `No mail service is set up.\n${next}`
  const who = address === null ? name : `${name}, ${address}`
  const since = chosen_by === null ? '' : ` (by ${chosen_by})`
  const isFine = state.state === 'ok'
  return [
    `${line(who)}${since}`,
    `  Reading  ${way(state.reads_at, state.reads)}`,
    `  Sending  ${way(state.sends_at, state.sends)}`,
    ...(note === null ? [] : ['', `${line(note)}.`]),
    ...(isFine ? [] : ['', `${line(says)}.${next === null ? '' : `\n${line(next)}`}`]),
  ].join('\n')
}

function way(place: string | null, works: boolean | null): string {
  const how = works === null ? 'no' : works ? 'works' : 'does not work'
  return place === null ? how : `${how}: ${line(place)}`
}

/** agentmail mail status and logout: which service it is, whether it works, and how to be rid of a login. */
import { Config } from '../../../config.ts'
import { type ServiceState, serviceState } from '../../../email/service-state.ts'
import { forgetLogin, keptLoginPath } from '../../../providers/imap/login/kept-login.ts'
import type { Call } from '../../command.ts'
import { print, printJson } from '../../output.ts'
import { atMost } from '../../subcommands.ts'
import { line } from '../../table.ts'

export async function status({ flags, positionals, json }: Call): Promise<number> {
  atMost(0, positionals)
  const state = await serviceState(new Config(flags))
  if (json) printJson(state)
  else print(told(state))
  return state.state === 'ok' || state.state === 'soon' ? 0 : 1
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
  const { name, address, chosen_by, says, next } = state
  if (state.state === 'none') return `No mail service is set up.\n${next}`
  const who = address === null ? name : `${name}, ${address}`
  const since = chosen_by === null ? '' : ` (by ${chosen_by})`
  const isFine = state.state === 'ok'
  return [
    `${line(who)}${since}`,
    `  Reading  ${way(state.reads_at, state.reads)}`,
    `  Sending  ${way(state.sends_at, state.sends)}`,
    ...(isFine ? [] : ['', `${line(says)}.${next === null ? '' : `\n${line(next)}`}`]),
  ].join('\n')
}

function way(place: string | null, works: boolean | null): string {
  const how = works === null ? 'no' : works ? 'works' : 'does not work'
  return place === null ? how : `${how}: ${line(place)}`
}

/** Whether Codex runs our hooks: it leaves out those that its user has not trusted, without a word. */
import type { Places, Scope } from '../../setup/clients/client.ts'
import { codexClient } from '../../setup/clients/codex.ts'
import { configText, readConfigFile } from '../../setup/config-file.ts'
import { entryIn } from '../../setup/entries.ts'
import { onPath } from '../../setup/found.ts'
import { isOwnHook } from '../../setup/own.ts'
import { currentFolder } from '../../system/post-office-folder.ts'
import { isRecord } from '../../system/text.ts'
import { version } from '../../version.ts'
import { askProgram } from './ask-program.ts'

const answerMs = 4_000

export type Trust = 'trusted' | 'untrusted' | 'unknown'

/** Codex itself is asked only where its file says that something was trusted: to ask it leaves files in its folder. */
export async function codexTrust(places: Places, scope: Scope): Promise<Trust> {
  const hooks = codexClient.hooks?.(places, scope).path ?? ''
  if (!Object.keys(trustedIn(places)).some((key) => key.startsWith(`${hooks}:`))) return 'untrusted'
  const program = onPath('codex', places.env)
  const listed = program === undefined ? [] : await hooksListed(program, places)
  const own = listed.filter((hook) => isOwnHook(hook) && hook.sourcePath === hooks)
  if (own.length === 0) return 'unknown'
  const isTrusted = ({ trustStatus, isManaged }: Record<string, unknown>) =>
    isManaged === true || trustStatus === 'trusted'
  return own.every(isTrusted) ? 'trusted' : 'untrusted'
}

/** What its user has decided stands in the user's own file, whatever file a hook is in. */
function trustedIn(places: Places): Record<string, unknown> {
  const { path } = codexClient.servers(places, 'user')
  try {
    const state = entryIn(configText(readConfigFile(path)), path, ['hooks', 'state'])
    return isRecord(state) ? state : {}
  } catch {
    return {} // told of where its parts are looked at
  }
}

async function hooksListed(program: string, { env }: Places): Promise<Record<string, unknown>[]> {
  const cwd = currentFolder()
  const clientInfo = { name: 'agentmail', title: 'AgentMail', version }
  const { result } = await askProgram(
    { command: [program, 'app-server'], env: textsOf(env), cwd },
    [
      { id: 1, method: 'initialize', params: { clientInfo } },
      { method: 'initialized' },
      { id: 2, method: 'hooks/list', params: { cwds: [cwd] } },
    ],
    answerMs,
  )
  const places = Array.isArray(result?.data) ? result.data.filter(isRecord) : []
  return places.flatMap(({ hooks }) => (Array.isArray(hooks) ? hooks.filter(isRecord) : []))
}

const textsOf = (env: Places['env']): Record<string, string> =>
  Object.fromEntries(
    Object.entries(env).filter((pair): pair is [string, string] => pair[1] !== undefined),
  )

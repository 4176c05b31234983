/** Whether an entry is exactly as setup writes it, in whichever way it was asked: what a person has written or changed is theirs. */
import { isDeepStrictEqual } from 'node:util'
import { isRecord } from '../system/text.ts'
import {
  isTrusted,
  type SetupClient,
  scopes,
  serverNameOf,
  setupToolsets,
  type Wanted,
} from './clients/client.ts'
import { frameOf, handlersOf, isOwnServer, type OwnEntries, toolsetOf } from './own.ts'

const yesOrNo = [true, false]

export const exactEntries = (client: SetupClient): OwnEntries => ({
  isServer(name, entry) {
    const toolset = toolsetOf(name)
    if (!isRecord(entry) || !toolset || !isOwnServer(name, entry)) return false
    const env = [entry.env, entry.environment].find(isRecord)
    const url = textIn(entry.url, entry.httpUrl)
    const said = { program: textIn(entry.command), vault: textIn(env?.VAULT_PATH) }
    return waysToAsk(said, url).some((wanted) =>
      isDeepStrictEqual(client.mcpEntryOf(toolset, wanted), entry),
    )
  },

  isHook(handler, group, event) {
    if (!isRecord(handler)) return false
    const [, program] = command.exec(textIn(handler.command, handler.bash) ?? '') ?? []
    const [, port] = /:(\d+)\/hooks\//.exec(textIn(handler.url) ?? '') ?? []
    const said = { program: program && unquoted(program), port: Number(port) }
    // The address of a server elsewhere is in no hook.
    const ways = [...waysToAsk(said), ...waysToAsk(said, 'http://elsewhere/mcp')]
    const groups = ways.flatMap((wanted) => client.hooksOf?.(wanted)[event] ?? [])
    return groups.some(
      (one) =>
        isDeepStrictEqual(frameOf(one), frameOf(group)) &&
        handlersOf(one).some((ours) => isDeepStrictEqual(ours, handler)),
    )
  },

  isPermission: (rule) =>
    setupToolsets
      .filter(isTrusted)
      .flatMap((toolset) => [serverNameOf(toolset), `plugin_agentmail_${serverNameOf(toolset)}`])
      .some((name) => rule === `mcp__${name}`),
})

const command = /^(?:\[ -n "\$COPILOT_CLI" \] \|\| )?(.+) (?:hook|wake) \w+/

const textIn = (...values: unknown[]): string | undefined =>
  values.flat().find((value) => typeof value === 'string')

/** As a shell reads one word. */
const unquoted = (word: string): string =>
  /^'.*'$/s.test(word) ? word.slice(1, -1).replaceAll("'\\''", "'") : word

/** With what an entry says of itself, all that setup may have been asked. */
function waysToAsk(
  {
    program = '',
    port = 0,
    vault,
  }: { program?: string | undefined; port?: number; vault?: string | undefined },
  url?: string,
): Wanted[] {
  const servers = url === undefined ? [undefined] : yesOrNo.map((hasToken) => ({ url, hasToken }))
  return scopes.flatMap((scope) =>
    yesOrNo.flatMap((isGuardClosed) =>
      servers.map((server) => ({ program, port, vault, scope, isGuardClosed, server })),
    ),
  )
}

/** What a command that a client has started knows of its surroundings, as headers on its way to a server. */
import type { Config } from '../config.ts'
import type { Surroundings } from '../sessions/moment.ts'
import { settings } from '../settings.ts'

/** What comes with a hook beside its input. */
export interface HookHeaders {
  around: Surroundings | undefined
  /** AGENTMAIL_PROJECT. */
  project: string | undefined
  /** What the file of the repository says instead. */
  wished?: string | undefined
}

const names = {
  /** There is such a command, whatever else it knows. */
  command: 'x-agentmail-hook',
  agent: 'x-agentmail-agent',
  tmux: 'x-agentmail-tmux',
  guard: 'x-agentmail-guard',
  autoClaim: 'x-agentmail-auto-claim',
  project: 'x-agentmail-project',
  wished: 'x-agentmail-wished-project',
} as const

/** What the environment says; nothing is started to know more. */
export function surroundingsOf(config: Config): Surroundings {
  const chosen = (name: 'guard' | 'autoClaim') =>
    config.isSet(name) ? config.text(name)?.trim().toLowerCase() : undefined
  return { name: config.text('agent'), guard: chosen('guard'), autoClaim: chosen('autoClaim') }
}

/** Any letter may stand in a name, and few may stand in a header. */
export function surroundingHeaders({
  around,
  project,
  wished,
}: HookHeaders): Record<string, string> {
  const { name, tmux, guard, autoClaim } = around ?? {}
  const source = tmux?.isGiven ? 'given' : 'window'
  const given = {
    [names.command]: around && 'command',
    [names.agent]: name,
    [names.tmux]: tmux && `${tmux.pane} ${tmux.server} ${source} ${tmux.name}`,
    [names.guard]: guard,
    [names.autoClaim]: autoClaim,
    [names.project]: project,
    [names.wished]: wished,
  }
  const sent = Object.entries(given).filter((entry): entry is [string, string] => Boolean(entry[1]))
  return Object.fromEntries(sent.map(([header, value]) => [header, encodeURIComponent(value)]))
}

type Headers = Readonly<Record<string, string | string[] | undefined>>

/** What is not as it must be counts as not said. */
export function readHookHeaders(headers: Headers): HookHeaders {
  const read = (header: string) => decoded(headers[header])
  const oneOf = (words: readonly string[], word: string | undefined) =>
    word !== undefined && words.includes(word) ? word : undefined
  const [, pane = '', server, source, tmuxName] =
    /^(%\d{1,9}) (\d{1,10}) (given|window) (.+)$/.exec(read(names.tmux) ?? '') ?? []
  const around: Surroundings = {
    name: read(names.agent),
    tmux: tmuxName
      ? { pane, server: Number(server), name: tmuxName, isGiven: source === 'given' }
      : undefined,
    guard: oneOf(settings.guard.words, read(names.guard)),
    autoClaim: oneOf(settings.autoClaim.words, read(names.autoClaim)),
  }
  return {
    around: read(names.command) === undefined ? undefined : around,
    project: read(names.project),
    wished: read(names.wished),
  }
}

/** A text without anything that steers, and no longer than a name may be. */
function decoded(value: string | string[] | undefined): string | undefined {
  if (typeof value !== 'string' || value.length > 3000) return undefined
  try {
    const text = decodeURIComponent(value)
    const isName = text.length <= 255 && text.trim() !== '' && !/\p{Cc}/u.test(text)
    return isName && text.isWellFormed() ? text : undefined
  } catch {
    return undefined
  }
}

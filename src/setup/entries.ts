/** Puts the entries of AgentMail into the text of a file, brings old ones up to date, and takes them out again. */
import { isDeepStrictEqual } from 'node:util'
import { AgentMailError } from '../errors.ts'
import { isRecord } from '../system/text.ts'
import { type Entry, type HooksByEvent, serverNameOf } from './clients/client.ts'
import { JsonDocument } from './json-document.ts'
import { handlersOf, isOwnHook, isOwnServer, ownEntries, toolsetOf } from './own.ts'
import type { FileParts } from './parts.ts'
import { TomlDocument } from './toml-document.ts'

const documentOf = (path: string, text: string): JsonDocument | TomlDocument =>
  path.endsWith('.toml') ? new TomlDocument(text) : new JsonDocument(text)

export function withEntries(text: string, parts: FileParts): string {
  const document = documentOf(parts.path, text)
  if (document instanceof JsonDocument && document.value !== undefined) objectOf(document, [])
  putServers(document, parts)
  if (document instanceof TomlDocument) return document.text
  const { hooks, allowed } = parts
  if (allowed) {
    const there = listOf(document, allowed.at)
    const missing = allowed.values.filter(
      (value) => !there.includes(value) && !there.includes(`${value}__*`),
    )
    if (there.length === 0 && missing.length > 0) document.set(allowed.at, missing)
    else {
      for (const [index, value] of missing.entries()) {
        document.set([...allowed.at, there.length + index], value)
      }
    }
  }
  if (hooks) {
    if (Object.keys(hooks.byEvent).length > 0) {
      for (const [key, value] of Object.entries(hooks.beside)) {
        if (document.at([key]) === undefined) document.set([key], value)
      }
    }
    const text = document.text
    for (const event of eventsOf(document, hooks.at, hooks.byEvent)) {
      reconcile(document, [...hooks.at, event], hooks.byEvent[event] ?? [])
    }
    if (document.text !== text) prune(document, hooks.at)
  }
  return document.text
}

/** @param before as the file was before us: what was empty there stays, empty. */
export function withoutEntries(
  text: string,
  parts: FileParts,
  before?: string,
  own = ownEntries,
): string {
  const document = documentOf(parts.path, text)
  const first = before === undefined ? undefined : documentOf(parts.path, before)
  const { servers, hooks, allowed } = parts
  for (const name of servers ? Object.keys(objectOf(document, servers.at)) : []) {
    const path = [...(servers?.at ?? []), name]
    if (own.isServer(name, document.at(path))) document.remove(path)
  }
  if (document instanceof TomlDocument) return document.text
  if (allowed) {
    listOf(document, allowed.at).forEach((_, index, { length }) => {
      const path = [...allowed.at, length - 1 - index]
      if (own.isPermission(document.at(path))) document.remove(path)
    })
  }
  for (const event of hooks ? eventsOf(document, hooks.at) : []) {
    reconcile(document, [...(hooks?.at ?? []), event], [], own)
  }
  if (document.text === text) return text
  for (const spot of [servers, hooks, allowed]) if (spot) prune(document, spot.at, first)
  if (hooks && document.at(hooks.at) === undefined) {
    const isAll = Object.keys(objectOf(document, [])).every((key) =>
      Object.hasOwn(hooks.beside, key),
    )
    if (isAll) for (const key of Object.keys(hooks.beside)) document.remove([key])
  }
  return document.text
}

/** Whether nothing is said in it any more. */
export const saysNothing = (text: string): boolean => /^[\ufeff\s]*(\{\s*\})?\s*$/.test(text)

function putServers(document: JsonDocument | TomlDocument, { servers }: FileParts): void {
  if (!servers) return
  const there = objectOf(document, servers.at)
  const old = Object.keys(there).flatMap((name) => {
    const toolset = isOwnServer(name, there[name]) ? toolsetOf(name) : undefined
    return toolset ? [toolset] : []
  })
  for (const toolset of new Set([...servers.toolsets, ...old])) {
    const name = serverNameOf(toolset)
    if (servers.without.includes(toolset)) {
      document.remove([...servers.at, name])
      continue
    }
    const entry = there[name]
    if (entry !== undefined && !isOwnServer(name, entry)) {
      throw new AgentMailError(
        'conflict',
        `it has a server called ${name} that does not start AgentMail`,
        'Give that one another name, and run this again.',
      )
    }
    const ours = servers.entryOf(toolset)
    document.set([...servers.at, name], isRecord(entry) ? merged(entry, ours) : ours)
  }
  const isLess = servers.without.some((toolset) => old.includes(toolset))
  if (isLess && document instanceof JsonDocument) prune(document, servers.at)
}

/** What says how it is reached is ours; what a person has added or chosen beside that is theirs. */
const managed = [
  ...['type', 'command', 'args', 'url', 'httpUrl', 'headers'],
  ...['env_vars', 'bearer_token_env_var'],
]

function merged(there: Entry, ours: Entry): Entry {
  const kept = Object.fromEntries(Object.entries(there).filter(([key]) => !managed.includes(key)))
  const both = { ...ours, ...kept }
  for (const key of ['env', 'environment', 'headers']) {
    const [old, own] = [there[key], ours[key]]
    if (isRecord(own)) both[key] = isRecord(old) ? { ...old, ...own } : own
  }
  const [old, own] = [there.env_vars, ours.env_vars]
  if (Array.isArray(old) && Array.isArray(own)) {
    const more = own.filter((name) => !old.includes(name))
    both.env_vars = [...old, ...more]
  }
  return both
}

/** Those that are there, and those that are to be; what is no list is an option of the client. */
function eventsOf(document: JsonDocument, at: string[], wanted: HooksByEvent = {}): Set<string> {
  const there = Object.entries(objectOf(document, at))
  const lists = there.filter(([, value]) => Array.isArray(value)).map(([event]) => event)
  return new Set([...lists, ...Object.keys(wanted)])
}

/** The groups of an event that are ours become these, in their places; those of others stay. */
function reconcile(
  document: JsonDocument,
  at: string[],
  wanted: Entry[],
  { isHook } = ownEntries,
): void {
  const groups = listOf(document, at)
  const areOurs = (group: unknown) =>
    handlersOf(group).map((handler) => isHook(handler, group, at.at(-1) ?? ''))
  const isOurs = (group: unknown) => {
    const ours = areOurs(group)
    return ours.length > 0 && !ours.includes(false)
  }
  if (wanted.length === 0 && groups.length === 0) return
  groups.forEach((group, index) => {
    const ours = isOurs(group) ? [] : areOurs(group) // else somebody may have put another beside ours
    for (let place = ours.length - 1; place >= 0; place--) {
      if (ours[place]) document.remove([...at, index, 'hooks', place])
    }
  })
  const places = groups.flatMap((group, index) => (isOurs(group) ? [index] : []))
  const old = places.map((index) => document.at([...at, index]))
  if (isDeepStrictEqual(old, wanted)) return
  for (const index of places.slice(wanted.length).reverse()) document.remove([...at, index])
  wanted.forEach((group, index) => {
    document.set([...at, places[index] ?? listOf(document, at).length], group)
  })
  if (listOf(document, at).length === 0) document.remove(at)
}

/** Objects and lists that are empty now, from within; not those that were there before us. */
function prune(document: JsonDocument, at: string[], before?: JsonDocument | TomlDocument): void {
  for (let path = at; path.length > 0; path = path.slice(0, -1)) {
    const value = document.at(path)
    const isEmpty = Array.isArray(value)
      ? value.length === 0
      : isRecord(value) && Object.keys(value).length === 0
    if (!isEmpty || before?.at(path) !== undefined) return
    document.remove(path)
  }
}

function objectOf(document: JsonDocument | TomlDocument, at: string[]): Entry {
  const value =
    document instanceof JsonDocument && at.length === 0 ? document.value : document.at(at)
  if (value === undefined) return {}
  if (isRecord(value)) return value
  throw notThis(at, 'an object')
}

function listOf(document: JsonDocument, at: string[]): unknown[] {
  const value = document.at(at)
  if (value === undefined) return []
  if (Array.isArray(value)) return value
  throw notThis(at, 'a list')
}

const notThis = (at: string[], what: string) =>
  new AgentMailError(
    'bad_config',
    `${at.length === 0 ? 'the whole of it' : `"${at.join('.')}" in it`} is not ${what}`,
    'Correct it, and run this again.',
  )

/** What a file says at this place. */
export const entryIn = (text: string, path: string, at: string[]): unknown =>
  documentOf(path, text).at(at)

/** The hooks at this spot that are ours. */
export function ownHooksIn(text: string, { at }: { at: string[] }): Entry[] {
  const groups = Object.values(objectOf(new JsonDocument(text), at)).flat()
  return groups.flatMap(handlersOf).filter(isOwnHook).filter(isRecord)
}

/** What is ours by what it does, as a person finds it in the file. */
export function ownNamesIn(text: string, { path, servers, hooks, allowed }: FileParts): string[] {
  const document = documentOf(path, text)
  const inServers = Object.entries(servers ? objectOf(document, servers.at) : {})
    .filter(([name, entry]) => isOwnServer(name, entry))
    .map(([name]) => [...(servers?.at ?? []), name].join('.'))
  if (document instanceof TomlDocument) return inServers
  const inHooks = Object.entries(hooks ? objectOf(document, hooks.at) : {})
    .filter(([, groups]) => [groups].flat().flatMap(handlersOf).some(isOwnHook))
    .map(([event]) => [...(hooks?.at ?? []), event].join('.'))
  const rules = allowed ? listOf(document, allowed.at).filter(ownEntries.isPermission) : []
  return [...inServers, ...inHooks, ...rules.map(String)]
}

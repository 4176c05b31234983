/** How entries of AgentMail are told from those of others: by what they start or call, in whatever version they were written. */
import { isRecord } from '../system/text.ts'
import { type SetupToolset, serverNameOf, setupToolsets } from './clients/client.ts'

/** What is taken for ours: by what it does, or only what is exactly as setup writes it. */
export interface OwnEntries {
  isServer(name: string, entry: unknown): boolean
  isHook(handler: unknown, group: unknown, event: string): boolean
  isPermission(rule: unknown): boolean
}

const programs = /(?:^|[\\/])(?:agentmail(?:\.cjs|\.cmd)?|agent-post-office)$/

export const toolsetOf = (server: string): SetupToolset | undefined =>
  setupToolsets.find((toolset) => serverNameOf(toolset) === server)

/** A name of ours alone is not enough: others may have chosen it. */
export function isOwnServer(name: string, entry: unknown): boolean {
  if (!isRecord(entry) || !/^agentmail(-\w+)?$/.test(name)) return false
  const { command, args, url, httpUrl } = entry
  const words = [command, args].flat().filter((word) => typeof word === 'string')
  if (words.some((word) => programs.test(word)) && words.includes('mcp')) return true
  const address = [url, httpUrl].find((text) => typeof text === 'string')
  return typeof address === 'string' && /^https?:\/\/[^/]+\/(mcp|sse)(\/|\?|$)/.test(address)
}

/** Also those that people were told to paste before there was `agentmail setup`. */
const commands =
  /(?:^|[\s/'"])agentmail(?:\.cjs)?['"]?\s+(?:(?:hook|wake)\s+\w+|receive --hook|status (?:ready|work|offline))\b/

export function isOwnHook(handler: unknown): boolean {
  if (!isRecord(handler)) return false
  const { command, bash, powershell, url } = handler
  if (
    typeof url === 'string' &&
    /^http:\/\/(127\.0\.0\.1|localhost)(:\d+)?\/hooks\/(claude|qwen)$/.test(url)
  ) {
    return handler.type === 'http'
  }
  return [command, bash, powershell].some((text) => typeof text === 'string' && commands.test(text))
}

/** Of those that Claude Code lets run without a question. */
const isOwnPermission = (rule: unknown): rule is string =>
  typeof rule === 'string' && /^mcp__(plugin_agentmail_)?agentmail(-\w+)?(__\*)?$/.test(rule)

export const ownEntries: OwnEntries = {
  isServer: isOwnServer,
  isHook: isOwnHook,
  isPermission: isOwnPermission,
}

/** Some clients have the handlers of an event in groups. */
export const handlersOf = (group: unknown): unknown[] =>
  isRecord(group) && Array.isArray(group.hooks) ? group.hooks : [group]

/** A group without its handlers. */
export function frameOf(group: unknown): Record<string, unknown> {
  if (!isRecord(group) || !Array.isArray(group.hooks)) return {}
  const { hooks, ...frame } = group
  return frame
}

/** Every command by its name, each a file of its own that is loaded only when it is called. */
import type { Command } from './command.ts'

export const commands: Record<string, () => Promise<{ command: Command }>> = {
  send: () => import('./commands/send.ts'),
  receive: () => import('./commands/receive.ts'),
  inbox: () => import('./commands/inbox.ts'),
  reply: () => import('./commands/reply.ts'),
  sent: () => import('./commands/sent.ts'),
  recipients: () => import('./commands/recipients.ts'),
  name: () => import('./commands/name.ts'),
  status: () => import('./commands/status.ts'),
  mailman: () => import('./commands/mailman.ts'),
  cleanup: () => import('./commands/cleanup.ts'),
  doctor: () => import('./commands/doctor.ts'),
  onboard: () => import('./commands/onboard.ts'),
  serve: () => import('./commands/serve.ts'),
  agents: () => import('./commands/agents.ts'),
  messages: () => import('./commands/messages.ts'),
  post: () => import('./commands/post.ts'),
  claims: () => import('./commands/claims.ts'),
  claim: () => import('./commands/claim.ts'),
  release: () => import('./commands/release.ts'),
  changes: () => import('./commands/changes.ts'),
  announce: () => import('./commands/announce.ts'),
  search: () => import('./commands/search.ts'),
  history: () => import('./commands/history.ts'),
  projects: () => import('./commands/projects.ts'),
  db: () => import('./commands/db/db.ts'),
  vault: () => import('./commands/vault/vault.ts'),
  mail: () => import('./commands/mail/mail.ts'),
  drafts: () => import('./commands/drafts/drafts.ts'),
  gmail: () => import('./commands/gmail/gmail.ts'),
  orchestrate: () => import('./commands/orchestrate.ts'),
  demo: () => import('./commands/demo/demo.ts'),
  mcp: () => import('./commands/mcp.ts'),
  config: () => import('./commands/config.ts'),
}

/** Those that AgentMail starts by itself, in no help and no manual. */
export const ownCommands: typeof commands = {
  'post-notices': () => import('./commands/post-notices.ts'),
}

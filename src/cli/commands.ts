/** Every command by its name, in the groups of the overview; each is a file of its own that is loaded only when it is called. */
import type { Command } from './command.ts'

type Load = () => Promise<{ command: Command }>

export const commandGroups: Record<string, Record<string, Load>> = {
  Talk: {
    send: () => import('./commands/send.ts'),
    receive: () => import('./commands/receive.ts'),
    inbox: () => import('./commands/inbox.ts'),
    reply: () => import('./commands/reply.ts'),
    sent: () => import('./commands/sent.ts'),
    post: () => import('./commands/post.ts'),
    messages: () => import('./commands/messages.ts'),
    status: () => import('./commands/status.ts'),
    name: () => import('./commands/name.ts'),
  },
  'Who is here, and what happened': {
    agents: () => import('./commands/agents.ts'),
    recipients: () => import('./commands/recipients.ts'),
    search: () => import('./commands/search.ts'),
    history: () => import('./commands/history.ts'),
    projects: () => import('./commands/projects.ts'),
  },
  Files: {
    claim: () => import('./commands/claim.ts'),
    release: () => import('./commands/release.ts'),
    claims: () => import('./commands/claims.ts'),
    announce: () => import('./commands/announce.ts'),
    changes: () => import('./commands/changes.ts'),
    guard: () => import('./commands/guard/guard.ts'),
  },
  'Set up and run': {
    up: () => import('./commands/up.ts'),
    setup: () => import('./commands/setup.ts'),
    plugin: () => import('./commands/plugin.ts'),
    ps: () => import('./commands/ps.ts'),
    down: () => import('./commands/down.ts'),
    demo: () => import('./commands/demo/demo.ts'),
    onboard: () => import('./commands/onboard.ts'),
    config: () => import('./commands/config/config.ts'),
    serve: () => import('./commands/serve.ts'),
    mcp: () => import('./commands/mcp.ts'),
    mailman: () => import('./commands/mailman.ts'),
    hook: () => import('./commands/hook.ts'),
  },
  'Mail and notes': {
    mail: () => import('./commands/mail/mail.ts'),
    drafts: () => import('./commands/drafts/drafts.ts'),
    gmail: () => import('./commands/gmail/gmail.ts'),
    vault: () => import('./commands/vault/vault.ts'),
    rules: () => import('./commands/rules/rules.ts'),
    orchestrate: () => import('./commands/orchestrate.ts'),
  },
  Upkeep: {
    doctor: () => import('./commands/doctor.ts'),
    cleanup: () => import('./commands/cleanup.ts'),
    db: () => import('./commands/db/db.ts'),
  },
}

export const commands: Record<string, Load> = Object.fromEntries(
  Object.values(commandGroups).flatMap((group) => Object.entries(group)),
)

/** Those that AgentMail starts by itself, in no help and no manual. */
export const ownCommands: Record<string, Load> = {
  'post-notices': () => import('./commands/post-notices.ts'),
  'serve-in-background': () => import('./commands/serve-in-background.ts'),
  wake: () => import('./commands/wake.ts'),
}

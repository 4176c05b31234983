/** Every setting of AgentMail in one table: where it comes from, and what it is for. */
import { hookSettings } from './hook-settings.ts'
import { mailSettings } from './mail-settings.ts'

export interface SettingShape {
  /** Environment variable. */
  env: string
  /** Command line flag, without the dashes. */
  flag?: string
  /** How the help calls its value. */
  value?: string
  about: string
  /** What holds when nothing is set, if anything does. */
  fallback?: string | number
  /** Shown masked, whatever it holds. */
  secret?: true
  /** What it holds where that is no text; a fallback that is a number says so itself. */
  holds?: 'number' | 'positive' | 'switch' | 'list'
  /** All that it can be. */
  words?: readonly string[]
  /**
   * Which files may set it: a repository's too, or none. Without it, the user's alone. A repository may set names, times
   * and limits; never the person, an address, a token, a command, a policy or a folder, nor what sends, trusts or removes.
   */
  file?: 'repository' | 'none'
}

export const settings = {
  dir: {
    env: 'AGENTMAIL_DIR',
    about: 'the post office, instead of .agentmail/ in the main worktree',
  },
  agent: {
    env: 'AGENTMAIL_AGENT',
    about:
      'your name; in tmux it wins over what agentmail name gave the pane, and that over the window',
    file: 'repository',
  },
  person: {
    env: 'AGENTMAIL_PERSON',
    about: 'how the person is called to whom agents can write',
    fallback: 'human',
  },
  tmux: { env: 'TMUX', about: 'set by tmux: its socket and session', file: 'none' },
  tmuxPane: { env: 'TMUX_PANE', about: 'set by tmux: your pane', file: 'none' },
  term: { env: 'TERM', about: 'your terminal; one that is dumb gets no colour', file: 'none' },
  noColor: { env: 'NO_COLOR', about: 'set to anything: nothing is coloured', file: 'none' },
  display: { env: 'DISPLAY', about: 'set by X: your screen', file: 'none' },
  wayland: { env: 'WAYLAND_DISPLAY', about: 'set by Wayland: your screen', file: 'none' },
  token: {
    env: 'AGENTMAIL_TOKEN',
    about: 'bearer token of the coordination server',
    secret: true,
  },
  host: {
    env: 'AGENTMAIL_HOST',
    flag: 'host',
    value: 'address',
    about: 'where the coordination server listens; beyond loopback it wants a token',
    fallback: '127.0.0.1',
  },
  port: { env: 'AGENTMAIL_PORT', flag: 'port', about: 'its port; 0: a free one', fallback: 8391 },
  db: {
    env: 'AGENTMAIL_DB',
    flag: 'db',
    value: 'db',
    about: 'its database, a file or mysql://…, instead of agentmail.db in your data folder',
  },
  server: {
    env: 'AGENTMAIL_SERVER',
    flag: 'server',
    value: 'url',
    about: 'a coordination server to talk to, instead of the one that runs for the database',
  },
  project: {
    env: 'AGENTMAIL_PROJECT',
    flag: 'project',
    value: 'name',
    about: 'the project that agents coordinate in, instead of the one of this repository',
    file: 'repository',
  },
  allowedHosts: {
    env: 'AGENTMAIL_ALLOWED_HOSTS',
    about: 'further names that clients may call the server by, comma-separated',
    holds: 'list',
  },
  rateLimit: {
    env: 'AGENTMAIL_RATE_LIMIT',
    about: 'requests a minute that one client beyond loopback may make',
    fallback: 1200,
    file: 'repository',
    holds: 'positive',
  },
  staleSeconds: {
    env: 'AGENTMAIL_STALE_SECONDS',
    about: 'an agent is stale when nothing was heard of it for this long',
    fallback: 120,
    file: 'repository',
    holds: 'positive',
  },
  sweepSeconds: {
    env: 'AGENTMAIL_SWEEP_SECONDS',
    about: 'how often stale agents are removed',
    fallback: 30,
    file: 'repository',
    holds: 'positive',
  },
  keepDays: {
    env: 'AGENTMAIL_KEEP_DAYS',
    about: 'a server removes what is older than so many days, at its start and daily; unset: never',
    holds: 'number',
  },
  doltCommitSeconds: {
    env: 'AGENTMAIL_DOLT_COMMIT_SECONDS',
    about: 'how often a Dolt database gets a commit of what was written',
    fallback: 10,
    file: 'repository',
    holds: 'positive',
  },
  ...hookSettings,
  vault: {
    env: 'VAULT_PATH',
    flag: 'vault',
    value: 'path',
    about: 'the folder of Markdown notes; drafts and the audit of mail are kept there too',
  },
  cacheHome: {
    env: 'XDG_CACHE_HOME',
    about: "where the vault's search index is kept, instead of your cache folder",
  },
  dataHome: {
    env: 'XDG_DATA_HOME',
    about: 'where the database of all projects is kept, instead of your data folder',
  },
  stateHome: {
    env: 'XDG_STATE_HOME',
    about: 'where the record of sent mail is kept, instead of your state folder',
  },
  configHome: {
    env: 'XDG_CONFIG_HOME',
    about: 'where the credentials of mail accounts are kept, instead of your config folder',
    file: 'none',
  },
  ...mailSettings,
  nudge: {
    env: 'AGENTMAIL_NUDGE',
    about: 'how the mailman tells of mail: keys (typed where that is safe), line (and bell) or off',
    fallback: 'keys',
    words: ['keys', 'line', 'off'],
  },
  nudgeSeconds: {
    env: 'AGENTMAIL_NUDGE_SECONDS',
    about: 'the mailman nudges an agent at most once in this time',
    fallback: 60,
    file: 'repository',
  },
  wakeSeconds: {
    env: 'AGENTMAIL_WAKE_SECONDS',
    about:
      'so long the mailman leaves mail to the way by which its reader is woken without it (Claude Code, Codex)',
    fallback: 300,
    file: 'repository',
  },
  notify: {
    env: 'AGENTMAIL_NOTIFY',
    about: 'an http(s) address where a notice is posted of what needs you, as a draft to approve',
    secret: true,
  },
  notifyFormat: {
    env: 'AGENTMAIL_NOTIFY_FORMAT',
    about: 'the form of a notice: json, ntfy or slack',
    fallback: 'json',
    words: ['json', 'ntfy', 'slack'],
  },
  staleHours: {
    env: 'AGENTMAIL_STALE_HOURS',
    flag: 'stale-hours',
    about: 'cleanup removes recipients not heard of for this long',
    fallback: 48,
    file: 'repository',
  },
  deliveredHours: {
    env: 'AGENTMAIL_DELIVERED_HOURS',
    flag: 'delivered-hours',
    about: 'cleanup removes read messages older than this',
    fallback: 2,
    file: 'repository',
  },
} as const satisfies Record<string, SettingShape>

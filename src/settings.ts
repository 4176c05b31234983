/** Every setting of AgentMail in one table: where it comes from, and what it is for. */

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
  },
  person: {
    env: 'AGENTMAIL_PERSON',
    about: 'how the person is called to whom agents can write',
    fallback: 'human',
  },
  tmux: { env: 'TMUX', about: 'set by tmux: its socket and session' },
  tmuxPane: { env: 'TMUX_PANE', about: 'set by tmux: your pane' },
  display: { env: 'DISPLAY', about: 'set by X: your screen' },
  wayland: { env: 'WAYLAND_DISPLAY', about: 'set by Wayland: your screen' },
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
  },
  allowedHosts: {
    env: 'AGENTMAIL_ALLOWED_HOSTS',
    about: 'further names that clients may call the server by, comma-separated',
  },
  rateLimit: {
    env: 'AGENTMAIL_RATE_LIMIT',
    about: 'requests a minute that one client beyond loopback may make',
    fallback: 1200,
  },
  staleSeconds: {
    env: 'AGENTMAIL_STALE_SECONDS',
    about: 'an agent is stale when nothing was heard of it for this long',
    fallback: 120,
  },
  sweepSeconds: {
    env: 'AGENTMAIL_SWEEP_SECONDS',
    about: 'how often stale agents are removed',
    fallback: 30,
  },
  keepDays: {
    env: 'AGENTMAIL_KEEP_DAYS',
    about: 'a server removes what is older than so many days, at its start and daily; unset: never',
  },
  doltCommitSeconds: {
    env: 'AGENTMAIL_DOLT_COMMIT_SECONDS',
    about: 'how often a Dolt database gets a commit of what was written',
    fallback: 10,
  },
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
  },
  mail: {
    env: 'AGENTMAIL_MAIL',
    about: 'the mail service: gmail, postmark, smtp, or local for a folder of .eml files',
  },
  mailDir: {
    env: 'AGENTMAIL_MAIL_DIR',
    about: 'the folder of local mail, instead of mail/ in the post office',
  },
  mailFrom: {
    env: 'AGENTMAIL_MAIL_FROM',
    about: 'the address that local and SMTP mail is sent from',
  },
  smtpUrl: {
    env: 'AGENTMAIL_SMTP_URL',
    about: 'the mail server that sends: smtp://user:password@host:587, or smtps://…:465',
    secret: true,
  },
  sendPolicy: {
    env: 'AGENTMAIL_SEND_POLICY',
    about: 'direct sends at once; approve writes a draft into the vault, for a person to approve',
    fallback: 'direct',
  },
  sendTo: {
    env: 'AGENTMAIL_SEND_TO',
    about: 'the only addresses and domains that mail may go to, comma-separated',
  },
  sendTimeoutSeconds: {
    env: 'AGENTMAIL_SEND_TIMEOUT_SECONDS',
    about: 'a mail service that takes longer to send has an unknown outcome',
    fallback: 30,
  },
  sendRate: {
    env: 'RATE_LIMIT_MAX_REQUESTS',
    about: 'mails that a process may send in a minute; 0 for no limit',
    fallback: 0,
  },
  gmailAccount: {
    env: 'AGENTMAIL_GMAIL_ACCOUNT',
    flag: 'account',
    value: 'name',
    about: 'which Gmail account, where you have logged in to several',
  },
  gmailCredentials: {
    env: 'GMAIL_CREDENTIALS_PATH',
    about: "Google's client_secret.json, instead of the one in your config folder",
  },
  gmailToken: {
    env: 'GMAIL_TOKEN_PATH',
    about: 'the token of the Gmail account, instead of the one in your config folder',
  },
  gmailBaseUrl: {
    env: 'GMAIL_BASE_URL',
    about: 'where the Gmail API is, for tests and proxies',
    fallback: 'https://gmail.googleapis.com',
  },
  oauthBaseUrl: {
    env: 'GOOGLE_OAUTH_BASE_URL',
    about: "instead of Google's own login: /o/oauth2/v2/auth, /token and /revoke are below it",
  },
  postmarkToken: {
    env: 'POSTMARK_SERVER_TOKEN',
    about: 'server token of Postmark; POSTMARK_API_TEST tries everything and delivers nothing',
    secret: true,
  },
  postmarkBaseUrl: {
    env: 'POSTMARK_BASE_URL',
    about: 'where the Postmark API is, for tests and proxies',
    fallback: 'https://api.postmarkapp.com',
  },
  messageStream: {
    env: 'DEFAULT_MESSAGE_STREAM',
    about: 'the message stream of Postmark that mail goes to unless it names one',
    fallback: 'outbound',
  },
  defaultFrom: {
    env: 'DEFAULT_FROM_ADDRESS',
    about: 'who sends through Postmark where a mail does not say it',
  },
  mcpServerName: {
    env: 'MCP_SERVER_NAME',
    about: 'how the postmark server calls itself',
    fallback: 'agentmail-postmark',
  },
  mcpServerVersion: {
    env: 'MCP_SERVER_VERSION',
    about: 'the version that the postmark server tells',
  },
  enableLogging: {
    env: 'ENABLE_LOGGING',
    about: 'true: the postmark server logs every mail, without its text',
    fallback: 'false',
  },
  pollSeconds: {
    env: 'AGENTMAIL_POLL_SECONDS',
    about: 'how often the orchestrator looks for new mail and approved drafts',
    fallback: 30,
  },
  quietSeconds: {
    env: 'AGENTMAIL_QUIET_SECONDS',
    about:
      'a draft that was moved to Approved/ by hand is sent when nobody has changed it this long',
    fallback: 3,
  },
  retrySeconds: {
    env: 'AGENTMAIL_RETRY_SECONDS',
    about: 'the orchestrator tries again after this long, then after longer and longer',
    fallback: 30,
  },
  inboxQuery: {
    env: 'AGENTMAIL_INBOX_QUERY',
    about: 'which mail the orchestrator takes in, as a Gmail search',
    fallback: 'is:unread',
  },
  gmailServer: {
    env: 'GMAIL_MCP_SERVER',
    about: 'the command of the MCP server that the orchestrator reads and sends mail with',
  },
  obsidianServer: {
    env: 'OBSIDIAN_MCP_SERVER',
    about: 'the command of the MCP server that the orchestrator works on notes with',
  },
  mcpTimeoutSeconds: {
    env: 'AGENTMAIL_MCP_TIMEOUT_SECONDS',
    about: 'the orchestrator waits this long for an answer of an MCP server',
    fallback: 30,
  },
  llm: {
    env: 'AGENTMAIL_LLM',
    about: 'the model that proposes what to do with mail: anthropic:<model> or openai:<model>',
  },
  llmApiKey: {
    env: 'AGENTMAIL_LLM_API_KEY',
    about: 'the key for that model',
    secret: true,
  },
  llmBaseUrl: {
    env: 'AGENTMAIL_LLM_BASE_URL',
    about: 'where that model is, if not at its maker: any compatible server, Ollama too',
  },
  llmTimeoutSeconds: {
    env: 'AGENTMAIL_LLM_TIMEOUT_SECONDS',
    about: 'how long that model may take to answer',
    fallback: 60,
  },
  nudge: {
    env: 'AGENTMAIL_NUDGE',
    about: 'how the mailman tells of mail: keys (typed where that is safe), line (and bell) or off',
    fallback: 'keys',
  },
  nudgeSeconds: {
    env: 'AGENTMAIL_NUDGE_SECONDS',
    about: 'the mailman nudges an agent at most once in this time',
    fallback: 60,
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
  },
  staleHours: {
    env: 'AGENTMAIL_STALE_HOURS',
    flag: 'stale-hours',
    about: 'cleanup removes recipients not heard of for this long',
    fallback: 48,
  },
  deliveredHours: {
    env: 'AGENTMAIL_DELIVERED_HOURS',
    flag: 'delivered-hours',
    about: 'cleanup removes read messages older than this',
    fallback: 2,
  },
} as const satisfies Record<string, SettingShape>

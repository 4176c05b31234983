/** The settings of e-mail: the services, what may be sent, and the orchestrator. */
import type { SettingShape } from './settings.ts'

export const providerNames = ['gmail', 'imap', 'postmark', 'smtp', 'local'] as const

export const mailSettings = {
  mail: {
    env: 'AGENTMAIL_MAIL',
    about: 'the mail service: gmail, imap, postmark, smtp, or local for a folder of .eml files',
    words: providerNames,
  },
  mailDir: {
    env: 'AGENTMAIL_MAIL_DIR',
    about: 'the folder of local mail, instead of mail/ in the post office',
  },
  mailFrom: {
    env: 'AGENTMAIL_MAIL_FROM',
    about:
      'the address that local, IMAP and SMTP mail is sent from; by default the user of the login, where that is one',
  },
  imapUrl: {
    env: 'AGENTMAIL_IMAP_URL',
    about: 'the mail server that is read: imaps://user:password@host:993, instead of mail login',
    secret: true,
  },
  mailToken: {
    env: 'AGENTMAIL_MAIL_TOKEN',
    about: 'an OAuth access token for IMAP and SMTP (XOAUTH2), instead of a password',
    secret: true,
  },
  smtpUrl: {
    env: 'AGENTMAIL_SMTP_URL',
    about: 'the mail server that sends: smtp://user:password@host:587, or smtps://…:465',
    secret: true,
  },
  inboundSecret: {
    env: 'AGENTMAIL_INBOUND_SECRET',
    about:
      'lets mail come in at /inbound/postmark/<secret> and /inbound/raw/<secret> of the server; 20 characters or more',
    secret: true,
  },
  inboundRate: {
    env: 'AGENTMAIL_INBOUND_RATE',
    about: 'mails a minute that may come in that way',
    fallback: 120,
    holds: 'positive',
  },
  sendPolicy: {
    env: 'AGENTMAIL_SEND_POLICY',
    about: 'direct sends at once; approve writes a draft into the vault, for a person to approve',
    fallback: 'direct',
    words: ['direct', 'approve'],
  },
  sendTo: {
    env: 'AGENTMAIL_SEND_TO',
    about: 'the only addresses and domains that mail may go to, comma-separated',
    holds: 'list',
  },
  sendTimeoutSeconds: {
    env: 'AGENTMAIL_SEND_TIMEOUT_SECONDS',
    about: 'a mail service that takes longer to send has an unknown outcome',
    fallback: 30,
    holds: 'positive',
  },
  sendRate: {
    env: 'RATE_LIMIT_MAX_REQUESTS',
    about: 'mails that a process may send in a minute; 0 for no limit',
    fallback: 0,
  },
  inboundAddress: {
    env: 'AGENTMAIL_INBOUND_ADDRESS',
    about:
      'an address that knows plus-addresses: answers to what agents send go there, marked for the agent',
  },
  replies: {
    env: 'AGENTMAIL_REPLIES',
    about:
      "agent: an answer to an agent's mail is handed to that agent; person: it waits for you, who can",
    fallback: 'person',
    words: ['person', 'agent'],
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
    file: 'repository',
  },
  mcpServerVersion: {
    env: 'MCP_SERVER_VERSION',
    about: 'the version that the postmark server tells',
  },
  enableLogging: {
    env: 'ENABLE_LOGGING',
    about: 'true: the postmark server logs every mail, without its text',
    fallback: 'false',
    holds: 'switch',
  },
  pollSeconds: {
    env: 'AGENTMAIL_POLL_SECONDS',
    about: 'how often the orchestrator looks for new mail and approved drafts',
    fallback: 30,
    file: 'repository',
    holds: 'positive',
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
    file: 'repository',
    holds: 'positive',
  },
  inboxQuery: {
    env: 'AGENTMAIL_INBOX_QUERY',
    about: 'which mail the orchestrator takes in, as a Gmail search',
    fallback: 'is:unread',
  },
  digestTo: {
    env: 'AGENTMAIL_DIGEST_TO',
    about: 'where agentmail orchestrate --digest sends to, if not to the address of the account',
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
    file: 'repository',
    holds: 'positive',
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
    file: 'repository',
    holds: 'positive',
  },
} as const satisfies Record<string, SettingShape>

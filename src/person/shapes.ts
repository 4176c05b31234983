/** What the server and the page tell each other. Types alone, and no imports: the page is built for browsers. */

/** GET /api/page: who the server is, who one is there, and which projects it has. */
export interface Boot {
  version: string
  /** Another one after each start of the server. */
  instance: string
  /** The server's clock. */
  now: string
  engine: string
  database: string
  /** The address of the person: messages to it are for whoever looks at the page. */
  person: string
  /** The name that an approval through this page records. */
  who: string
  /** Every write carries it in the header x-agentmail-page. */
  csrf: string
  has_token: boolean
  has_vault: boolean
  /** The project of the folder in which the server was started. */
  own: string
  projects: ProjectView[]
  /** Where the stream of events begins that misses nothing from now on. */
  cursor: string
}

export interface ProjectView {
  name: string
  /** Where it lies on the server's machine. */
  roots: string[]
  /** That of its first root; null where nothing is checked out, or that cannot be read. */
  branch: string | null
  agents: number
  last_activity: string | null
}

/** Events of GET /api/page/events?cursor=…; the id of each event is the cursor after it. */
export interface StreamEvents {
  /** First of all; what hints tell of was perhaps missed before. */
  hello: { instance: string; cursor: string }
  /** Something happened, as the journal has it. */
  entry: JournalView
  /** Something that has no entry in the journal changed; ask again for what shows it. */
  hint: Hint
  /** Signs of life, which are no news of their own. */
  seen: { project: string; agents: string[]; at: string }
  /** The cursor cannot be gone on from: ask anew for everything. */
  reset: { cursor: string }
}

export interface Hint {
  about: 'agents' | 'receipts' | 'mailbox' | 'drafts' | 'mail' | 'conflicts' | 'projects'
  /** Nothing: whichever it was. */
  project?: string
}

export interface JournalView {
  project: string
  entry: number
  at: string
  agent_id: string
  agent: string
  event: 'registered' | 'said' | 'claimed' | 'released' | 'announced' | 'left' | 'went stale'
  file: string | null
  /** Of what was said. */
  message: { id: number; channel: string; subject: string; excerpt: string } | null
  /** The summary of a change, or a note. */
  text: string | null
}

/** GET /api/page/journal?project&since&until&agent&file&limit, oldest first. */
export interface JournalPage {
  entries: JournalView[]
  /** The newest were too many, or older ones were pruned: nothing is known of before this time. */
  cut_at: string | null
  /** Mailbox mail of the same time. */
  mails: MessageHead[]
}

/** GET /api/page/needs?project: what waits for the person, newest first. */
export interface NeedsPage {
  needs: NeedView[]
  /** What could not be looked at, in words. */
  faults: string[]
}

export interface NeedView {
  /** The same as long as it is the same thing. */
  key: string
  kind:
    | 'draft'
    | 'delegation'
    | 'mail'
    | 'message'
    | 'mailbox'
    | 'unknown_send'
    | 'conflict'
    | 'waits'
    | 'silent'
  /** Nothing where it belongs to none, as drafts do. */
  project: string | null
  from: string
  at: string | null
  title: string
  text: string
  urgent: boolean
  /** Of a mail that answers an agent's: which agent. */
  asked_by?: string
  /** What the view that shows it knows it by: an id of a message, the path of a note or a file, a name. */
  target: string
}

export type AgentState = 'working' | 'ready' | 'waits' | 'silent' | 'here' | 'gone'

/** One of GET /api/page/agents?project → { agents }. */
export interface AgentView {
  project: string
  name: string
  role: string | null
  /** Nothing for one that has a mailbox alone. */
  agent_id: string | null
  state: AgentState
  /** Since when it is so, where that is known; of one that is silent, when it was last heard of. */
  since: string | null
  client: string | null
  where: string
  claims: number
  /** The first of them. */
  files: string[]
  unread: number
  last_heard: string | null
  last_words: { id: string; text: string; at: string } | null
}

/** One of GET /api/page/messages?project&channel&agent&kind&before&after&limit → { messages, has_more }, newest first; after a cursor those that come next. */
export interface MessageHead {
  /** Its place in the list: before and after take it. */
  cursor: string
  project: string
  /** Its number; of mailbox mail `<mailbox>/<id>`. */
  id: string
  kind: 'message' | 'mailbox'
  from: string
  /** The channel; of mailbox mail `@<mailbox>`. */
  channel: string
  subject: string
  excerpt: string
  at: string
  /** Of what goes to a name. */
  state: 'queued' | 'notified' | 'read' | null
  state_at: string | null
}

/** GET /api/page/message?project&id */
export interface MessageView extends MessageHead {
  body: string
  /** How its reader was told of it, where that was noted. */
  notified_by: string | null
}

/** What POST /api/page/send { project, channel, text } and /reply { project, id, text } answer. */
export interface SentView {
  message_id: string
  /** Why it may not be read soon, or that nobody of that name is here. */
  warning: string | null
}

/** One of GET /api/page/claims?project&after&limit → { claims, has_more }, by path. */
export interface ClaimView {
  project: string
  /** A folder ends in `/**`. */
  path: string
  agent_id: string
  agent: string
  since: string
  /** A hook took it for the turn. */
  by_hook: boolean
}

/** GET /api/page/file?project&path */
export interface FileView {
  path: string
  /** Whoever holds it, or a folder around it. */
  claims: ClaimView[]
  /** Newest first. */
  entries: JournalView[]
  has_more: boolean
}

/** One of GET /api/page/search?project&words → { results }. */
export interface SearchView {
  kind: 'message' | 'change' | 'mailbox' | 'agent' | 'file' | 'draft'
  project: string | null
  title: string
  text: string
  at: string | null
  /** As in a NeedView. */
  target: string
}

/** GET /api/page/setup */
export interface SetupPage {
  stdio: { client: string; line: string }[]
  http: { client: string; line: string }[]
  why: string
}

/** GET /api/page/doctor: what agentmail doctor --json says. */
export interface DoctorPage {
  checks: { check: string; state: string; says: string; advice: string | null }[]
}

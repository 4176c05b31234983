/** The port to a database: the little that a store must be able to do. The SQL stands beside the domain functions that need it. */

export type SqlValue = string | number | null
export type Row = Readonly<Record<string, SqlValue>>

export interface Reader {
  all(sql: string, ...values: SqlValue[]): Promise<Row[]>
}

export interface Transaction extends Reader {
  /** Gives the number of rows that were changed. */
  run(sql: string, ...values: SqlValue[]): Promise<number>
}

/** A database that is only looked at: nothing is made in it or changed. Reads see what is committed. */
export interface View extends Reader {
  /** For people: the engine and its version. */
  readonly engine: string
  /** The time by its own clock, in Unix milliseconds, where several machines share it. */
  readonly clock?: () => Promise<number>
  /** Says that this process looks after what is in it; for a while, so it is said again and again. */
  attend?(): Promise<void>
  /** Whether a process does, as far as that can be known. */
  isAttended?(): Promise<boolean>
  /** Where it keeps versions of what it held. */
  readonly versions?: Versions
  /** How its server is set up, where it has one. */
  readonly describe?: () => Promise<ServerDescription>
  close(): Promise<void>
}

/** What an index holds of texts: those of any length, whole ones of the length of a path, or their beginnings, so that what is read in its order is sorted. */
export type TextKeys = 'any' | 'whole' | 'beginnings'

/** What a transaction has written is durable when it resolves. */
export interface Store extends View {
  /** Since when its server cannot be reached, in Unix milliseconds; nothing while it can. */
  readonly downSince?: number | undefined
  /** Where it is kept in a file. */
  readonly file?: StoreFile | undefined
  readonly textKeys?: TextKeys
  /** Runs `work` alone and whole: when it or the commit fails, nothing of it remains. */
  transaction<T>(work: (transaction: Transaction) => Promise<T>): Promise<T>
  /**
   * Runs statements that define tables and indexes, and `record`, which throws if another process
   * was first. Whole where an engine can; else what an interruption left behind counts as done.
   */
  define(statements: string[], record: (transaction: Transaction) => Promise<void>): Promise<void>
  /** Runs work that defines tables while no other process does, where several at once would hold each other up. */
  alone?<T>(work: () => Promise<T>): Promise<T>
  /** Hears of the commits of other processes, where that costs nothing while there are none. */
  readonly others?: OtherWriters
}

export interface OtherWriters {
  /**
   * Tells soon after each commit of another process, perhaps of several at once, until the function
   * that this gives is called; throws where it cannot.
   * @param onFailure nothing is told any more.
   */
  watch(onForeignWrite: () => void, onFailure: (error: unknown) => void): () => void
}

/** The file of a database, which can be taken away while it is open. Each read and write looks first, and a write once more before it is acknowledged. */
export interface StoreFile {
  /** Aborted when it was seen that what is open is not what stands at the path: for good, whatever comes back there. */
  readonly lost: AbortSignal
  /** Looks, and throws when it is lost. */
  check(): void
}

export interface ServerDescription {
  /** How it compares texts. */
  collation: string
  /** Whether a commit is on disk before it is acknowledged. */
  is_durable: boolean
  /** Whether the connection is encrypted, and with which cipher where the server says it. */
  tls: { cipher: string | null } | null
  cluster: Cluster | null
}

/** The cluster that a server belongs to, as the node sees it that was asked. */
export interface Cluster {
  nodes: number
  /** `Primary` where it has the majority. */
  status: string
  /** `Synced` where it has everything that the others have. */
  node_state: string
}

/** One state of the whole database that can be looked at for ever. */
export interface Version {
  id: string
  message: string
}

/** Writes the message of a version; both tell how SQL names a table: as it is there, and in the version before. */
export type VersionMessage = (
  now: (table: string) => string,
  before: (table: string) => string,
) => Promise<string>

/** What a store can do that keeps versions. */
export interface Versions {
  /** Tables that change all the time and belong to no version; told before they are made. */
  leaveOut(tables: string[]): Promise<void>
  /** Whether it is for this process to keep versions: of several, one does. */
  isKeeper(): Promise<boolean>
  /**
   * Makes a version of these tables, unless nothing has changed, and gives its id. The message is
   * written when it is clear what the version will hold.
   */
  keep(tables: string[], message: VersionMessage, author: string): Promise<string | undefined>
  /** Oldest first. */
  list(): Promise<Version[]>
  /** The id of what a person calls a version. */
  find(name: string): Promise<string | undefined>
  /** Gives the space back of what no version holds. It may take long, and the engine may refuse it. */
  collect(): Promise<void>
  /** How SQL names a table as it stood in a version. */
  table(name: string, id: string): string
}

/**
 * `again`: the same work may succeed when it is tried again. `unreachable`: nothing was done.
 * `unknown`: it may have been done, and nobody can tell yet.
 */
export type StoreTrouble =
  | 'again'
  | 'full'
  | 'locked'
  | 'unreadable'
  | 'unreachable'
  | 'unknown'
  | 'failed'

/** An error of a database. Its text is for the log, and a store puts nothing into it that callers wrote. */
export class StoreError extends Error {
  readonly trouble: StoreTrouble
  /** What to do about it, where that is known. */
  readonly next: string | undefined

  constructor(trouble: StoreTrouble, message: string, next?: string) {
    super(message)
    this.next = next
    this.name = 'StoreError'
    this.trouble = trouble
  }

  /** Built entries carry a copy of this class each, so `instanceof` would miss a sibling's error. */
  static is(error: unknown): error is StoreError {
    return error instanceof Error && error.name === 'StoreError'
  }
}

/** What a column holds that is text by its definition. */
export function text(value: SqlValue | undefined): string {
  if (typeof value === 'string') return value
  throw new TypeError(`The database holds ${typeof value} where text belongs`)
}

/** What a column holds that is a whole number by its definition. */
export function integer(value: SqlValue | undefined): number {
  if (typeof value === 'number') return value
  throw new TypeError(`The database holds ${typeof value} where a number belongs`)
}

/** `?, ?, ?` for so many values. */
export const marks = (count: number): string => Array(count).fill('?').join(', ')

/** A list in pieces, since a statement takes only so many values. */
export function* chunksOf<T>(values: T[], size: number): Generator<T[]> {
  for (let start = 0; start < values.length; start += size) yield values.slice(start, start + size)
}

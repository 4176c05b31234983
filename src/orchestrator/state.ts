/** What the orchestrator must remember over restarts: Logs/orchestrator_state.json, written in one step. */
import { closeSync, constants, fstatSync, readFileSync } from 'node:fs'
import * as z from 'zod'
import { AgentMailError, hasCode } from '../errors.ts'
import { systemClock } from '../system/clock.ts'
import { uuid } from '../system/random.ts'
import { notFarAway } from '../system/retry.ts'
import { isRecord, jsonOf, sha256 } from '../system/text.ts'
import { putFile } from '../vault/note-change.ts'
import type { Vault } from '../vault/vault.ts'
import { vaultError } from '../vault/vault-error.ts'
import { type DigestState, digestStateSchema } from './digest/digest-state.ts'
import { noteHash, noteHashDigits } from './inbox/note-hash.ts'

const name = 'orchestrator_state.json'
const maxBytes = 256 << 20
const troubleSchema = z.object({ attempts: z.int(), next_ms: z.number().transform(notFarAway) })

/** Loose: what others keep in this file stays. */
const stateSchema = z.looseObject({
  version: z.literal(1).default(1),
  /** Ids of the mails that were taken in, and that the inbox still has or that are under way. */
  ingested: z.array(z.string()).default([]),
  /** Those of them that it has no more and that have no note, since when in Unix milliseconds. */
  missing: z.record(z.string(), z.number()).default({}),
  /** When the whole inbox is to be walked again, in Unix milliseconds. */
  next_walk_ms: z.number().default(0),
  /** Where a walk goes on that was cut short. */
  walk: z.object({ next: z.string() }).optional(),
  /** Mails that nobody could decide about, and by which rules or model. */
  undecided: z
    .object({ version: z.string(), notes: z.array(z.string()) })
    .default({ version: '', notes: [] }),
  /** Mails that a model failed on. */
  troubles: z.record(z.string(), troubleSchema).default({}),
  /** Which vault this is, wherever it lies. */
  vault_id: z.string().optional(),
  /** The ledger that knows what was sent from it. */
  ledger_id: z.string().optional(),
  /** Where it lies, if it is a file. */
  ledger_path: z.string().optional(),
  /** Of what was approved before, another ledger knew whether it has left. */
  ledger_since_ms: z.number().default(0),
  /** Notes of mails that are handed to the agents whose mails they answer. */
  offers: z.array(z.string()).default([]),
  /** When agents were given answers within the last hour, in Unix milliseconds. */
  given: z.record(z.string(), z.array(z.number())).default({}),
  /** Under which the coordination knows the orchestrator, by project; and where it was known in one alone. */
  agent_ids: z.record(z.string(), z.string()).default({}),
  agent_id: z.string().optional(),
  digest: digestStateSchema.prefault({}),
})
type Stored = z.infer<typeof stateSchema>

/** What there is of mail, when all of the inbox was seen; notes by the hash in their names. */
export interface WholeInbox {
  found: ReadonlySet<string>
  isOpen: (hash: string) => boolean
  isDone: (hash: string) => boolean
  now: number
}

const missingMs = 7 * 24 * 3600_000

export class State {
  readonly #vault: Vault
  readonly #stored: Stored
  readonly #ingested: Set<string>
  readonly #undecided: Set<string>
  readonly offers: Set<string>
  /** Whether this run has looked for what can be forgotten. */
  isTidy = false

  private constructor(vault: Vault, stored: Stored) {
    this.#vault = vault
    this.#stored = stored
    this.#ingested = new Set(stored.ingested)
    this.#undecided = new Set(stored.undecided.notes)
    this.offers = new Set(stored.offers)
  }

  /** A file that cannot be read is not overwritten: it says which mails were taken in. */
  static load(vault: Vault): State {
    const text = readIfThere(vault)
    if (text === undefined) return new State(vault, stateSchema.parse({}))
    const parsed = stateSchema.safeParse(jsonOf(text))
    if (parsed.success) return new State(vault, ofEarlierVersion(parsed.data))
    throw new AgentMailError(
      'server_config',
      `Logs/${name} cannot be understood`,
      'It says which mails were taken in. Put it back as it was, or move it away to begin anew.',
    )
  }

  hasIngested(id: string): boolean {
    return this.#ingested.has(short(id))
  }

  ingested(id: string): void {
    this.#ingested.add(short(id))
  }

  /** Whether there may be something to forget. */
  hasMoreThan(found: ReadonlySet<string>): boolean {
    const has = new Set([...found].map(short))
    const isRemembering = this.#undecided.size > 0 || Object.keys(this.troubles).length > 0
    return isRemembering || [...this.#ingested].some((id) => !has.has(id))
  }

  /**
   * Forgets the mails that are over: the inbox does not have them, and their note is in Done/, where
   * it is found should they come back. One without a note is kept for a while, since an inbox that
   * did not answer with everything looks the same.
   */
  forget({ found, isOpen, isDone, now }: WholeInbox): void {
    const has = new Set([...found].map(short))
    const missing: Stored['missing'] = {}
    for (const id of this.#ingested) {
      if (has.has(id) || hashesOf(id).some(isOpen)) continue
      const since = Math.min(this.#stored.missing[id] ?? now, now)
      if (hashesOf(id).some(isDone) || now - since > missingMs) this.#ingested.delete(id)
      else missing[id] = since
    }
    this.#stored.missing = missing
  }

  /** Forgets what was remembered of notes that do not wait any more. */
  forgetNotes(isWaiting: (path: string) => boolean, isMail: (trouble: string) => boolean): void {
    for (const path of this.#undecided) if (!isWaiting(path)) this.#undecided.delete(path)
    for (const name of Object.keys(this.troubles)) {
      if (!isMail(name) && !isWaiting(name)) delete this.troubles[name]
    }
  }

  get nextWalkMs(): number {
    return this.#stored.next_walk_ms
  }

  set nextWalkMs(ms: number) {
    this.#stored.next_walk_ms = ms
  }

  get walk(): { next: string } | undefined {
    return this.#stored.walk
  }

  set walk(walk: { next: string } | undefined) {
    this.#stored.walk = walk
  }

  isUndecided(version: string, note: string): boolean {
    return this.#stored.undecided.version === version && this.#undecided.has(note)
  }

  undecided(version: string, note: string): void {
    if (this.#stored.undecided.version !== version) this.#undecided.clear()
    this.#stored.undecided.version = version
    this.#undecided.add(note)
  }

  get troubles(): Stored['troubles'] {
    return this.#stored.troubles
  }

  get given(): Stored['given'] {
    return this.#stored.given
  }

  /** For a start by hand: what was wrong may have been mended. */
  tryAgain(): void {
    for (const trouble of Object.values(this.troubles)) trouble.next_ms = 0
    if (this.digest.pending) this.digest.pending.next_ms = 0
  }

  /** What a model could not decide about, it may now. */
  forgetUndecided(): void {
    this.#undecided.clear()
  }

  get vaultId(): string {
    this.#stored.vault_id ??= uuid()
    return this.#stored.vault_id
  }

  /** Nothing where nothing can have been sent from here yet. */
  get ledgerId(): string | undefined {
    return this.#stored.ledger_id
  }

  get ledgerPath(): string | undefined {
    return this.#stored.ledger_path
  }

  get ledgerSinceMs(): number {
    return this.#stored.ledger_since_ms
  }

  /**
   * On disk before anything is sent.
   *
   * @param isOther than the one that was remembered, so that it does not know what has left before.
   */
  rememberLedger(id: string, path: string | undefined, isOther: boolean): void {
    if (this.ledgerId === id && this.ledgerPath === path && this.#stored.vault_id) return
    this.#stored.ledger_id = id
    this.#stored.ledger_path = path
    this.#stored.vault_id = this.vaultId
    if (isOther) this.#stored.ledger_since_ms = systemClock.now()
    this.save()
  }

  agentIdIn(project: string): string | undefined {
    return this.#stored.agent_ids[project] ?? this.#stored.agent_id
  }

  /** On disk when it returns. */
  knownAs(agent_id: string, project: string): void {
    if (this.#stored.agent_ids[project] === agent_id) return
    this.#stored.agent_ids[project] = agent_id
    this.save()
  }

  get digest(): DigestState {
    return this.#stored.digest
  }

  set digest(digest: DigestState) {
    this.#stored.digest = digest
  }

  /** On disk when it returns. */
  save(): void {
    try {
      this.#write()
    } catch (error) {
      throw vaultError(`Logs/${name}`, error)
    }
  }

  #write(): void {
    const stored: Stored = {
      ...this.#stored,
      ingested: [...this.#ingested],
      offers: [...this.offers],
      undecided: { version: this.#stored.undecided.version, notes: [...this.#undecided] },
    }
    const bytes = Buffer.from(`${JSON.stringify(stored)}\n`)
    const place = this.#vault.make(['Logs'])
    try {
      putFile(place, name, bytes)
    } finally {
      place.folder.close()
    }
  }
}

/** What was sent was kept here once: no ledger that there is now knows of it. */
function ofEarlierVersion(stored: Stored): Stored {
  const hasSent = isRecord(stored.sends) && Object.keys(stored.sends).length > 0
  if (hasSent && stored.ledger_id === undefined) stored.ledger_since_ms = systemClock.now()
  return stored
}

/** Ids are a provider's; a long one is kept by its hash. */
const short = (id: string): string => (id.length <= 64 ? id : sha256(id))

/** In the names of its notes. Of a long id only the hash is known. */
const hashesOf = (id: string): string[] =>
  /^[0-9a-f]{64}$/.test(id) ? [noteHash(id), id.slice(0, noteHashDigits)] : [noteHash(id)]

function readIfThere(vault: Vault): string | undefined {
  let found: ReturnType<Vault['enter']>
  try {
    found = vault.enter(['Logs'])
    if (!found) return undefined
    const fd = found.folder.open(name, constants.O_RDONLY)
    try {
      const stat = fstatSync(fd)
      return stat.isFile() && stat.size <= maxBytes ? readFileSync(fd, 'utf8') : ''
    } finally {
      closeSync(fd)
    }
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined
    throw vaultError(`Logs/${name}`, error)
  } finally {
    found?.folder.close()
  }
}

/** What of a draft is not as it was proposed, and which version of it a person has seen. */
import { addressFacts, draftFacts, factNames } from '../../email/drafts/draft-facts.ts'
import { type DraftText, kindOf, type Seen } from '../../email/drafts/draft-note.ts'
import { proposalsOf } from '../../email/drafts/proposals.ts'
import { AgentMailError } from '../../errors.ts'
import type { Vault } from '../../vault/vault.ts'

/** Fewer can be collided within the hour. */
const versionDigits = 16

/** A draft's version, as a person is shown it. */
export const versionOf = (hash: string): string => hash.slice(0, versionDigits)

/** The digits of the version that a person names: as many as are shown, or more of the same hash. */
export function checkVersion(text: string): string {
  if (/^[0-9a-f]{16,64}$/i.test(text)) return text.toLowerCase()
  throw new AgentMailError(
    'invalid_request',
    `a version has ${versionDigits} hexadecimal digits, or more up to 64: ${JSON.stringify(text)} is none`,
    'Give it as agentmail drafts show prints it.',
  )
}

/** The parts that differ; nothing where it was not proposed, or is a mail for an agent. @param seen where its files have been read already. */
export async function changedSince(
  vault: Vault,
  note: DraftText,
  seen?: Seen,
): Promise<string[] | undefined> {
  const proposed = await proposalsOf(vault).find(note.path)
  if (proposed.length === 0) return undefined
  const kind = kindOf(note)
  if (proposed.some((one) => one.kind !== kind)) return ['kind']
  // Who is given a mail, a person names.
  if (kind === 'delegation') return undefined
  const facts = await draftFacts(vault, note, seen?.attachments)
  // Of several drafts of one name, nobody can say which it was: then it must be as all of them.
  const changed = factNames.filter((name) =>
    proposed.some((one) => one.facts[name] !== facts[name]),
  )
  // Another address has another name beside it.
  return changed.some((name) => addressFacts.includes(name))
    ? changed.filter((name) => name !== 'names')
    : changed
}

export async function otherVersion(
  vault: Vault,
  note: DraftText,
  wanted: string,
  seen: Seen,
): Promise<AgentMailError> {
  const changed = await changedSince(vault, note, seen)
  const words = changed?.length ? `. Changed since it was drafted: ${changed.join(', ')}` : ''
  const version = versionOf(seen.hash)
  // As many as tell the two apart.
  const digits = versionOf(wanted) === version ? wanted.length : versionDigits
  // A bare name would be one in Drafts/.
  const path = note.path.includes('/') ? note.path : `./${note.path}`
  return new AgentMailError(
    'conflict',
    `${path} is not version ${wanted.slice(0, digits)}: its version is ${seen.hash.slice(0, digits)} now${words}`,
    `Nothing was approved. Look at it again, and give the version that you see: agentmail drafts show ${path}`,
    { details: { version, changed: changed ?? null } },
  )
}

/** The same of one that is to be rejected. @param seen nothing where it cannot be sent now. */
export async function notAsSeen(
  vault: Vault,
  note: DraftText,
  seen: Seen | undefined,
): Promise<AgentMailError> {
  const changed = (await changedSince(vault, note, seen)) ?? null
  return new AgentMailError(
    'conflict',
    `${note.path} is not what you have seen: it was changed since`,
    'Nothing was rejected. Look at it again.',
    { details: { version: seen ? versionOf(seen.hash) : null, changed } },
  )
}

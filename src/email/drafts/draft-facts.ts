/** The parts of a draft, each as a hash, to tell later which of them were changed. */
import { AgentMailError } from '../../errors.ts'
import type { Address, Attachment } from '../../mime/mail.ts'
import { parseAddresses } from '../../mime/parse-addresses.ts'
import { sha256 } from '../../system/text.ts'
import type { Vault } from '../../vault/vault.ts'
import { readAttachment } from '../outgoing/attachments.ts'
import { addressesOf, attachmentsOf, type Fields, has } from './draft-fields.ts'
import { type DraftText, seenOf } from './draft-note.ts'

/** As a person knows them; `names` are those beside the addresses, `other` is whatever else a service is told. */
export const factNames = [
  'from',
  'to',
  'cc',
  'bcc',
  'reply_to',
  'names',
  'subject',
  'body',
  'attachments',
  'reply_to_message_id',
  'other',
] as const
export const addressFacts: readonly string[] = ['from', 'to', 'cc', 'bcc', 'reply_to']
type FactName = (typeof factNames)[number]
export type Facts = Readonly<Record<FactName, string>>

const others =
  'provider format html template track_opens track_links tag metadata message_stream template_model'
/** Far more than any mail holds. */
const maxFileBytes = 64 << 20

/** @param read the bytes of its files, where they have been read: then no others count. */
export async function draftFacts(
  vault: Vault,
  note: DraftText,
  read?: readonly Attachment[],
): Promise<Facts> {
  const { frontmatter, body } = note
  const parsed = (name: string) => addressesIn(frontmatter, name)
  const addresses = (name: string) => hashed(parsed(name).map(({ address }) => address))
  const value = (name: string) => hashed(frontmatter[name] ?? '')
  return {
    from: addresses('from'),
    to: addresses('to'),
    cc: addresses('cc'),
    bcc: addresses('bcc'),
    reply_to: addresses('reply_to'),
    names: hashed(addressFacts.map(parsed)),
    subject: value('subject'),
    body: hashed(body),
    attachments: hashed(await filesOf(vault, note, read)),
    reply_to_message_id: value('reply_to_message_id'),
    other: hashed(others.split(' ').map((name) => frontmatter[name] ?? null)),
  }
}

const hashed = (value: unknown): string => sha256(JSON.stringify(value))

/** In any order. What is no address stands for itself. */
function addressesIn(fields: Fields, name: string): Address[] {
  const text = unlessWrong(() => addressesOf(fields, name))
  const parsed = text === undefined ? undefined : unlessWrong(() => parseAddresses(name, text))
  if (!parsed) return has(fields, name) ? [{ name: '', address: JSON.stringify(fields[name]) }] : []
  return parsed
    .map((one) => ({ name: one.name, address: withPlainDomain(one.address) }))
    .sort((a, b) => (a.address < b.address ? -1 : 1))
}

const withPlainDomain = (address: string): string =>
  address.replace(/@[^@]*$/, (domain) => domain.toLowerCase())

/** Their bytes, in any order and under any name. */
async function filesOf(
  vault: Vault,
  note: DraftText,
  read: readonly Attachment[] | undefined,
): Promise<string[]> {
  const seen = read ?? (await seenOf(vault, note).catch(ifWrong))?.attachments
  if (seen) return seen.map(({ content }) => sha256(content)).sort()
  const asked = unlessWrong(() => attachmentsOf(note.frontmatter)) ?? []
  const files = await Promise.all(
    asked.map((one) => readAttachment(one, () => vault, maxFileBytes).catch(ifWrong)),
  )
  return files.map((file) => (file ? sha256(file.content) : 'cannot be read')).sort()
}

function unlessWrong<T>(work: () => T): T | undefined {
  try {
    return work()
  } catch (error) {
    return ifWrong(error)
  }
}

/** What is wrong with a draft is told to whoever sends it. */
function ifWrong(error: unknown): undefined {
  if (AgentMailError.is(error)) return undefined
  throw error
}

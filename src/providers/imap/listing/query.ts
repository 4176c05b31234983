/** Queries on an IMAP server: in which folders they are searched, and as what. */
import type { MailboxObject, MessageStructureObject, SearchObject } from 'imapflow'
import { systemClock } from '../../../system/clock.ts'
import {
  dashedLabel,
  foldedText,
  hiddenLabels,
  placesNamed,
  type QueryTerm,
  queryTerms,
} from '../../query-terms.ts'
import type { MailFolder } from '../folders.ts'
import { flagOf, isFlagLabel, keywordLabels } from '../keywords.ts'

const dayMs = 24 * 3_600_000

/** What the search of a server leaves open. */
export interface Candidate {
  arrived: number
  /** Nothing where it was not asked for, or cannot be told. */
  structure: MessageStructureObject | undefined
}

/** What only the whole mail tells. */
export interface CandidateMail {
  /** What a person reads of it, folded. */
  texts: string[]
  attachment_names: string[]
}

/** A query, whoever understands it. */
export type MailQuery = Pick<ImapQuery, keyof ImapQuery>

export class ImapQuery {
  readonly #terms: QueryTerm[]
  readonly #places: Set<string>

  constructor(text: string, now: number) {
    this.#terms = queryTerms(text, now, 'IMAP mail')
    this.#places = placesNamed(this.#terms)
  }

  /** Whether it asks for more than the inbox. */
  get namesPlaces(): boolean {
    return this.#places.size > 0
  }

  get needsStructure(): boolean {
    return this.#terms.some(({ kind }) => kind === 'attachment')
  }

  /** Whether a folder may have any of the mails, as far as its name tells. */
  concerns(folder: MailFolder): boolean {
    if (!this.namesPlaces) return folder.label === 'INBOX'
    if (hiddenLabels(this.#places).includes(folder.label)) return false
    return this.#terms.every((term) => {
      if (term.kind !== 'label' || !term.isWanted) return true
      return isLabelOf(folder, term.value) || !isFolderLabel(term.value)
    })
  }

  /** What finds the mails in an open folder, and perhaps others; nothing where there can be none. */
  searchIn(folder: MailFolder, mailbox: MailboxObject): SearchObject | undefined {
    const criteria: SearchObject[] = [{ deleted: false }]
    for (const term of this.#terms) {
      const criterion = this.#criterion(term, folder, mailbox)
      if (typeof criterion !== 'boolean')
        criteria.push(...(term.isWanted ? criterion.wanted : criterion.unwanted))
      else if (criterion !== term.isWanted) return undefined
    }
    return allOf(criteria)
  }

  /** Whether a mail that was found is meant: a server knows days only, and nothing of attachments. Nothing where only the whole mail tells. */
  isMeant({ arrived, structure }: Candidate): boolean | undefined {
    let isOpen = this.#terms.some((term) => term.isWanted && isPhrase(term))
    for (const { isWanted, ...term } of this.#terms) {
      if (term.kind === 'since' && arrived >= term.time !== isWanted) return false
      if (term.kind === 'before' && arrived < term.time !== isWanted) return false
      if (term.kind !== 'attachment') continue
      if (!structure || (term.value !== '' && hasAttachment(structure))) isOpen = true
      else if (hasAttachment(structure) !== isWanted) return false
    }
    return isOpen ? undefined : true
  }

  /** The same of what was left open. */
  isMeantWhole({ texts, attachment_names }: CandidateMail): boolean {
    return this.#terms.every(({ isWanted, ...term }) => {
      if (term.kind === 'attachment') {
        const { value } = term
        return attachment_names.some((name) => foldedText(name).includes(value)) === isWanted
      }
      if (term.kind !== 'words' || !isWanted || !isPhrase(term)) return true
      return texts.some((text) => text.includes(term.value))
    })
  }

  /** A criterion, or true or false where the folder alone decides. */
  #criterion(term: QueryTerm, folder: MailFolder, mailbox: MailboxObject): Criterion | boolean {
    switch (term.kind) {
      case 'unread':
      case 'read':
        return one({ seen: term.kind === 'read' })
      case 'starred':
        return one({ flagged: true })
      case 'important':
        return one({ keyword: flagOf('IMPORTANT') })
      case 'from':
        return one({ from: term.value })
      case 'subject':
        return one({ subject: term.value })
      case 'to':
        return oneOf([{ to: term.value }, { cc: term.value }, { bcc: term.value }])
      case 'words':
        return term.isWanted && isPhrase(term) ? wordsOf(term.value) : one({ text: term.value })
      case 'label':
        return labelCriterion(term.value, folder, mailbox)
      case 'since':
        return roughly(term.isWanted, 'since', term.time)
      case 'before':
        return roughly(term.isWanted, 'before', term.time)
      case 'attachment':
        return term.isWanted && mayHaveParts
      case 'anywhere':
        return true
    }
  }
}

/** A line may end within it, and what stands between its words may be written in many ways. */
const isPhrase = (term: Pick<QueryTerm, 'kind'> & { value?: string }): boolean =>
  term.kind === 'words' && /[^\p{L}\p{N}]/u.test(term.value ?? '')

function wordsOf(phrase: string): Criterion | boolean {
  const words = (phrase.match(/[\p{L}\p{N}]+/gu) ?? []).map((text) => ({ text }))
  return words.length === 0 || { wanted: words, unwanted: [{ not: allOf(words) }] }
}

function labelCriterion(
  value: string,
  folder: MailFolder,
  mailbox: MailboxObject,
): Criterion | boolean {
  if (isLabelOf(folder, value)) return true
  const label = value.toUpperCase()
  if (label === 'UNREAD') return one({ seen: false })
  if (isFlagLabel(label))
    return one(label === 'STARRED' ? { flagged: true } : { keyword: flagOf(label) })
  const keywords = [...keywordLabels(mailbox.flags)]
    .filter(([name]) => dashedLabel(name) === dashedLabel(value))
    .map(([, keyword]) => ({ keyword }))
  return keywords.length > 0 && oneOf(keywords)
}

/** Drafts are called so by their folder, and DRAFT by their label. */
const isLabelOf = (folder: MailFolder, value: string): boolean =>
  dashedLabel(folder.label) === dashedLabel(value === 'drafts' ? 'draft' : value)

/** What no mail has as a keyword. */
const isFolderLabel = (value: string): boolean => /^(?:inbox|sent|drafts?|spam|trash)$/.test(value)

/**
 * A day more than is meant on each side: a server knows days only, in a zone of its own.
 * What is not wanted is told later, and not at all by days.
 */
function roughly(isWanted: boolean, kind: 'since' | 'before', time: number): Criterion | boolean {
  if (!isWanted) return false
  if (kind === 'since') return one({ since: new Date(Math.max(0, time - dayMs)) })
  const end = time + dayMs
  return end >= systemClock.now() - 1000 || one({ before: new Date(Math.max(0, end)) })
}

/** What finds some mails, and what finds all others: there are servers that refuse NOT NOT. */
interface Criterion {
  wanted: SearchObject[]
  unwanted: SearchObject[]
}

const one = (criterion: SearchObject): Criterion => ({
  wanted: [criterion],
  unwanted: [{ not: criterion }],
})

/** One after the other: the library takes each word once in a query, but an alternative of one is just that one. */
function allOf(criteria: SearchObject[]): SearchObject {
  return criteria.reduceRight<SearchObject>((rest, criterion) => {
    return Object.keys(rest).length === 0 ? criterion : { ...criterion, or: [rest] }
  }, {})
}

/** As no query may have two alternatives side by side: not any that is none of them. */
function oneOf(criteria: SearchObject[]): Criterion {
  const unwanted = criteria.map((criterion) => ({ not: criterion }))
  return { wanted: criteria.length === 1 ? criteria : [{ not: allOf(unwanted) }], unwanted }
}

/** Whether something is attached is told by the structure of a mail, but that of all mails is too much to ask for. */
const mayHaveParts = oneOf([
  ...['multipart/', 'application/', 'message/', 'image/', 'audio/', 'video/', 'name='].map(
    (part) => ({ header: { 'content-type': part } }),
  ),
  { header: { 'content-disposition': true } },
])

function hasAttachment(node: MessageStructureObject): boolean {
  if (/^message\/rfc822$/i.test(node.type)) return true
  if (node.childNodes) return node.childNodes.some(hasAttachment)
  const name = node.dispositionParameters?.filename ?? node.parameters?.name
  return name !== undefined || /^attachment$/i.test(node.disposition ?? '')
}

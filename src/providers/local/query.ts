/** The queries of local mail: what of a mail each of their terms is held against. */
import {
  dashedLabel,
  foldedText,
  hiddenLabels,
  placesNamed,
  type QueryTerm,
  queryTerms,
} from '../query-terms.ts'
import type { LocalHead } from './box.ts'
import { type BoxName, boxNames } from './folder.ts'

interface Candidate {
  head: LocalHead
  labels: string[]
}

/** What only the body of a mail can tell; the text is folded. */
export interface CandidateBody {
  text: string
  attachment_names: string[]
}

interface Test {
  /** Nothing where only the body can tell. */
  ofHead(mail: Candidate): boolean | undefined
  ofBody?(body: CandidateBody): boolean
}

export interface LocalQuery {
  boxes: readonly BoxName[]
  /** Terms that the head of a mail leaves open, or nothing where the mail does not match. */
  openFor(mail: Candidate): ((body: CandidateBody) => boolean)[] | undefined
}

export function localQuery(text: string, now: number): LocalQuery {
  const terms = queryTerms(text, now, 'local mail')
  const tests = terms.map((term) => ({ isWanted: term.isWanted, test: testOf(term) }))
  const places = placesNamed(terms)
  const hidden = hiddenLabels(places)
  return {
    boxes: places.size > 0 ? boxNames : ['inbox'],
    openFor(mail) {
      if (hidden.some((label) => mail.labels.includes(label))) return undefined
      const open: ((body: CandidateBody) => boolean)[] = []
      for (const { isWanted, test } of tests) {
        const matches = test.ofHead(mail)
        if (matches === !isWanted) return undefined
        if (matches === undefined) open.push((body) => test.ofBody?.(body) === isWanted)
      }
      return open
    },
  }
}

function testOf(term: QueryTerm): Test {
  switch (term.kind) {
    case 'unread':
    case 'starred':
    case 'important':
      return onHead(({ labels }) => labels.includes(term.kind.toUpperCase()))
    case 'read':
      return onHead(({ labels }) => !labels.includes('UNREAD'))
    case 'attachment':
      return attached(term.value)
    case 'anywhere':
      return onHead(() => true)
    case 'from':
      return onHead(({ head }) => foldedText(head.sender).includes(term.value))
    case 'to':
      return onHead(({ head }) => foldedText(head.recipients).includes(term.value))
    case 'subject':
      return onHead(({ head }) => foldedText(head.subject).includes(term.value))
    case 'label':
      return labelled(dashedLabel(term.value))
    case 'since':
      return onHead(({ head }) => head.date >= term.time)
    case 'before':
      return onHead(({ head }) => head.date < term.time)
    case 'words':
      return words(term.value)
  }
}

const onHead = (ofHead: (mail: Candidate) => boolean): Test => ({ ofHead })

const attached = (value: string): Test => ({
  ofHead: ({ head }) => (head.hasParts ? undefined : false),
  ofBody: ({ attachment_names }) =>
    attachment_names.some((name) => foldedText(name).includes(value)),
})

const labelled = (wanted: string): Test =>
  onHead(({ labels }) => labels.some((label) => dashedLabel(label) === wanted))

const words = (value: string): Test => ({
  ofHead: ({ head: { subject, sender, recipients } }) =>
    [subject, sender, recipients].some((text) => foldedText(text).includes(value)) || undefined,
  ofBody: ({ text }) => text.includes(value),
})

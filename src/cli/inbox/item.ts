/** One thing that is for somebody, and how it is shown. */
import type { InboxItem } from '../../person/watching/needs-person.ts'
import { jsonLine, print, printJson } from '../output.ts'
import { line, localTime, plain } from '../table.ts'

/** What has no time that can be read counts as oldest. */
const timeOf = ({ at }: InboxItem): number => Date.parse(at ?? '') || 0

/** Those of one time stay in the order in which they were found. */
export const oldestFirst = (one: InboxItem, other: InboxItem): number => timeOf(one) - timeOf(other)

export const itemKey = ({ kind, id }: InboxItem): string => `${kind} ${id}`

/** Shows each as it comes, so that whatever was handed over is seen even if the next fails. */
export interface Showing {
  show(item: InboxItem): void
  /** There are no more. */
  end(): void
}

/** @param as what a command that answers must be told of who one is. */
export function showing(options: { json: boolean; isFollowing: boolean; as?: string }): Showing {
  const { json, isFollowing, as } = options
  let count = 0
  if (json && isFollowing) return { show: printJson, end: () => {} }
  if (json) {
    return {
      show: (item) => print(`${count++ === 0 ? '{"inbox":[' : ','}${jsonLine(item)}`, ''),
      end: () => print(count === 0 ? '{"inbox":[]}' : ']}'),
    }
  }
  return {
    show: (item) => {
      count++
      print(`${wordsOf(item, as)}\n`)
    },
    end: () => {
      if (count === 0 && !isFollowing) print('Nothing new')
    },
  }
}

function wordsOf(item: InboxItem, as: string | undefined): string {
  const { id, from, at, kind, text } = item
  const time = timeOf(item) === 0 || at === null ? '' : `${localTime(at)}  `
  const head = `${line(id)}  ${time}${line(from)}  (${kind.replace('_', ' ')})`
  return `${head}\n${plain(text).replace(/\n+$/, '').replace(/^/gm, '  ')}\n  → ${nextStep(item, as)}\n`
}

/** The command that settles it. */
export function nextStep({ id, kind }: Pick<InboxItem, 'id' | 'kind'>, as?: string): string {
  if (kind === 'draft') return `agentmail drafts show ${word(id)}`
  if (kind === 'unknown_send') return `agentmail mail settle ${word(id)} [sent|not-sent]`
  return `agentmail reply ${word(id)}${as === undefined ? '' : ` --as ${word(as)}`} …`
}

/** As a shell takes it for one word and nothing else: another program may have written any id. */
function word(text: string): string {
  const shown = line(text)
  return /^[\w./@:+-]+$/.test(shown) ? shown : `'${shown.replaceAll("'", `'\\''`)}'`
}

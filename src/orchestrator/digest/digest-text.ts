/** The text of a digest: plain lines, whatever the mails that it tells of try. */
import { cleanLine, shortened } from '../../email/visible-text/clean-text.ts'
import { localMinute } from './digest-time.ts'

interface DigestSection {
  lines: string[]
  /** Those that are not among the lines. */
  more: number
}

export interface DigestContent {
  came: DigestSection
  waits: DigestSection
  left: DigestSection
  /** What could not be looked at, in words. */
  faults: string[]
}

export const mostLines = 50
const longestText = 100

export const sectionOf = (lines: readonly string[]): DigestSection => ({
  lines: lines.slice(0, mostLines),
  more: Math.max(0, lines.length - mostLines),
})

/** What others wrote, short, on one line, and so that no service takes the text for HTML. */
export function quotedText(text: string, otherwise = ''): string {
  const line = cleanLine(text).replaceAll('<', '‹').replaceAll('>', '›').replaceAll('&', '＆')
  const short = line.length > longestText ? `${shortened(line, longestText - 1)}…` : line
  return short || otherwise
}

const countOf = ({ lines, more }: DigestSection): number => lines.length + more

export const isEmpty = ({ came, waits, left, faults }: DigestContent): boolean =>
  countOf(came) + countOf(waits) + countOf(left) + faults.length === 0

export function digestCounts({ came, waits, left }: DigestContent): string {
  const waiting = countOf(waits)
  return `${countOf(came)} came, ${waiting} ${waiting === 1 ? 'waits' : 'wait'}, ${countOf(left)} left`
}

/** @param page of the server that runs; empty where none does. */
export function digestText(
  content: DigestContent,
  { sinceMs, untilMs, page }: { sinceMs: number; untilMs: number; page: string },
): string {
  const { came, waits, left, faults } = content
  const sections = [
    ...sectionText('What came', came, 'Nothing came.'),
    ...sectionText('What waits for you', waits, 'Nothing waits for you.'),
    ...sectionText('What left', left, 'Nothing left.'),
    ...(faults.length > 0 ? sectionText('What could not be looked at', sectionOf(faults), '') : []),
  ]
  const where =
    page === ''
      ? ['Decide with: agentmail drafts']
      : [`Decide here: ${page}#/*/approvals`, `All mail:    ${page}#/*/mail`]
  return [
    `From ${localMinute(sinceMs)} to ${localMinute(untilMs)}.`,
    '',
    ...sections,
    ...where,
    '',
  ].join('\n')
}

function sectionText(title: string, section: DigestSection, none: string): string[] {
  const { lines, more } = section
  if (lines.length === 0) return [none, '']
  const rest = more > 0 ? [`- and ${more} more`] : []
  return [`${title} (${countOf(section)})`, ...lines.map((line) => `- ${line}`), ...rest, '']
}

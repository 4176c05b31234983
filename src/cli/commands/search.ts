/** agentmail search: everything that was said or announced with these words in it. */
import { Config } from '../../config.ts'
import { connectIfThere } from '../../connection/connect.ts'
import { checked, searchQuery } from '../../connection/queries.ts'
import type { FoundEntry, SearchPage, SearchRequest } from '../../coordination/search/search.ts'
import { SearchWords } from '../../coordination/search/words.ts'
import { timeText } from '../../coordination/time.ts'
import { AgentMailError } from '../../errors.ts'
import { PostOffice } from '../../mailbox/post-office.ts'
import { type FoundMail, searchMail } from '../../mailbox/search-mail.ts'
import { type Command, flagText } from '../command.ts'
import { pageOf, pageOptions, placeOptions, tellUnknownProject } from '../coordination.ts'
import { print, printError, printJson, printTable } from '../output.ts'
import { cutAt, line, localTime } from '../table.ts'

/** As a reader sees it, wherever it was found. */
type Result = Omit<FoundEntry, 'id' | 'kind' | 'at'> & {
  id: number | string
  kind: FoundEntry['kind'] | 'mailbox'
  at: string | null
}

const maxWords = 100
/** Of a text, around what was found. */
const shownLetters = 100
const shownBefore = 30

export const command: Command = {
  usage: '<words> [--channel <name>] [--agent <name|id>] [--since <time>] [--limit <n>]',
  summary: 'Search messages, announced changes and mailboxes, newest first.',
  details:
    'Every word occurs as a part of the text, whatever its case: the subject and body of a message, the path\nand summary of a change, the text of mail. Words in quotes are searched for as they stand.',
  options: {
    channel: {
      type: 'string',
      value: 'name',
      about: 'only this channel; @name: mail to name, too',
    },
    agent: { type: 'string', value: 'name|id', about: 'only what this agent said' },
    since: pageOptions.since,
    limit: pageOptions.limit,
    ...placeOptions,
  },
  maxPositionals: maxWords,

  async run({ flags, positionals, json }) {
    const words = positionals.filter((word) => word.trim() !== '')
    if (words.length === 0) {
      throw new AgentMailError(
        'missing_arguments',
        'search for what?',
        'Write agentmail search <words>.',
      )
    }
    const { since, limit } = pageOf(flags)
    const given = { words, channel: flagText(flags.channel), agent: flagText(flags.agent) }
    const request = checked(searchQuery, { ...given, since, limit })
    const config = new Config(flags)
    const pages = [await inMailboxes(config, request), await inCoordination(config, request)]
    const { results, has_more } = newestOf(pages, request.limit)
    if (json) printJson({ results, has_more })
    else show(results, has_more, request.words)
    return 0
  },
}

async function inCoordination(config: Config, request: SearchRequest): Promise<SearchPage<Result>> {
  const connection = await connectIfThere(config)
  try {
    const found = await connection?.search(request)
    if (connection) tellUnknownProject(connection)
    return found ?? nothing
  } finally {
    await connection?.close()
  }
}

const nothing = { results: [], has_more: false }

/** Those of this repository. */
async function inMailboxes(
  config: Config,
  { words, channel, agent, since, limit }: SearchRequest,
): Promise<SearchPage<Result>> {
  const office = await PostOffice.locate(config).catch((error) => {
    if (AgentMailError.is(error, 'not_in_repository')) return undefined
    throw error
  })
  if (!office || (channel !== undefined && !channel.startsWith('@'))) return nothing
  office.check()
  const wanted = new SearchWords(words)
  const { results, has_more } = searchMail(office, {
    isWanted: (text) => wanted.areIn(text),
    from: agent,
    to: channel?.slice(1),
    sinceMs: since === undefined ? undefined : Date.parse(since),
    limit,
  })
  return { results: results.map(mailResult), has_more }
}

const mailResult = ({ id, from, to, sentMs, text }: FoundMail): Result => ({
  id,
  kind: 'mailbox',
  at: sentMs === null ? null : timeText(sentMs * 1000),
  agent: from,
  channel: `@${to}`,
  text,
})

/** Nothing is told that is older than what a page has left out. */
function newestOf(pages: SearchPage<Result>[], limit: number): SearchPage<Result> {
  const time = ({ at }: Result) => at ?? ''
  const complete = pages
    .filter(({ has_more }) => has_more)
    .map(({ results }) => results.at(-1))
    .reduce((latest, last) => (last && time(last) > latest ? time(last) : latest), '')
  const all = pages
    .flatMap(({ results }) => results)
    .filter((result) => time(result) >= complete)
    .sort((one, other) => (time(one) < time(other) ? 1 : time(one) > time(other) ? -1 : 0))
  const has_more = all.length > limit || pages.some((page) => page.has_more)
  return { results: all.slice(0, limit), has_more }
}

function show(results: Result[], hasMore: boolean, given: string[]): void {
  if (results.length === 0) {
    print('Nothing was found')
    return
  }
  const words = new SearchWords(given)
  const rows = results.map(({ id, kind, at, agent, channel, text }) => [
    at === null ? '' : localTime(at),
    kind,
    typeof id === 'number' ? `#${id}` : id,
    agent,
    channel ?? '',
    excerpt(text, words),
  ])
  printTable(['TIME', 'KIND', 'ID', 'AGENT', 'CHANNEL', 'TEXT'], rows)
  if (hasMore)
    printError('There is more: narrow it with --since, --channel or --agent, or raise --limit.')
}

/** On one line, cut around the first hit. */
function excerpt(text: string, words: SearchWords): string {
  const start = Math.max(0, words.placeIn(text) - shownBefore)
  const from = text.slice(start, start + 10 * shownLetters).replace(/^[\udc00-\udfff]/, '') // half of a character
  return `${start > 0 ? '…' : ''}${cutAt(line(from), shownLetters)}`
}

/** agentmail sent: what you sent to others, and what became of it. */
import { personOf } from '../../addresses/person.ts'
import { Config } from '../../config.ts'
import { withOwnName } from '../../connection/own-name.ts'
import type { SentEntry } from '../../coordination/inbox/sent.ts'
import { AgentMailError } from '../../errors.ts'
import { hasName } from '../../mailbox/agent.ts'
import { knownOffices } from '../../mailbox/known-offices.ts'
import { PostOffice } from '../../mailbox/post-office.ts'
import { type SentLetter, sentMail } from '../../mailbox/sent/sent-mail.ts'
import { type Command, flagText } from '../command.ts'
import { agentNameOf, connectedIfThere, placeOptions, whoActs } from '../coordination.ts'
import { print, printJson, printTable } from '../output.ts'
import { cutAt, localTime } from '../table.ts'

const most = 500

export const command: Command = {
  usage: '[--to <name>] [--limit <n>] [--as <name>]',
  summary: 'Show what you sent to others, newest first, and whether it was read.',
  details:
    'Mail and direct messages (channel @name). queued: it waits. notified: its reader was told by a hook,\na nudge or a channel. read: it was handed over. How it was told, where that is known, stands beside it:\nrewake (a hook woke Claude Code), codex (codex queue), keys or line (the mailman), hook.',
  options: {
    to: { type: 'string', value: 'name', about: 'only what this one was sent' },
    limit: { type: 'string', value: 'n', about: `at most so many, 1 to ${most} (default: 20)` },
    as: {
      type: 'string',
      value: 'name',
      about: 'who you are; default: as elsewhere, and the person where nobody is named',
    },
    ...placeOptions,
  },

  async run({ flags, json }) {
    const config = await withOwnName(new Config(flags))
    const limit = limitOf(flagText(flags.limit))
    const to = flagText(flags.to)
    const isNameless = flagText(flags.as) === undefined && !hasName(config)
    const given = isNameless ? personOf(config) : await whoActs(flags, config)
    let from = given
    const messages = await connectedIfThere(flags, async (connection) => {
      from = await agentNameOf(connection, given)
      return (await connection.sent({ from, to, limit })).sent
    })
    const office = await PostOffice.locate(config).catch((error) => {
      if (AgentMailError.is(error, 'not_in_repository')) return undefined
      throw error
    })
    office?.check()
    const mail = office ? sentMail(office, { from, to, limit }) : []
    const elsewhere = unseen(mail, messages ?? []).size > 0 ? othersIn(config, office) : []
    const others = elsewhere.flatMap((one) => sentMail(one, { from, to, limit }))
    const wanted = unseen(mail, messages ?? [])
    const all = [...mail, ...others.filter(({ id }) => wanted.has(id))]
    const offices = [...(office ? [office] : []), ...elsewhere]
    const sent = merged(all, (messages ?? []).map(readAndRemoved(offices, all)))
      .sort(newestFirst)
      .slice(0, limit)
    if (json) printJson({ sent })
    else if (sent.length === 0) print('Nothing was sent')
    else printTable(['ID', 'TO', 'SENT', 'STATE', 'SINCE', 'TEXT'], sent.map(rowOf))
    return 0
  },
}

type Sent = SentLetter | SentEntry

/** What lies in a mailbox that is not among these. */
function unseen(mail: SentLetter[], messages: SentEntry[]): Set<string> {
  const seen = new Set(mail.map(({ id }) => id))
  const ids = messages.flatMap(({ letter_id }) => (letter_id === undefined ? [] : [letter_id]))
  return new Set(ids.filter((id) => !seen.has(id)))
}

/** The other post offices of this machine: clones of one repository have one each. */
const othersIn = (config: Config, own: PostOffice | undefined): PostOffice[] =>
  [...new Set(knownOffices(config).map(({ dir }) => dir))]
    .filter((dir) => dir !== own?.dir)
    .map((dir) => new PostOffice(dir, config))
    .filter((office) => office.isUsable)

/** A letter that was read and removed since is known by its receipt. */
const readAndRemoved =
  (offices: PostOffice[], mail: SentLetter[]) =>
  (message: SentEntry): SentEntry => {
    const { letter_id, to } = message
    if (letter_id === undefined || mail.some(({ id }) => id === letter_id)) return message
    const found = offices.map((one) =>
      one
        .receipts(to)
        .of(new Set([letter_id]))
        .get(letter_id),
    )
    const receipt = found.find((one) => one?.state === 'read')
    if (!receipt) return message
    const by = receipt.by
    return {
      ...message,
      state: 'read',
      state_at: receipt.at,
      ...(by !== undefined && { notified_by: by }),
    }
  }

/** What went into a mailbox as well is one message, and the mailbox knows what became of it. */
function merged(mail: SentLetter[], messages: SentEntry[]): Sent[] {
  const letters = new Map(mail.map((letter) => [letter.id, letter]))
  const both = messages.map(({ letter_id = '', ...message }) => {
    const letter = letters.get(letter_id)
    letters.delete(letter_id)
    if (!letter) return message
    const { state, state_at, notified_by } = letter
    return { ...message, state, state_at, ...(notified_by !== undefined && { notified_by }) }
  })
  return [...letters.values(), ...both]
}

/** What has no time that can be read counts as oldest. */
const timeOf = ({ at }: Sent): number => Date.parse(at ?? '') || 0

const newestFirst = (one: Sent, other: Sent): number => timeOf(other) - timeOf(one)

const shown = (time: string | null): string => {
  const isTime = time !== null && !Number.isNaN(Date.parse(time))
  return isTime ? localTime(time) : ''
}

const rowOf = ({ id, to, at, state, state_at, notified_by, text }: Sent): string[] => [
  ...[id, to, shown(at), notified_by ? `${state} (${notified_by})` : state, shown(state_at)],
  cutAt(text.split('\n', 1)[0] ?? '', 100),
]

function limitOf(given: string | undefined): number {
  if (given === undefined) return 20
  const limit = /^\d{1,3}$/.test(given) ? Number(given) : 0
  if (limit >= 1 && limit <= most) return limit
  throw new AgentMailError(
    'invalid_request',
    `--limit must be a whole number from 1 to ${most}, not "${given}"`,
  )
}

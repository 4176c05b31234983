/** Everybody in one list: sessions, MCP clients, windows and mailboxes, and who went lately. */
import { directory, everybodyPaired } from '../../addresses/directory.ts'
import type { Project } from '../../coordination/coordination.ts'
import type { AgentStanding } from '../../coordination/inbox/standing.ts'
import { titleOf } from '../../coordination/messages.ts'
import type { Words } from '../../coordination/overview/agent-signs.ts'
import { timeText } from '../../coordination/time.ts'
import { AgentMailError } from '../../errors.ts'
import { type RecipientEntry, recipientEntries } from '../../mailbox/recipient-entries.ts'
import { logSeldom } from '../../system/log.ts'
import type { AgentView } from '../shapes.ts'
import { heardUsOf, stateSince } from './agent-state.ts'
import { excerptOf } from './excerpts.ts'
import type { MailboxHead } from './mail-heads.ts'
import type { SeenProject, Sight } from './sight.ts'

const goneUs = 24 * 3600 * 1_000_000
const mostGone = 50
const wordsShown = 120
const agentsAPage = 500

export async function agentsView(
  sight: Sight,
  project: string | undefined,
): Promise<{ agents: AgentView[] }> {
  const agents: AgentView[] = []
  for (const seen of await sight.projects(project)) {
    const here = await agentsHere(sight, seen)
    agents.push(...here, ...(await agentsGone(sight, seen, here)))
  }
  return { agents }
}

async function agentsHere(sight: Sight, seen: SeenProject): Promise<AgentView[]> {
  const { machine, person } = sight
  const { overview } = seen.project
  const standings = (await allStandings(seen.project)).filter(({ name }) => name !== person)
  const recipients = recipientsOf(seen)
  const { nowUs } = overview
  const known = { recipients, agents: standings, machine, now: nowUs / 1000 }
  const ids = standings.map(({ agent_id }) => agent_id)
  const signs = await overview.signs(ids)
  const said = await overview.lastWords(ids)
  const files = await overview.firstFiles(standings)
  const mail = newestMailBy(await sight.mail.of(seen))
  const living = new Set(ids)
  const entries = directory(known)
  return everybodyPaired(known).flatMap(({ agent, recipient }, index) => {
    const entry = entries[index]
    if (!entry) return []
    const id = agent?.agent_id ?? ''
    const facts = { signs: signs.get(id), recipient, registered_at: entry.registered_at, nowUs }
    const heard = heardUsOf(facts)
    const words = said.get(id)
    // Of two who have one name, each has said its own.
    const isOwn = words && (words.sender_id === id || !living.has(words.sender_id))
    return {
      project: seen.name,
      name: entry.name,
      role: entry.role,
      agent_id: entry.agent_id,
      ...stateSince(facts),
      client: facts.signs?.session?.client ?? null,
      where: entry.where,
      claims: entry.claims,
      files: files.get(id) ?? [],
      unread: entry.unread,
      last_heard: heard > 0 ? timeText(heard) : null,
      last_words: newestOf(isOwn ? words : undefined, mail.get(entry.name)),
    }
  })
}

async function allStandings(project: Project): Promise<AgentStanding[]> {
  const all: AgentStanding[] = []
  for (let after: string | undefined; ; ) {
    const page = await project.standings({ limit: agentsAPage, after })
    all.push(...page.agents)
    after = page.agents.at(-1)?.agent_id
    if (!page.has_more || after === undefined) return all
  }
}

/** Of clones that have a mailbox of one name each, that name once. */
export function recipientsOf({ offices }: SeenProject): RecipientEntry[] {
  const byName = new Map<string, RecipientEntry>()
  for (const entry of offices.flatMap(entriesIn)) {
    const other = byName.get(entry.name)
    const [last, first] =
      (other?.lastSign ?? 0) > (entry.lastSign ?? 0) ? [other, entry] : [entry, other]
    byName.set(entry.name, {
      ...(last ?? entry),
      spots: [...(last?.spots ?? []), ...(first?.spots ?? [])],
      unread: entry.unread + (other?.unread ?? 0),
    })
  }
  return [...byName.values()]
}

function entriesIn(office: SeenProject['offices'][number]): RecipientEntry[] {
  try {
    return recipientEntries(office, undefined)
  } catch (error) {
    if (!AgentMailError.is(error)) throw error
    logSeldom('post offices that could not be looked into', `${office.dir}: ${error.message}`)
    return []
  }
}

/** What is in a channel too is said there. */
function newestMailBy(mailboxes: MailboxHead[][]): Map<string, MailboxHead> {
  const newest = new Map<string, MailboxHead>()
  for (const mail of mailboxes.flat()) {
    if (!mail.isLetter && mail.us > (newest.get(mail.from)?.us ?? -1)) newest.set(mail.from, mail)
  }
  return newest
}

function newestOf(
  words: Words | undefined,
  mail: MailboxHead | undefined,
): AgentView['last_words'] {
  if (mail && mail.us > (words?.us ?? -1)) {
    const text = excerptOf(mail.subject, wordsShown)
    return { id: `${mail.mailbox}/${mail.id}`, text, at: timeText(mail.us) }
  }
  if (!words) return null
  const text = excerptOf(words.subject, wordsShown) || excerptOf(titleOf(words.body), wordsShown)
  return { id: String(words.id), text, at: timeText(words.us) }
}

async function agentsGone(
  { person }: Sight,
  { name: project, project: { overview } }: SeenProject,
  here: AgentView[],
): Promise<AgentView[]> {
  const names = new Set([person, ...here.map(({ name }) => name)])
  const gone: AgentView[] = []
  for (const { agent_id, name, role, us } of await overview.gone(overview.nowUs - goneUs)) {
    if (names.has(name) || gone.length === mostGone) continue
    names.add(name)
    const at = timeText(us)
    gone.push({
      ...{ project, name, role, agent_id, state: 'gone', since: at, client: null, where: 'gone' },
      ...{ claims: 0, files: [], unread: 0, last_heard: at, last_words: null },
    })
  }
  return gone
}

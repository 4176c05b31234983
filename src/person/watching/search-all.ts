/** Finds words wherever they are: messages, changes, mail, drafts, names of agents, claimed files. */

import { SearchWords } from '../../coordination/search/words.ts'
import { timeText } from '../../coordination/time.ts'
import { AgentMailError } from '../../errors.ts'
import { searchMail } from '../../mailbox/search-mail.ts'
import { listDrafts } from '../../orchestrator/approval/drafts.ts'
import { recordsOf } from '../../orchestrator/approval/records.ts'
import { rfc3339 } from '../../system/clock.ts'
import { logSeldom } from '../../system/log.ts'
import { statNote } from '../../vault/note-stat.ts'
import { readNote } from '../../vault/notes.ts'
import { Vault } from '../../vault/vault.ts'
import type { SearchView } from '../shapes.ts'
import { excerptOf } from './excerpts.ts'
import { newestMail } from './mail-heads.ts'
import type { SeenProject, Sight } from './sight.ts'

const mostFound = 50
/** Of what is found by its name, so that it leaves room for what is found by what it says. */
const mostNamed = 10
const longestMs = 5000
const agentsAPage = 500
const agentsLooked = 5000
const draftsRead = 500

export interface SearchQuestion {
  project?: string | undefined
  words: string[]
}

/** What bears the words in its name first, then what was said, newest first. It ends early where it takes long. */
export async function searchAll(
  sight: Sight,
  { project, words }: SearchQuestion,
  signal: AbortSignal,
): Promise<{ results: SearchView[] }> {
  const ending = new AbortController()
  const end = () => ending.abort()
  signal.addEventListener('abort', end)
  if (signal.aborted) end()
  const timer = setTimeout(end, longestMs)
  try {
    const wanted = new SearchWords(words)
    const named: SearchView[] = []
    const said: SearchView[] = []
    for (const seen of await sight.projects(project)) {
      if (ending.signal.aborted) break
      named.push(...(await agentsNamed(seen, wanted)))
      named.push(...(await filesNamed(seen, words)))
      said.push(...(await saidIn(seen, words, ending.signal)))
      said.push(...(await mailIn(sight, seen, wanted, ending.signal)))
    }
    const drafts = await draftsWith(sight, wanted, ending.signal)
    const first = [
      ...named.filter(({ kind }) => kind === 'agent').slice(0, mostNamed),
      ...named.filter(({ kind }) => kind === 'file').slice(0, mostNamed),
      ...drafts.slice(0, mostNamed),
    ]
    said.sort((one, other) => ((one.at ?? '') < (other.at ?? '') ? 1 : -1))
    return { results: [...first, ...said].slice(0, mostFound) }
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', end)
  }
}

async function agentsNamed(
  { name: project, project: { agents }, offices }: SeenProject,
  wanted: SearchWords,
): Promise<SearchView[]> {
  const found: SearchView[] = []
  let after: string | undefined
  for (let looked = 0; looked < agentsLooked && found.length < mostNamed; looked += agentsAPage) {
    const page = await agents.list({ limit: agentsAPage, after })
    for (const { name, role, last_seen } of page.agents) {
      if (!wanted.areIn(name)) continue
      found.push({ kind: 'agent', project, title: name, text: role, at: last_seen, target: name })
    }
    after = page.agents.at(-1)?.agent_id
    if (!page.has_more || after === undefined) break
  }
  const known = new Set(found.map(({ title }) => title))
  const mailboxes = new Set(offices.flatMap((office) => office.recipientNames()))
  for (const name of mailboxes) {
    if (found.length >= mostNamed || known.has(name) || !wanted.areIn(name)) continue
    found.push({ kind: 'agent', project, title: name, text: 'mailbox', at: null, target: name })
  }
  return found
}

async function filesNamed(
  { name: project, project: { overview } }: SeenProject,
  words: string[],
): Promise<SearchView[]> {
  const rows = await overview.claimsNamed(words, mostNamed)
  return rows.map(({ path, agent, us }) => ({
    ...{ kind: 'file', project, title: path, text: `held by ${agent}` },
    ...{ at: timeText(us), target: path },
  }))
}

async function saidIn(
  { name: project, project: one }: SeenProject,
  words: string[],
  signal: AbortSignal,
): Promise<SearchView[]> {
  const { results } = await one.search({ words, limit: mostFound }, signal)
  return results.map(({ id, kind, at, agent, channel, text }) => {
    const [title = '', ...rest] = text.split('\n')
    const from = channel === null ? agent : `${agent} in ${channel}`
    return {
      ...{ kind, project, title, text: `${from}: ${excerptOf(rest.join('\n'))}`, at },
      target: kind === 'message' ? String(id) : title,
    }
  })
}

/** In the newest of each mailbox; what is in a channel too is found there. */
async function mailIn(
  sight: Sight,
  seen: SeenProject,
  wanted: SearchWords,
  signal: AbortSignal,
): Promise<SearchView[]> {
  const letters = new Set<string>()
  for (const mail of (await sight.mail.of(seen)).flat()) {
    if (mail.isLetter) letters.add(`${mail.mailbox}/${mail.id}`)
  }
  const found: SearchView[] = []
  for (const office of seen.offices) {
    for (const to of office.mailboxNames()) {
      if (signal.aborted) return found
      const isWanted = (text: string) => wanted.areIn(text)
      const { results } = searchMail(office, { isWanted, to, limit: mostFound, newest: newestMail })
      for (const { id, from, sentMs, text } of results) {
        const target = `${to}/${id}`
        if (letters.has(target)) continue
        found.push({
          ...{ kind: 'mailbox', project: seen.name, title: excerptOf(text, 80) },
          ...{ text: `${from} to ${to}: ${excerptOf(text)}`, target },
          at: sentMs === null ? null : timeText(sentMs * 1000),
        })
      }
      await new Promise((resolve) => setImmediate(resolve)) // others have their turn
    }
  }
  return found
}

async function draftsWith(
  { config }: Sight,
  wanted: SearchWords,
  signal: AbortSignal,
): Promise<SearchView[]> {
  if (config.text('vault') === undefined) return []
  try {
    const vault = Vault.named(config)
    const { drafts } = await listDrafts(recordsOf(config, vault))
    const found: SearchView[] = []
    for (const { path, subject, to, agent } of drafts.slice(0, draftsRead)) {
      if (signal.aborted || found.length === mostNamed) break
      const body = await readNote(vault, path).then(
        (note) => note.body,
        () => '',
      )
      const recipient = to ?? agent ?? ''
      if (!wanted.areIn(subject, recipient, body)) continue
      const stat = await statNote(vault, path)
      found.push({
        ...{ kind: 'draft', project: null, title: subject, target: path },
        text: `${recipient}: ${excerptOf(body)}`,
        at: stat === undefined ? null : rfc3339(Number(stat.mtimeMs)),
      })
    }
    return found
  } catch (error) {
    if (!AgentMailError.is(error)) throw error
    logSeldom('drafts that could not be searched', `drafts were not searched: ${error.message}`)
    return []
  }
}

/** What the orchestrator remembers of mail: what the inbox has and what is under way, and no mail is taken in twice for it. */
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import * as z from 'zod'
import { worker } from '../support/agentmail.ts'
import { Clerk } from '../support/orchestrator/clerk.ts'

const stateSchema = z.looseObject({
  ingested: z.array(z.string()),
  missing: z.record(z.string(), z.number()),
  undecided: z.looseObject({ notes: z.array(z.string()) }),
})
const path = 'Logs/orchestrator_state.json'
const long = 'x'.repeat(100)
const dayMs = 24 * 3600_000

/** With a mailbox that has what a test says. */
class Remembering extends Clerk {
  readonly #plan = join(this.folder, 'plan.json')

  /** Gives the ids of the mails that were taken in by it. */
  async seeing(ids: string[], { isBroken = false } = {}): Promise<unknown[]> {
    const subject = (id: string) => (id.startsWith('news') ? 'News' : 'Lunch')
    const mails = ids.map((id) => ({ id, subject: subject(id), sender: 'zoe@example.com' }))
    writeFileSync(this.#plan, JSON.stringify({ mails, isBroken }))
    const server = [process.execPath, worker('stand-in-gmail'), this.#plan, join(this.folder, 's')]
    const GMAIL_MCP_SERVER = server.map((word) => `'${word}'`).join(' ')
    const { events } = await this.once({ GMAIL_MCP_SERVER })
    return events.filter(({ event }) => event === 'ingested').map(({ message_id }) => message_id)
  }

  remembered() {
    return stateSchema.parse(this.state())
  }
}

function remembering(): Remembering {
  const clerk = new Remembering()
  clerk.put('Rules.md', '---\nrules: [{subject: News, decision: archive, reason: News}]\n---\n')
  return clerk
}

it('forgets a mail that is done and that the inbox has no more, and knows it when it comes back', async () => {
  const clerk = remembering()
  const news = ['news 1', `news ${long}`, 'news 3']
  expect(await clerk.seeing(news)).toEqual(news)
  expect(clerk.remembered().ingested).toHaveLength(3)
  await clerk.seeing(['news 3'])
  expect(clerk.remembered()).toMatchObject({ ingested: ['news 3'], missing: {} })
  expect(await clerk.seeing([...news, 'news 4'])).toEqual(['news 4'])
  expect(await clerk.notes('Done')).toHaveLength(4)
})

it('remembers a mail that is under way, and one without a note for a week', async () => {
  const clerk = remembering()
  await clerk.seeing(['waits', 'deleted', long])
  const waits = (await clerk.notes('Needs_Action')).find(
    ({ frontmatter }) => frontmatter.message_id === 'waits',
  )
  for (const note of await clerk.notes('Needs_Action')) {
    if (note.path !== waits?.path) rmSync(join(clerk.vault, note.path))
  }
  // A mailbox that answers with less, or not at all.
  for (const isBroken of [true, false]) await clerk.seeing([], { isBroken })
  const { ingested, missing, undecided } = clerk.remembered()
  expect(ingested).toHaveLength(3)
  expect(Object.keys(missing)).toHaveLength(2)
  expect(undecided.notes).toEqual([waits?.path])
  expect(await clerk.seeing(['waits', 'deleted', long])).toEqual([])
  expect(clerk.remembered()).toMatchObject({ ingested, missing: {} })
  await clerk.seeing([])
  const state = clerk.remembered()
  for (const id of Object.keys(state.missing)) state.missing[id] = Date.now() - 8 * dayMs
  clerk.put(path, JSON.stringify(state))
  await clerk.seeing([])
  expect(clerk.remembered()).toMatchObject({ ingested: ['waits'], missing: {} })
})

it('reads what an earlier version remembered, and lets go of it in time', async () => {
  const clerk = remembering()
  await clerk.seeing(['news 1'])
  const { missing: _, ...earlier } = clerk.remembered()
  const old = Array.from({ length: 5000 }, (_, index) => `old ${index}`)
  clerk.put(path, JSON.stringify({ ...earlier, ingested: [...old, 'news 1'] }))
  expect(await clerk.seeing(['news 1', 'old 7'])).toEqual([])
  const state = clerk.remembered()
  expect(state.ingested).toHaveLength(5001)
  for (const id of Object.keys(state.missing)) state.missing[id] = 0
  clerk.put(path, JSON.stringify(state))
  await clerk.seeing(['old 7'])
  expect(clerk.remembered()).toMatchObject({ ingested: ['old 7'], missing: {} })
})

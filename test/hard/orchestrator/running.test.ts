/** The orchestrator as it runs on and on: what it tells, how it ends, and who else is at work on the vault. */
import { existsSync, readFileSync, renameSync, rmdirSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { eventually } from '../../support/eventually.ts'
import { eventOf, OrchestratorHome } from '../../support/orchestrator/orchestrator-home.ts'

const rules = [
  { subject: 'news', decision: 'archive', reason: 'News' },
  { from: '@', decision: 'draft_reply', reason: 'Asked', reply: 'Yes.\n' },
]
const to = 'jane@example.com'
const numbers = (count: number) => Array.from({ length: count }, (_, index) => index + 10)

describe('a running orchestrator', () => {
  it('tells what it does in lines, and ends in order', async () => {
    const home = await OrchestratorHome.make(rules, { AGENTMAIL_POLL_SECONDS: '0.5' })
    const running = home.start()
    await running.line(' started ')
    home.drop({ subject: 'lunch \u001b[31m\u202e' })
    await running.line(' drafted ')
    running.signal('SIGUSR1')
    await running.line(' summary ')
    const { exitCode, stderr } = await running.kill('SIGTERM')
    expect([exitCode, stderr]).toEqual([0, ''])
    const events = running.lines.map((line) => /^\d\d:\d\d:\d\d (\w+) +\S/.exec(line)?.[1])
    expect(events).toEqual(['started', 'ingested', 'triaged', 'drafted', 'summary', 'summary'])
    expect(running.lines.at(-1)).toContain('1 mail taken in, 1 decided about, 1 reply drafted')
    expect(running.lines.join('')).not.toMatch(/\p{C}/u)
    expect(home.log('orchestrator').map(({ event }) => event)).toEqual(events)
  })

  it('tells how far it is, and sends what is approved without waiting for the next poll', async () => {
    const home = await OrchestratorHome.make(rules, { AGENTMAIL_POLL_SECONDS: '600' })
    for (const number of numbers(210)) home.drop({ subject: `news ${number}` })
    home.draft('Drafts/hello.md', { to, subject: 'hello' })
    rmdirSync(join(home.root, 'Approved'))
    const running = home.start({}, '--json')
    await running.line('"progress"')
    home.approveByHand('Drafts/hello.md')
    await running.line('"sent"')
    await running.line('"progress"', 2)
    await running.kill()
    const events = running.lines.map(eventOf)
    const progress = events.filter(({ event }) => event === 'progress')
    expect(progress.map(({ ingested }) => ingested)).toEqual([200, 210])
    expect(events.at(-1)).toMatchObject({ event: 'summary', ingested: 210, sent: 1 })
  })
})

describe.runIf(process.platform === 'linux')('an orchestrator with our own servers', () => {
  it('is one process, also while it takes in, decides and sends', async () => {
    const home = await OrchestratorHome.make(rules)
    home.drop({ subject: 'lunch' })
    home.draft('Approved/a.md', { to, subject: 'hello' })
    const running = home.start({}, '--json')
    await running.line('"drafted"')
    await running.line('"sent"')
    const { pid } = running
    expect(readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')).toBe('')
    await running.kill()
  })
})

describe('two orchestrators on one vault', () => {
  it('take each mail in once and send each draft once', async () => {
    const home = await OrchestratorHome.make(rules)
    for (const number of numbers(3)) {
      home.drop({ subject: `lunch ${number}` })
      home.draft(`Approved/${number}.md`, { to, subject: `hello ${number}` })
    }
    const ran = await Promise.all([home.once(), home.once()])
    expect(ran.map(({ exitCode }) => exitCode)).toEqual([0, 0])
    expect(ran.flatMap(({ told }) => told('ingested'))).toHaveLength(3)
    expect(await home.sentSubjects()).toEqual(['hello 10', 'hello 11', 'hello 12'])
    expect([home.list('Needs_Action').length, home.list('Drafts').length]).toEqual([3, 3])
  })

  it('relieve each other: what one was killed over, the other goes on with', async () => {
    const home = await OrchestratorHome.make([], { AGENTMAIL_RETRY_SECONDS: '1' })
    const first = home.start({}, '--json')
    await first.line('"started"')
    const second = home.start({}, '--json')
    await second.line('"waiting"')
    const approve = (count: number) =>
      home.draft(`Approved/${count}.md`, { to, subject: `${count}` })
    for (const number of numbers(10).slice(0, 5)) approve(number)
    await first.line('"sent"', 3)
    for (const number of numbers(10).slice(5)) approve(number)
    await first.kill('SIGKILL')
    await second.line('"started"')
    // One that the first was just sending may have left or not; then it waits for a person.
    const statuses = async () =>
      Promise.all(
        [...home.list('Done'), ...home.list('Approved')].map(async (path) => {
          const { subject, status } = (await home.note(path)).frontmatter
          return { subject: String(subject), status }
        }),
      ).catch(() => []) // one was moved at that moment
    const settled = await eventually(
      'all are settled',
      async () => {
        const notes = await statuses()
        const isSettled = ({ status }: { status?: unknown }) =>
          status === 'done' || status === 'unknown'
        return notes.length === 10 && notes.every(isSettled) && notes
      },
      40_000,
    )
    await second.kill()
    const doubtful = settled.filter(({ status }) => status === 'unknown')
    expect(doubtful.length).toBeLessThan(2)
    const sent = new Set(await home.sentSubjects())
    expect([...sent].sort()).toEqual(await home.sentSubjects())
    const certain = numbers(10)
      .map(String)
      .filter((subject) => doubtful.every((note) => note.subject !== subject))
    expect([...sent]).toEqual(expect.arrayContaining(certain))
  })
})

describe('an editor on the same notes', () => {
  it('loses nothing to the orchestrator, and keeps nothing from its work', async () => {
    const home = await OrchestratorHome.make(rules)
    for (const number of numbers(50)) {
      home.drop({ subject: `news ${number}` })
      home.drop({ subject: `lunch ${number}` })
    }
    const edits: { name: string; tag: string }[] = []
    /** In one step, as an editor that writes a new file. */
    const edit = (path: string) => {
      const file = join(home.root, path)
      const name = basename(path, '.md')
      const tag = `tag-${edits.length}`
      try {
        const text = readFileSync(file, 'utf8')
        const tagged = text.replace(/^tags: \[(.*)\]$|\n---\n/m, (found, tags) =>
          tags === undefined ? `\ntags: [${tag}]${found}` : `tags: [${tags}, ${tag}]`,
        )
        writeFileSync(join(home.folder, 'new.md'), `${tagged}A line of ${tag}.\n`)
        if (!existsSync(file)) return
        renameSync(join(home.folder, 'new.md'), file)
        edits.push({ name, tag })
      } catch {} // it was filed at that moment
    }
    const editsOf = (path: string) =>
      edits.filter(({ name }) => name === basename(path, '.md')).length
    let isOver = false
    const worked = home.once().finally(() => {
      isOver = true
    })
    while (!isOver) {
      const [rarest] = home.list('Needs_Action').sort((a, b) => editsOf(a) - editsOf(b))
      if (rarest) edit(rarest)
      await delay(5)
    }
    expect((await worked).stderr).toBe('')
    await home.retryNow()
    const settled = await home.once()
    expect([settled.exitCode, settled.stderr]).toEqual([0, ''])
    expect(edits.length).toBeGreaterThan(40)
    const notes = await Promise.all(
      ['Needs_Action', 'Done']
        .flatMap((folder) => home.list(folder))
        .map((path) => home.note(path)),
    )
    for (const { name, tag } of edits) {
      const kept = notes.filter(({ path }) => path.includes(name))
      expect(kept.map(({ body }) => body).join()).toContain(`A line of ${tag}.\n`)
      expect(kept.flatMap(({ frontmatter }) => frontmatter.tags)).toContain(tag)
    }
    for (const { path, frontmatter } of notes) {
      const isNews = String(frontmatter.subject).startsWith('news')
      expect([path.split('/')[0], frontmatter.status]).toEqual(
        isNews ? ['Done', 'done'] : ['Needs_Action', 'drafted'],
      )
    }
    expect(home.list('Drafts')).toHaveLength(50)
  })
})

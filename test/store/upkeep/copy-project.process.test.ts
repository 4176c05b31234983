/** A database that an older version left in a repository: it is told, and the line that is told brings it over. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { expect, it } from 'vitest'
import * as z from 'zod'
import { binary } from '../../support/agentmail.ts'
import {
  historySchema,
  messagesOf,
  openAgent,
  openPlace,
  type Place,
  subjectsOf,
  ways,
} from '../../support/coordination/coordination.ts'
import { oldDays } from '../../support/coordination/old-days.ts'
import { git } from '../../support/mailbox/tmux.ts'
import { sql } from '../../support/store/sqlite-files.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const projectsSchema = z.object({ projects: z.array(z.object({ name: z.string() })) })

/** As one of the first version, before pruning and projects. */
async function leaveOldDatabase(place: Place, ...projects: string[]): Promise<string> {
  const folder = join(place.repository, '.agentmail')
  mkdirSync(folder)
  const path = join(folder, 'agentmail.db')
  for (const project of ['', ...projects]) await oldDays(path, { messages: 30, days: 1, project })
  const later = ['sends', 'draft_notes', 'horizons', 'repositories', 'project_names']
  const drop = [...later, 'project_origins', 'project_roots'].map((name) => `DROP TABLE ${name}`)
  sql(path, ...drop, "UPDATE meta SET value = '1' WHERE name = 'schema'")
  sql(path, 'DROP INDEX claims_by_agent', 'DROP INDEX claims_by_path')
  sql(path, 'ALTER TABLE idempotency_keys DROP COLUMN used_us')
  sql(path, 'PRAGMA wal_checkpoint(TRUNCATE)') // a connection is closed for good only when nobody knows it any more
  return path
}

/** Runs what was told just as it was told. */
function paste(place: Place, line: string): string {
  const bin = temporaryFolder()
  symlinkSync(binary, join(bin, 'agentmail'))
  const env = { ...process.env, ...place.env, PATH: `${bin}:${process.env.PATH}` }
  return execFileSync('sh', ['-c', line], { cwd: temporaryFolder(), env, encoding: 'utf8' })
}

/** What was said before, and not the notice of who went stale since. */
async function oldSubjects(place: Place, project = place.project): Promise<string[]> {
  const said = await place.json(['messages', '--limit', '500', '--project', project])
  return subjectsOf(said).filter((subject) => subject === 'old')
}

const linesIn = (text: string) => text.match(/agentmail db copy .*?(?= && |$)/gm) ?? []

it.each(ways)('is told once, and brought over by the line, through %s', async (way) => {
  const place = await openPlace(way)
  const path = await leaveOldDatabase(place)
  const bytes = readFileSync(path)
  const ann = await openAgent(place, 'new ann') // whose registration is in the journal already
  const first = await place.run(['agents'])
  expect(first).toMatchObject({ stdout: expect.stringContaining('ann'), exitCode: 0 })
  const [line = '', ...others] = linesIn(first.stderr)
  expect([line, others]).toEqual([
    `agentmail db copy --from ${path} --project ${place.project}`,
    [],
  ])
  expect((await place.run(['agents'])).stderr).toBe('')
  expect(subjectsOf(await place.json(['messages']))).toEqual([])
  expect(paste(place, line)).toContain('messages')
  expect(await oldSubjects(place)).toHaveLength(30)
  await ann.say('next')
  const messages = messagesOf(await place.json(['messages', '--after-id', '30']))
  expect(messages.filter(({ subject }) => subject === 'next')).toHaveLength(1)
  const history = historySchema.parse(await place.json(['history', '--agent', 'new ann']))
  expect(history.map(({ event }) => event)).toEqual(['registered', 'said'])
  const before = historySchema.parse(await place.json(['history', '--agent', 'bob']))
  expect(before.filter(({ event }) => event === 'said')).toHaveLength(30)
  const doctor = await place.run(['doctor'])
  expect([doctor.exitCode, linesIn(doctor.stdout)]).toEqual([0, []])
  expect(readFileSync(path)).toEqual(bytes)
})

it('is brought over by what doctor prints, pasted from the first command to the end of the line', async () => {
  const place = await openPlace('the database itself')
  await leaveOldDatabase(place, 'other')
  const { stdout } = await place.run(['doctor'])
  const [commands = ''] = /agentmail db copy .*$/m.exec(stdout) ?? []
  paste(place, commands)
  for (const project of [place.project, 'other']) {
    expect(await oldSubjects(place, project), project).toHaveLength(30)
  }
  const { projects } = projectsSchema.parse(await place.json(['projects']))
  expect(projects.map(({ name }) => name).sort()).toEqual(['other', place.project].sort())
})

it('is told again where more was stored in it since, or another database is used', async () => {
  const place = await openPlace('the database itself')
  const path = await leaveOldDatabase(place)
  const told = async (env = {}) => linesIn((await place.run(['doctor'], { env })).stdout)
  const [line = ''] = await told()
  paste(place, line)
  expect(await told()).toEqual([])
  const other = { AGENTMAIL_DB: join(temporaryFolder(), 'other.db') }
  expect(await told(other)).toHaveLength(1)
  await place.run(['agents'], { env: other })
  expect(await told(other)).toHaveLength(1)
  sql(path, "UPDATE projects SET token = 'another'")
  expect(await told()).toEqual([line])
})

it.each([
  ['garbage', (path: string) => writeFileSync(path, 'no database\n'.repeat(1000))],
  ['nothing', (path: string) => writeFileSync(path, '')],
  ['tables of others', (path: string) => sql(path, 'CREATE TABLE projects (project TEXT)')],
])('is none where a file of its name holds %s', async (_, write) => {
  const place = await openPlace('the database itself')
  mkdirSync(join(place.repository, '.agentmail'))
  const path = join(place.repository, '.agentmail/agentmail.db')
  write(path)
  const bytes = readFileSync(path)
  expect((await place.run(['agents'])).stderr).toBe('')
  const doctor = await place.run(['doctor'])
  expect([doctor.stdout.includes('db copy'), doctor.exitCode]).toEqual([false, 0])
  expect(readFileSync(path)).toEqual(bytes)
})

it('is refused where it would meet what is there, with the way out', async () => {
  const place = await openPlace('the database itself')
  const path = await leaveOldDatabase(place)
  await place.run(['post', 'new', 'body', '--as', 'ann'])
  const copy = (...args: string[]) => place.run(['db', 'copy', '--from', path, ...args])
  const refused = await copy('--project', place.project)
  expect(refused).toMatchObject({ stdout: '', exitCode: 1 })
  expect(refused.stderr).toMatch(
    /has messages already\nNothing was changed\. .*--project <another name>/,
  )
  expect(subjectsOf(await place.json(['messages']))).toEqual(['new'])
  expect((await copy('--project', 'before')).exitCode).toBe(0)
  expect(await oldSubjects(place, 'before')).toHaveLength(30)
  const wrong: [string[], RegExp][] = [
    [['--project', 'x', '--from-project', 'nobody'], /there is no project "nobody" in the source/],
    [['--from-project', ''], /--project names no project/],
    [['--project', 'a/b'], /the project must be a name/],
    [['--project', 'x', '--to', path], /the same database/],
  ]
  for (const [args, words] of wrong) expect((await copy(...args)).stderr).toMatch(words)
})

it('is told by doctor with a line for each project, and not where it came with the repository', async () => {
  const place = await openPlace('the database itself')
  const path = await leaveOldDatabase(place, 'other one')
  const doctor = await place.run(['doctor'])
  expect(doctor.exitCode).toBe(1)
  expect(linesIn(doctor.stdout)).toEqual([
    `agentmail db copy --from ${path} --project ${basename(place.repository)}`,
    `agentmail db copy --from ${path} --from-project 'other one' --project 'other one'`,
  ])
  const [first = '', second = ''] = linesIn(doctor.stdout)
  paste(place, first)
  expect(linesIn((await place.run(['doctor'])).stdout)).toEqual([second])
  paste(place, second)
  expect((await place.run(['doctor'])).exitCode).toBe(0)
  expect(await oldSubjects(place, 'other one')).toHaveLength(30)
  git(place.repository, 'add', '--force', '.agentmail')
  expect(
    (await place.run(['messages'], { env: { XDG_DATA_HOME: temporaryFolder() } })).stderr,
  ).toBe('')
})

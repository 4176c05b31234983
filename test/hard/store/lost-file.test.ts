/** What a file of SQLite held that is taken away under a process: nothing acknowledged is lost that could be kept, and nobody else is harmed. */
import { once } from 'node:events'
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect, it, onTestFinished } from 'vitest'
import { fileDatabase } from '../../../src/store/database.ts'
import { startWorker } from '../../support/agentmail.ts'
import { newPath } from '../../support/store/sqlite-files.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const lost = 'database_lost'
const remove = (path: string, ...ends: string[]) => {
  for (const end of ends) rmSync(path + end)
}

/** A process that has the file open, to which a line is said that it answers. */
async function hold(path: string) {
  const child = startWorker('file-holder', [path])
  onTestFinished(() => {
    child.kill('SIGKILL')
  })
  const output = createInterface({ input: child.stdout })
  const [opened] = await once(output, 'line')
  expect(opened).toBe('open')
  return {
    async say(line: string): Promise<string> {
      const answer = once(output, 'line')
      child.stdin.write(`${line}\n`)
      return String((await answer)[0])
    },
    async end(): Promise<void> {
      const over = once(child, 'exit')
      child.stdin.end()
      await over
    },
  }
}

/** One that has stored a word in the file, and one that is only in its log. */
async function holdWords(path = newPath()) {
  const first = await hold(path)
  expect(await first.say('filed')).toBe('added')
  await first.end()
  const holder = await hold(path)
  expect(await holder.say('logged')).toBe('added')
  return { path, ...holder }
}

/** What the next process finds in a file. */
async function wordsIn(path: string): Promise<string> {
  const { say, end } = await hold(path)
  const words = await say('?')
  await end()
  return words
}

/** A whole database of somebody else. */
async function another(): Promise<string> {
  const path = newPath()
  const { say, end } = await hold(path)
  await say('another')
  await end()
  return path
}

it.each([[['-wal']], [['-shm']], [['-wal', '-shm']]])(
  'keeps all in the file where only %s went',
  async (ends) => {
    const { path, say, end } = await holdWords()
    remove(path, ...ends)
    expect(await say('late')).toBe(lost)
    expect(await wordsIn(path)).toBe('ok: filed logged')
    await end()
    expect(await wordsIn(path)).toBe('ok: filed logged')
  },
)

it('keeps out of another file that was put in its place', async () => {
  const { path, say, end } = await holdWords()
  const other = await another()
  renameSync(path, `${path}.old`)
  renameSync(other, path)
  expect(await say('late')).toBe(lost)
  const next = await hold(path)
  expect(await next.say('new')).toBe('added')
  await end()
  expect(await next.say('newer')).toBe('added')
  expect(await next.say('?')).toBe('ok: another new newer')
  const [kept] = readdirSync(dirname(path)).filter((name) => name.includes('-wal.lost'))
  renameSync(join(dirname(path), kept ?? ''), `${path}.old-wal`)
  expect(await wordsIn(`${path}.old`)).toBe('ok: filed logged')
})

it('is whole again when its file comes back alone, also beside the process that lost it', async () => {
  const { path, say, end } = await holdWords()
  renameSync(path, `${path}.old`)
  expect(await say('late')).toBe(lost)
  renameSync(`${path}.old`, path)
  expect(await say('later')).toBe(lost)
  const next = await hold(path)
  expect(await next.say('new')).toBe('added')
  await end()
  await next.end()
  expect(await wordsIn(path)).toBe('ok: filed logged new')
})

it('is whole for whoever only looks first when its file comes back alone', async () => {
  const { path, say, end } = await holdWords()
  renameSync(path, `${path}.old`)
  expect(await say('late')).toBe(lost)
  await end()
  renameSync(`${path}.old`, path)
  const view = await fileDatabase(path).view()
  expect(await view?.all('SELECT word FROM words')).toEqual([{ word: 'filed' }, { word: 'logged' }])
  await view?.close()
  expect(await wordsIn(path)).toBe('ok: filed logged')
})

it('takes nothing for its log that is none', async () => {
  const { path, end } = await holdWords()
  await end()
  remove(path, '-wal', '-shm') // which hold nothing any more
  const { mtimeNs, size } = lstatSync(path, { bigint: true })
  const planted = `${path}-wal.lost-${mtimeNs}-${size}`
  const elsewhere = join(temporaryFolder(), 'elsewhere')
  symlinkSync(elsewhere, planted)
  expect(await wordsIn(path)).toBe('ok: filed logged')
  expect(existsSync(elsewhere)).toBe(false)
  expect(lstatSync(planted).isSymbolicLink()).toBe(true)
})

it('does not get the log of a file that has changed since', async () => {
  const { path, say, end } = await holdWords()
  renameSync(path, `${path}.old`)
  expect(await say('late')).toBe(lost)
  const elsewhere = await hold(`${path}.old`)
  expect(await elsewhere.say('elsewhere')).toBe('added')
  await elsewhere.end()
  await end()
  renameSync(`${path}.old`, path)
  expect(await wordsIn(path)).toBe('ok: filed elsewhere')
})

it('keeps out of a file that was moved and is open elsewhere', async () => {
  const { path, say, end } = await holdWords()
  renameSync(path, `${path}.old`)
  const elsewhere = await hold(`${path}.old`)
  expect(await elsewhere.say('elsewhere')).toBe('added')
  expect(await say('late')).toBe(lost)
  await end()
  expect(await elsewhere.say('?')).toBe('ok: filed elsewhere')
})

it('leaves its folder as it was where that was moved', async () => {
  const { path, say, end } = await holdWords()
  const moved = join(temporaryFolder(), 'moved')
  renameSync(dirname(path), moved)
  expect(await say('late')).toBe(lost)
  await end()
  expect(await wordsIn(join(moved, 'agentmail.db'))).toBe('ok: filed logged')
  expect(existsSync(dirname(path))).toBe(false)
})

it.each([[['', '-wal', '-shm']], [['']]])(
  'harms nobody who begins a new one before it is noticed that %s went',
  async (ends) => {
    const { path, say, end } = await holdWords()
    remove(path, ...ends)
    const next = await hold(path)
    expect(await next.say('new')).toBe('added')
    expect(await say('late')).toBe(lost)
    expect(await next.say('newer')).toBe('added')
    await end()
    expect(await next.say('newest')).toBe('added')
    await next.end()
    expect(await wordsIn(path)).toBe('ok: new newer newest')
  },
)

it('harms nobody who opens it again while two processes hold what is gone', async () => {
  const first = await holdWords()
  const second = await hold(first.path)
  expect(await second.say('shared')).toBe('added')
  remove(first.path, '-wal', '-shm')
  expect(await first.say('late')).toBe(lost)
  const next = await hold(first.path)
  expect(await next.say('new')).toBe('added')
  expect(await second.say('late')).toBe(lost)
  await next.end()
  await second.end()
  await first.end()
  expect(await wordsIn(first.path)).toBe('ok: filed logged shared new')
})

it('stays refused when the same file comes back, and is whole at the next start', async () => {
  const { path, say, end } = await holdWords()
  const aside = join(temporaryFolder(), 'aside')
  renameSync(dirname(path), aside)
  mkdirSync(dirname(path))
  expect(await say('late')).toBe(lost)
  rmSync(dirname(path), { recursive: true })
  renameSync(aside, dirname(path))
  expect(await say('later')).toBe(lost)
  await end()
  expect(await wordsIn(path)).toBe('ok: filed logged')
})

/** A process that holds a database file open. It adds a word for each line of its input and says `added`, or why not; at a `?` it says all that are there. */
import { writeSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { AgentMailError } from '../../../src/errors.ts'
import { fileDatabase } from '../../../src/store/database.ts'

const [path = ''] = process.argv.slice(2)
const say = (word: string) => writeSync(1, `${word}\n`)

const store = await fileDatabase(path).open()
await store.define(['CREATE TABLE IF NOT EXISTS words (word TEXT)'], async () => {})
say('open')
for await (const line of createInterface({ input: process.stdin })) {
  const answer = line === '?' ? everything() : added(line)
  say(await answer.catch((error: unknown) => (AgentMailError.is(error) ? error.code : `${error}`)))
}
await store.close()
process.exit(0)

async function added(word: string): Promise<string> {
  await store.transaction((transaction) => transaction.run('INSERT INTO words VALUES (?)', word))
  return 'added'
}

async function everything(): Promise<string> {
  const [row] = await store.all('PRAGMA integrity_check')
  const words = (await store.all('SELECT word FROM words')).map(({ word }) => word)
  return `${row?.integrity_check}: ${words.join(' ')}`
}

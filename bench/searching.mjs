/** B16: `agentmail search` among a million messages, asked of a server as the command asks it. */
import { DatabaseSync } from '@photostructure/sqlite'
import { fillDatabase } from './full-database.mjs'
import { median, timed } from './measure.mjs'

const rounds = 7
const messages = 1_000_000

/** Where each word is: in every message, in the oldest one, in none. */
const words = { common: 'lexer', rare: 'quokka', nowhere: 'wombat' }

export async function searchRows(start) {
  const server = await start.agentmail('search')
  await server.register('reader')
  fillDatabase(server.database, { messages, claims: 0 })
  const database = new DatabaseSync(server.database)
  database.exec("UPDATE messages SET body = 'The quokka was here.' WHERE id = 1")
  const plain = database.prepare('SELECT COUNT(*) AS n FROM messages WHERE LOWER(body) LIKE ?')
  const search = async (word, count) => {
    const { results } = await server.get(`/api/search?words=${word}`)
    if (results.length !== count) throw new Error(`${results.length} found for ${word}`)
  }
  const times = { common: [], rare: [], nowhere: [], plain: [] }
  for (let round = -1; round < rounds; round++) {
    const took = {
      common: await timed(() => search(words.common, 50)),
      rare: await timed(() => search(words.rare, 1)),
      nowhere: await timed(() => search(words.nowhere, 0)),
      plain: await timed(() => plain.get(`%${words.nowhere}%`)),
    }
    if (round >= 0) for (const [name, ms] of Object.entries(took)) times[name].push(ms)
  }
  database.close()
  const row = (name, what, atMost) => ({
    id: 'B16',
    what: `\`agentmail search\` among 1,000,000 messages: ${what}`,
    value: median(times[name]),
    base: 'one `SELECT COUNT(*) … LIKE`',
    baseValue: median(times.plain),
    atMost,
  })
  return [
    row('common', 'a word in all of them, the first page', 0.2),
    row('rare', 'a word in the oldest', 3),
    row('nowhere', 'a word in none', 3),
  ]
}

/** B5 and B6: what reads and claims cost when much is stored. */
import { fillDatabase } from './full-database.mjs'
import { median, timed } from './measure.mjs'

const rounds = 150
const warmUpRounds = 20
const pageSize = 50
const files = Array.from({ length: 100 }, (_, index) => `src/part-${index}/new-file.ts`)

const folder = ['src/new-part/']

const calls = {
  cursor: ({ read, anyId }) => read({ after_id: anyId() }),
  channel: ({ read, anyId, channel }) => read({ after_id: anyId(), channel }),
  since: ({ read, anyId, timeOf }) => read({ since: timeOf(anyId()) }),
  claim: ({ claim }) => claim(files),
  folder: ({ claim }) => claim(folder),
}

/** A server with a long history beside one with a short one, call by call. */
export async function longHistoryRows(start) {
  const houses = {
    short: await openHouse(await start.agentmail('short'), { messages: 1000, claims: 0 }),
    long: await openHouse(await start.agentmail('long'), {
      messages: 1_000_000,
      claims: 100_000 - files.length,
    }),
  }
  const times = {}
  for (const [name, call] of Object.entries(calls)) {
    times[name] = { short: [], long: [] }
    for (let round = -warmUpRounds; round < rounds; round++) {
      for (const [length, house] of Object.entries(houses)) {
        const took = await timed(() => call(house))
        if (round >= 0) times[name][length].push(took)
        if (name === 'claim') await house.release(files)
        if (name === 'folder') await house.release(folder)
      }
    }
  }
  const row = (id, name, what, base) => ({
    id,
    what,
    value: median(times[name].long),
    base,
    baseValue: median(times[name].short),
    atMost: 1.5,
  })
  const few = '1,000 stored'
  return [
    row('B5', 'cursor', '`read_messages` after a cursor, 1,000,000 stored', few),
    row('B5', 'channel', '`read_messages` of a channel, 1,000,000 stored', few),
    row('B5', 'since', '`read_messages` since a time, 1,000,000 stored', few),
    row('B6', 'claim', '`claim_files` of 100 paths, 100,000 claims held with them', 'none held'),
    row('B6', 'folder', '`claim_files` of a folder, 100,000 claims held beside it', 'none held'),
  ]
}

/** A server with so much in it. Reads start at a random place and find a full page. */
async function openHouse(server, stored) {
  const agent_id = await server.register('reader')
  const { channel, channels, timeOf } = fillDatabase(server.database, stored)
  return {
    channel,
    timeOf,
    anyId: () => Math.floor(Math.random() * (stored.messages - pageSize * channels)),
    read: async (request) => {
      const page = await server.call('read_messages', { agent_id, limit: pageSize, ...request })
      if (page.messages.length !== pageSize) throw new Error('The page is not full')
    },
    claim: async (files) => {
      const { claimed } = await server.call('claim_files', { agent_id, files })
      if (claimed.length !== files.length) throw new Error('A path was not free')
    },
    release: (files) => server.call('release_files', { agent_id, files }),
  }
}

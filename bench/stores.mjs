/** B10 and B11: the same calls on SQLite, MariaDB and Dolt, side by side, and a busy hour on Dolt. */
import { randomUUID } from 'node:crypto'
import { openBareWriters } from './bare-writers.mjs'
import { busyHour } from './busy-hour.mjs'
import { commandTimes } from './command-times.mjs'
import { query, withDatabaseServers } from './database-servers.mjs'
import { median, p99, throughput } from './measure.mjs'
import { neighbourTimes } from './neighbours.mjs'
import { letter, withServers } from './servers.mjs'

const rounds = 5
const roundMs = 700
const most = 64
const usual = 16
const settings = { AGENTMAIL_STALE_SECONDS: '3600' }

/** How many call at once, and what each of them calls. */
const measures = {
  send1: [1, ({ send }, caller) => send(caller)],
  send16: [usual, ({ send }, caller) => send(caller)],
  send64: [most, ({ send }, caller) => send(caller)],
  keyed: [usual, ({ send }, caller) => send(caller, { idempotency_key: randomUUID() })],
  bare: [usual, ({ bare }, caller) => bare.send(caller)],
  bareKeyed: [usual, ({ bare }, caller) => bare.send(caller, randomUUID())],
  read: [usual, ({ read }, caller) => read(caller)],
  claim: [usual, ({ claimOrRelease }, caller) => claimOrRelease(caller)],
  heartbeat: [usual, ({ heartbeat }, caller) => heartbeat(caller)],
}

/** The columns, the rows of the table, the busy hour, and the rows that have a goal. */
export async function measureStores() {
  const found = await withDatabaseServers(['MariaDB', 'Dolt'], (databases) =>
    withServers(async (start) => {
      const houses = { SQLite: await openHouse(start, 'SQLite') }
      for (const [name, server] of Object.entries(databases)) {
        houses[name] = await openHouse(start, name, server)
      }
      const rates = await measureRates(houses)
      for (const house of Object.values(houses)) await house.bare.close()
      const neighbours = await neighbourTimes(houses)
      const commands = await commandTimes(houses)
      return {
        names: Object.keys(houses),
        rates,
        neighbours,
        commands,
        versions: await versionsOf(databases),
      }
    }),
  )
  // On a server of its own, which has nothing else in memory.
  const hour = await withDatabaseServers(['Dolt'], ({ Dolt }) =>
    Dolt ? withServers((start) => busyHour(start, Dolt)) : undefined,
  )
  return {
    columns: found.names,
    rows: tableRows(found),
    hour: hour && hourRows(hour),
    goals: goalRows(found, hour),
    versions: found.versions,
  }
}

/** Every measure on every store in turn, round by round. The first round only warms up. */
async function measureRates(houses) {
  const rates = {}
  for (const name of Object.keys(houses)) {
    rates[name] = Object.fromEntries(
      Object.keys(measures).map((what) => [what, { rates: [], times: [] }]),
    )
  }
  for (let round = 0; round <= rounds; round++) {
    for (const [what, [callers, call]] of Object.entries(measures)) {
      for (const [name, house] of Object.entries(houses)) {
        const { rate, times } = await throughput(callers, roundMs, (caller) => call(house, caller))
        if (round === 0) continue
        rates[name][what].rates.push(rate)
        for (const time of times) rates[name][what].times.push(time)
      }
    }
  }
  return rates
}

/** A server on a database of its own, with its agents, and the bare writers on another one. */
async function openHouse(start, name, databases) {
  const url = await databases?.newDatabase()
  const server = await start.agentmail(name, { url, settings })
  const other = await start.agentmail(`${name}-bare`, { url: await databases?.newDatabase() })
  await other.stop() // it has made the tables
  const agents = []
  while (agents.length < most) agents.push(await server.register(`agent-${agents.length}`))
  const call = (tool, caller, args) => server.call(tool, { agent_id: agents[caller], ...args })
  let last = 0
  const send = async (caller, more) => {
    last = (await call('send_message', caller, { ...letter, ...more })).message_id
  }
  while (last < 100) await send(0)
  const isHolding = new Set()
  return {
    send,
    read: (caller) =>
      call('read_messages', caller, { after_id: Math.floor(Math.random() * (last - 50)) }),
    claimOrRelease(caller) {
      const files = Array.from({ length: 10 }, (_, index) => `src/part-${caller}/file-${index}.ts`)
      if (isHolding.delete(caller)) return call('release_files', caller, { files })
      isHolding.add(caller)
      return call('claim_files', caller, { files })
    },
    heartbeat: (caller) => call('heartbeat', caller),
    bare: await openBareWriters(other.database, usual),
    server,
    /** Another server of the same database. */
    startNeighbour: () => start.agentmail(name, { url, settings }),
    /** Where nothing is yet, and no server runs. */
    newDatabase: async () => (databases ? databases.newDatabase() : `${server.database}.new`),
  }
}

async function versionsOf({ MariaDB, Dolt }) {
  const ask = async (server, what) =>
    (await query(server.url(), `SELECT ${what} AS version`))[0].version
  return [
    ...(MariaDB ? [`MariaDB ${(await ask(MariaDB, 'VERSION()')).split('-')[0]}`] : []),
    ...(Dolt ? [`Dolt ${await ask(Dolt, 'dolt_version()')}`] : []),
  ]
}

function tableRows({ names, rates, neighbours, commands }) {
  const row = (what, cell) => [what, ...names.map(cell)]
  const ms = (times) => `p50 ${median(times).toFixed(1)} ms, p99 ${p99(times).toFixed(1)} ms`
  const rate = (name, what) => median(rates[name][what].rates)
  const calls = (text, what) =>
    row(text, (name) => `${rate(name, what).toFixed(0)}/s, ${ms(rates[name][what].times)}`)
  const ratio = (text, what, base) =>
    row(text, (name) => `${(rate(name, what) / rate(name, base)).toFixed(1)}×`)
  return [
    calls('`send_message`, 1 in flight', 'send1'),
    calls(`\`send_message\`, ${usual} in flight`, 'send16'),
    calls(`\`send_message\`, ${most} in flight`, 'send64'),
    calls(`\`send_message\` with a key, ${usual} in flight`, 'keyed'),
    calls(`the driver alone, a transaction a message, ${usual} workers`, 'bare'),
    calls(`the driver alone, with a key, ${usual} workers`, 'bareKeyed'),
    ratio('`send_message` over the driver alone', 'send16', 'bare'),
    ratio('`send_message` over the driver alone, with a key', 'keyed', 'bareKeyed'),
    calls(`\`read_messages\` after a cursor, a page of 50, ${usual} in flight`, 'read'),
    calls(`\`claim_files\` of 10 paths and \`release_files\`, ${usual} in flight`, 'claim'),
    calls(`\`heartbeat\`, ${usual} in flight`, 'heartbeat'),
    row('sent until a reader that waits at another server has it', (name) => ms(neighbours[name])),
    row('`agentmail post`, whole command', (name) => `${commands[name].toFixed(0)} ms`),
    row(
      '`agentmail post` over bare `node -e 0`',
      (name) => `${(commands[name] / commands.bare).toFixed(2)}×`,
    ),
  ]
}

function hourRows({ bytesAlone, ...hour }) {
  const { writes, agents, seconds, interval, commits, grown, kept, memory } = hour
  const size = (bytes) =>
    `${(bytes / 1e6).toFixed(1)} MB, ${(bytes / writes).toFixed(0)} bytes a write`
  return [
    [`writes of ${agents} agents`, `${writes.toLocaleString('en')} in ${seconds.toFixed(0)} s`],
    ['a Dolt commit every', `${interval.toFixed(3)} s, as 10 s are to an hour`],
    ['Dolt commits', commits.toLocaleString('en')],
    ['on disk, as measured', size(grown)],
    ['on disk, had no two writes met', size(bytesAlone * writes)],
    ['on disk after `CALL DOLT_GC()`', size(kept)],
    ['memory of Dolt', `${memory.toFixed(0)} MB`],
  ]
}

function goalRows({ names, rates }, hour) {
  if (!names.includes('Dolt')) return []
  const over = (what, measure, base) => ({
    id: 'B10',
    what,
    value: median(rates.Dolt[measure].rates),
    base: 'the driver alone, a transaction a message',
    baseValue: median(rates.Dolt[base].rates),
    unit: 'calls/s',
    atLeast: 10,
  })
  return [
    over(`\`send_message\` on Dolt, ${usual} in flight`, 'send16', 'bare'),
    over(`\`send_message\` with a key on Dolt, ${usual} in flight`, 'keyed', 'bareKeyed'),
    {
      id: 'B11',
      what: 'Dolt commits in a busy hour',
      value: hour.commits,
      base: 'times that the interval passed',
      baseValue: hour.intervals,
      unit: '',
      atMost: 1,
    },
  ]
}

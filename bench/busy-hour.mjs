/** B11: an hour of a busy team on Dolt, told in less time: what its history costs. */
import { query } from './database-servers.mjs'
import { letter } from './servers.mjs'

const agents = 20
const writesASecond = 5
const hourSeconds = 3600
/** As the settings have it by default. */
const commitSeconds = 10
const writes = writesASecond * hourSeconds
const trialWrites = 1000
const loneWrites = 1000

/** What an agent does, in turn; after that it reads what the others wrote. */
const day = [
  ...['say', 'claim', 'say', 'announce', 'say', 'say'],
  ...['announce', 'say', 'release', 'say'],
]

const folderOf = (url) => new URL(url).pathname.slice(1)

/** As fast as it goes; the time between two Dolt commits is shorter by as much as the hour is. */
export async function busyHour(start, dolt) {
  const trial = await start.agentmail('trial', { url: await dolt.newDatabase() })
  const took = await write(trial, trialWrites)
  await trial.stop()
  const expected = (took / trialWrites) * writes
  const interval = (commitSeconds * expected) / hourSeconds
  const url = await dolt.newDatabase()
  const size = () => dolt.size(folderOf(url))
  const settings = { AGENTMAIL_DOLT_COMMIT_SECONDS: String(interval) }
  const server = await start.agentmail('busy', { url, settings })
  const began = performance.now()
  const before = { size: size(), commits: await commitsOf(url) }
  const seconds = await write(server, writes)
  const commits = (await commitsOf(url)) - before.commits
  // In a window of this length, so many ends of an interval can lie.
  const intervals = Math.floor((performance.now() - began) / 1000 / interval) + 1
  const grown = size() - before.size
  const memory = dolt.memory()
  await server.stop()
  await query(url, 'CALL DOLT_GC()')
  const kept = size() - before.size
  // In a real hour hardly two writes meet, so each is a transaction of its own.
  const quiet = await start.agentmail('quiet', { url, settings })
  const beforeLone = size()
  await work(quiet, await quiet.register('lone'), agents, loneWrites)
  const bytesAlone = (size() - beforeLone) / loneWrites
  return { writes, agents, seconds, interval, intervals, commits, grown, kept, bytesAlone, memory }
}

async function commitsOf(url) {
  const [{ commits }] = await query(url, 'SELECT COUNT(*) AS commits FROM dolt_log')
  return Number(commits)
}

/** Gives the seconds that so many writes take, all agents at once. */
async function write(server, count) {
  const team = []
  while (team.length < agents) team.push(await server.register(`agent-${team.length}`))
  const started = performance.now()
  await Promise.all(team.map((agent_id, index) => work(server, agent_id, index, count / agents)))
  return (performance.now() - started) / 1000
}

async function work(server, agent_id, index, count) {
  let after_id = 0
  for (let step = 0; step < count; step++) {
    const file_path = `src/part-${index}/file-${step % 40}.ts`
    const files = [file_path, `test/part-${index}/file-${step % 40}.test.ts`]
    const text = `${letter.body} Step ${step} of agent ${index}: ${Math.random().toString(36)}`
    const acts = {
      say: () => server.call('send_message', { agent_id, subject: letter.subject, body: text }),
      claim: () => server.call('claim_files', { agent_id, files }),
      release: () => server.call('release_files', { agent_id, files: heldFiles(index, step) }),
      announce: () => server.call('announce_change', { agent_id, file_path, summary: text }),
    }
    await acts[day[step % day.length]]()
    if (step % day.length !== day.length - 1) continue
    const { messages } = await server.call('read_messages', { agent_id, after_id, limit: 20 })
    after_id = messages.at(-1)?.id ?? after_id
  }
}

/** What it claimed on this day. */
function heldFiles(index, step) {
  const claimed = step - day.indexOf('release') + day.indexOf('claim')
  const name = `part-${index}/file-${claimed % 40}`
  return [`src/${name}.ts`, `test/${name}.test.ts`]
}

/** Several servers on one database, as a team has them, and agents that live and die at them. */
import { setTimeout as sleep } from 'node:timers/promises'
import { onTestFinished } from 'vitest'
import * as z from 'zod'
import type { Env } from '../agentmail.ts'
import { eventually } from '../eventually.ts'
import { TestServer } from '../server/server.ts'
import type { DatabaseServer } from '../store/database-servers.ts'
import { at } from '../store/databases.ts'
import { messagesOf } from './coordination.ts'

/** A new database, by its address at each node. */
export async function newDatabaseAt(nodes: DatabaseServer[]): Promise<string[]> {
  const [, name = ''] = new URL(await at(nodes, 0).newDatabase()).pathname.split('/')
  return nodes.map((node) => node.url(name))
}

/** One address that names all the nodes. */
export function addressOfAll(urls: string[]): string {
  const hosts = urls.map((url) => new URL(url).host)
  return at(urls, 0).replace(`@${at(hosts, 0)}/`, `@${hosts.join()}/`)
}

/** One server for each environment, the first at the first address, the next at the next. */
export function startServers(
  urls: string[],
  environments: Env[],
  atEnd: (end: () => void) => void = onTestFinished,
): Promise<TestServer[]> {
  return Promise.all(
    environments.map((env, index) =>
      TestServer.start({ db: at(urls, index % urls.length), env }, atEnd),
    ),
  )
}

const claimsSchema = z.object({
  claims: z.array(z.object({ file_path: z.string(), agent_id: z.string() })),
})

/** Who holds which file. */
export async function claimsAt(server: TestServer, project: string, files?: string[]) {
  const { structuredContent } = await server.call('get_file_claims', { files }, project)
  return claimsSchema.parse(structuredContent).claims
}

/** Everything that was said, read by one who has just come. */
async function everythingSaid(server: TestServer, project: string) {
  const agent_id = await server.register('reader', 'reader', project)
  const request = { agent_id, after_id: 0, limit: 500 }
  return messagesOf((await server.call('read_messages', request, project)).structuredContent)
}

/** Gives signs of life until it is told to stop, and tells then what it was answered that nobody alive is. */
export async function live(server: TestServer, agent_id: string, project: string) {
  const surprises: string[] = []
  let isOver = false
  const living = (async () => {
    while (!isOver) {
      const { isError, text } = await server.call('heartbeat', { agent_id }, project)
      if (isError) surprises.push(text)
      await sleep(200)
    }
  })()
  return async () => {
    isOver = true
    await living
    return surprises
  }
}

async function registerHolder(server: TestServer, project: string, name: string, files: string[]) {
  const agent_id = await server.register(name, 'coder', project)
  await server.call('claim_files', { agent_id, files }, project)
  return agent_id
}

/** Lets one agent die while one lives at each server, and tells what was done to them. */
export async function letOneDie(servers: TestServer[], project: string) {
  const [first, second] = [at(servers, 0), at(servers, 1)]
  const living = await Promise.all(
    servers.map(async (server, index) => {
      const id = await registerHolder(server, project, `living ${index}`, [`file ${index}`])
      return { id, stop: await live(server, id, project) }
    }),
  )
  const dead = await registerHolder(first, project, 'dead', ['a', 'b'])
  const isFree = async () => (await claimsAt(second, project, ['a', 'b'])).length === 0
  await eventually('its files are free', isFree)
  await sleep(1_500) // everybody else has swept since
  const held = await claimsAt(second, project)
  const surprises = await Promise.all(living.map(({ stop }) => stop()))
  const killed = living.filter(({ id }) => !held.some(({ agent_id }) => agent_id === id))
  const said = await everythingSaid(second, project)
  const swept = said.filter(({ subject }) => subject === 'agent-stale')
  return {
    killed: killed.length,
    surprises: surprises.flat().length,
    isToldOnce: swept.length === 1 && swept[0]?.sender_id === dead,
  }
}

/** Starts clusters of MariaDB servers for tests, replicated by Galera. */
import { cpSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { eventually } from '../eventually.ts'
import { pathOf } from '../parts.ts'
import { freePort, ServerProcess } from '../server-process.ts'
import { createDatabase, type DatabaseServer, query, urlOf } from './database-servers.ts'
import { dataOf, give, layDown, mariadbArgs } from './mariadb.ts'

/**
 * A cluster: what is written on one node is there on all. When all were killed, start them at once: each waits for the others, since only together they know the
 * newest state.
 */
export async function startGalera(size = 3): Promise<DatabaseServer[]> {
  const nodes: GaleraNode[] = []
  for (let index = 0; index < size; index++) nodes.push(new GaleraNode(nodes, await nodePorts()))
  await found(nodes)
  await Promise.all(nodes.map((node) => node.start()))
  return nodes
}

/**
 * Founds the cluster on one node, and gives its data to all, with the view of a cluster whose machines died: they go
 * on from there together. So no node has to get its state from another, which takes seconds for each.
 */
async function found(nodes: GaleraNode[]): Promise<void> {
  const [first, ...others] = nodes
  if (!first) throw new RangeError('A cluster has at least one node')
  layDown(first.folder)
  await first.start('--wsrep-new-cluster')
  await first.end()
  for (const { folder } of others) {
    cpSync(dataOf(first.folder), dataOf(folder), { recursive: true })
  }
  const uuids = nodes.map((_, index) => `0000000${index + 1}-0000-11f0-8000-000000000000`)
  const members = uuids.map((uuid) => `member: ${uuid} 0`)
  const view = ['#vwbeg', `view_id: 3 ${uuids[0]} 1`, 'bootstrap: 0', ...members, '#vwend', '']
  for (const [index, { folder }] of nodes.entries()) {
    const lines = [`my_uuid: ${uuids[index]}`, ...view]
    writeFileSync(join(dataOf(folder), 'gvwstate.dat'), lines.join('\n'))
    give(folder)
  }
}

/** So long may a node be silent on a busy machine; to miss it sooner would break a cluster whose nodes all live. */
const patience = [
  'evs.suspect_timeout=PT30S',
  'evs.inactive_timeout=PT90S',
  'evs.install_timeout=PT45S',
]

const impatience = [
  'evs.suspect_timeout=PT2S',
  'evs.inactive_timeout=PT6S',
  'evs.install_timeout=PT5S',
]

/** For a cluster that is about to lose a node: the others miss it after two seconds, and write again. */
export async function missSoon(nodes: DatabaseServer[]): Promise<void> {
  const options = `SET GLOBAL wsrep_provider_options = '${impatience.join(';')}'`
  await Promise.all(nodes.map((node) => query(node.url(''), options)))
}

interface Ports {
  mysql: number
  /** Where the nodes talk to each other. */
  group: number
  /** Where it gets what it missed, and where a whole state. */
  missed: number
  state: number
}

async function nodePorts(): Promise<Ports> {
  return {
    mysql: await freePort(),
    group: await freePort(),
    missed: await freePort(),
    state: await freePort(),
  }
}

class GaleraNode implements DatabaseServer {
  readonly #server = new ServerProcess('galera')
  readonly #nodes: GaleraNode[]
  readonly #ports: Ports
  #isReady = false
  #wasKilled = false

  constructor(nodes: GaleraNode[], ports: Ports) {
    this.#nodes = nodes
    this.#ports = ports
  }

  get folder(): string {
    return this.#server.folder
  }

  url(database: string): string {
    return urlOf(this.#ports.mysql, database)
  }

  async newDatabase(): Promise<string> {
    const name = await createDatabase(this.#ports.mysql)
    const ready = this.#nodes.filter((node) => node.#isReady)
    await Promise.all(ready.map((node) => node.#catchUp()))
    return this.url(name)
  }

  async kill(): Promise<void> {
    this.#isReady = false
    this.#wasKilled ||= this.#server.isRunning
    await this.#server.end('SIGKILL')
  }

  async start(...more: string[]): Promise<void> {
    if (this.#wasKilled) {
      await this.#untilMissed()
      more.push(...(await this.#position()))
    }
    await this.#server.start({
      program: pathOf('mariadbd'),
      args: [...this.#args(), ...more],
      isReady: async () => (await this.#status('wsrep_local_state_comment')) === 'Synced',
      timeoutMs: 50_000,
    })
    this.#isReady = true
    this.#wasKilled = false
  }

  async end(): Promise<void> {
    this.#isReady = false
    await this.#server.end('SIGTERM')
  }

  async stop(): Promise<void> {
    await this.end()
    this.#server.remove()
  }

  #args(): string[] {
    const { mysql, group, missed, state } = this.#ports
    const members = this.#nodes.map((node) => `127.0.0.1:${node.#ports.group}`)
    const options = [
      `gmcast.listen_addr=tcp://127.0.0.1:${group}`,
      `ist.recv_addr=127.0.0.1:${missed}`,
      'gcache.size=16M',
      ...patience,
    ]
    return [
      ...mariadbArgs(this.folder, mysql),
      '--binlog-format=ROW',
      '--innodb-autoinc-lock-mode=2',
      '--innodb-lock-wait-timeout=5', // as docs/databases.md says
      '--wsrep-on=ON',
      `--wsrep-provider=${pathOf('libgalera_smm.so')}`,
      `--wsrep-provider-options=${options.join(';')}`,
      `--wsrep-cluster-name=${members[0]}`,
      `--wsrep-cluster-address=gcomm://${members.join()}`,
      `--wsrep-node-name=${group}`,
      `--wsrep-node-address=127.0.0.1:${group}`,
      '--wsrep-sst-method=rsync',
      `--wsrep-sst-receive-address=127.0.0.1:${state}`,
    ]
  }

  /** A node that comes back before the others know of its death costs them twenty seconds. */
  async #untilMissed(): Promise<void> {
    const running = this.#nodes.filter((node) => node.#server.isRunning)
    await eventually('the others miss a killed node', async () => {
      const views = running.map((node) => node.#status('wsrep_cluster_size').catch(() => Infinity))
      return (await Promise.all(views)).every((size) => Number(size) <= running.length)
    })
  }

  /** Where a killed node stopped; without it, it would need the whole state. */
  async #position(): Promise<string[]> {
    const args = [...this.#args(), '--wsrep-recover']
    await this.#server.run({ program: pathOf('mariadbd'), args })
    const [, position] = [...this.#server.log.matchAll(/Recovered position: (\S+)/g)].at(-1) ?? []
    return position ? [`--wsrep-start-position=${position}`] : []
  }

  async #status(name: string): Promise<unknown> {
    const [row] = await query(this.url(''), `SHOW STATUS LIKE '${name}'`)
    return row?.Value
  }

  /** Waits until it has what the others have. */
  async #catchUp(): Promise<void> {
    await query(this.url(''), 'SET wsrep_sync_wait = 1', 'SHOW DATABASES')
  }
}

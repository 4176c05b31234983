/**
 * One process at a SQLite database, which it opens as a server does. It holds the lock until its
 * standard input ends, or kills itself in the middle of a migration, or claims one file or folder again and again.
 */
import { closeSync, openSync, rmSync, writeSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'
import { DatabaseSync } from '@photostructure/sqlite'
import { Coordination } from '../../../src/coordination/coordination.ts'
import { openSqlite } from '../../../src/store/sqlite.ts'
import type { Transaction } from '../../../src/store/store.ts'

const [path = '', role = '', argument = '', file = '', safeguard = ''] = process.argv.slice(2)
const say = (word: string) => writeSync(1, `${word}\n`)

const staleMs = 120_000

async function lock(): Promise<void> {
  const database = new DatabaseSync(path)
  database.exec(`BEGIN ${argument}`)
  say('locked')
  process.stdin.resume()
  await new Promise((resolve) => process.stdin.on('end', resolve))
  database.exec('COMMIT')
  database.close()
}

/** Kills itself at one statement; without one, says how many there were. */
async function migrate(): Promise<void> {
  let statements = 0
  const next = () => {
    if (++statements === Number(argument)) process.kill(process.pid, 'SIGKILL')
  }
  const store = await openSqlite(path)
  const counted = (transaction: Transaction): Transaction => ({
    async all(sql, ...values) {
      next()
      return transaction.all(sql, ...values)
    },
    async run(sql, ...values) {
      next()
      return transaction.run(sql, ...values)
    },
  })
  class Counted extends Array<string> {
    override *[Symbol.iterator]() {
      for (let index = 0; index < this.length; index++) {
        next()
        yield this[index] ?? ''
      }
      next() // before the commit
      return undefined
    }
  }
  await Coordination.open({
    staleMs,
    store: {
      engine: store.engine,
      async all(sql, ...values) {
        next()
        return store.all(sql, ...values)
      },
      transaction: (work) => store.transaction((transaction) => work(counted(transaction))),
      define: (list, record) =>
        store.define(Counted.from(list), (transaction) => record(counted(transaction))),
      close: () => store.close(),
    },
  })
  next() // when all is done
  say(String(statements))
}

/** The holder makes a file that nobody else may have made, and says so if somebody had. */
async function claim(): Promise<void> {
  const coordination = await Coordination.open({ store: await openSqlite(path), staleMs })
  const { agents, claims } = coordination.project('')
  const { agent_id } = await agents.register({ name: 'a', role: 'b' })
  const files = [file]
  for (let held = 0; held < Number(argument); ) {
    const { claimed } =
      safeguard === 'no claim' ? { claimed: files } : await claims.claim({ agent_id, files })
    if (claimed.length === 0) {
      await setTimeout(Math.random() * 4)
      continue
    }
    held++
    try {
      closeSync(openSync(`${path}.held`, 'wx'))
    } catch {
      say('two holders')
    }
    await setTimeout(Math.random() * 2)
    rmSync(`${path}.held`, { force: true })
    await claims.release({ agent_id, files })
  }
  await coordination.close()
  say('done')
}

const roles = new Map([
  ['lock', lock],
  ['migrate', migrate],
  ['claim', claim],
])
await roles.get(role)?.()

/** The write queue: what waits is written together, and what fails, fails alone. */
import { setTimeout as sleep } from 'node:timers/promises'
import { beforeEach, describe, expect, it } from 'vitest'
import { at, upTo } from '../../test/support/store/databases.ts'
import { add, failing, openQueue } from '../../test/support/store/open-queue.ts'
import type { Write } from './batch.ts'
import { integer } from './store.ts'

let world: Awaited<ReturnType<typeof openQueue>>
beforeEach(async () => {
  world = await openQueue()
})

describe('calls of one turn', () => {
  it('share one transaction and one insert, and get their answers in order', async () => {
    const { queue, seen, stored } = world
    const answers = await Promise.all(
      upTo(50).map((n) => queue.write((write) => add(write, `n${n}`))),
    )
    expect(answers).toEqual(upTo(50))
    expect(await stored()).toEqual(upTo(50).map((n) => `${n} n${n}`))
    expect(seen.transactions).toBe(1)
    expect(seen.statements.filter((sql) => sql.startsWith('INSERT'))).toHaveLength(1)
  })

  it('have a transaction each when they come one after the other (control)', async () => {
    const { queue, seen } = world
    for (const n of upTo(5)) await queue.write((write) => add(write, `n${n}`))
    expect(seen.transactions).toBe(5)
  })

  it('are spread over several transactions when they are too many for one, in their order', async () => {
    const { queue, seen, stored } = world
    const order: number[] = []
    await Promise.all(
      upTo(300).map((n) =>
        queue.write((write) => add(write, `n${n}`)).then((id) => order.push(id)),
      ),
    )
    expect(order).toEqual(upTo(300))
    expect(await stored()).toHaveLength(300)
    expect(seen.transactions).toBe(3)
  })

  it('wait together while another transaction is written', async () => {
    const { queue, seen } = world
    const first = queue.write(() => sleep(50))
    await sleep(10)
    const others = upTo(10).map((n) => queue.write((write) => add(write, `n${n}`)))
    await Promise.all([first, ...others])
    expect(seen.transactions).toBe(2)
  })

  it('see what those before them wrote, be it inserted already or not', async () => {
    const { queue } = world
    const count = async (write: Write) =>
      integer((await write.all('SELECT COUNT(*) AS notes FROM notes'))[0]?.notes)
    const work = [add, add].map((one) => queue.write((write) => one(write, 'x')))
    const counted = queue.write(count)
    const removed = queue.write((write) => write.run('DELETE FROM notes WHERE id = 1'))
    const after = queue.write(count)
    await Promise.all(work)
    expect([await counted, await removed, await after]).toEqual([2, 1, 1])
  })
})

describe('an answer', () => {
  it('comes after the commit, and so do the news of it', async () => {
    const { queue, stored } = world
    const heard: string[] = []
    let storedByThen: Promise<string[]> | undefined
    let mayEnd = () => {}
    const held = new Promise<void>((resolve) => {
      mayEnd = resolve
    })
    const first = queue.write(async (write) => {
      write.afterCommit(() => {
        heard.push('news')
        storedByThen = stored()
      })
      return add(write, 'first')
    })
    const second = queue.write(() => held)
    void first.then(() => heard.push('answer'))
    await sleep(30)
    expect([heard, await stored()]).toEqual([[], []])
    mayEnd()
    await Promise.all([first, second])
    expect(heard.toSorted()).toEqual(['answer', 'news'])
    expect(await storedByThen).toEqual(['1 first'])
  })

  it('is not changed, and nothing is written twice, by news that fail', async () => {
    const { queue, stored } = world
    const writing = ['a', 'b'].map((note) =>
      queue.write(async (write) => {
        write.afterCommit(() => {
          if (note === 'a') throw new Error('nobody listens')
        })
        return add(write, note)
      }),
    )
    expect(await Promise.allSettled(writing)).toMatchObject([{ value: 1 }, { value: 2 }])
    expect(await stored()).toEqual(['1 a', '2 b'])
  })
})

describe('drained', () => {
  it('is settled at once when nothing waits, else when everything is done that was asked for', async () => {
    const { queue, stored } = world
    await queue.drained()
    const later: Promise<number>[] = []
    const first = queue.write(async (write) => {
      write.afterCommit(() => later.push(queue.write((next) => add(next, 'later'))))
      return add(write, 'first')
    })
    const refused = queue.write(failing(new Error('refused'))).catch(() => 'refused')
    await queue.drained()
    expect(await stored()).toEqual(['1 first', '2 later'])
    expect([await first, await at(later, 0), await refused]).toEqual([1, 2, 'refused'])
    await queue.drained()
  })
})

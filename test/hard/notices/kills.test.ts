/** Notices over kills and crowds: those who tell and those who post, ended at each step, and several at the same moment. */
import { once } from 'node:events'
import { describe, expect, it, vi } from 'vitest'
import { Config } from '../../../src/config.ts'
import { tellPerson } from '../../../src/notices/tell-person.ts'
import { type Env, ended, start } from '../../support/agentmail.ts'
import { eventually } from '../../support/eventually.ts'
import { loading } from '../../support/loading.ts'
import { isAlive, kill, ToldHome } from '../../support/notices/told-home.ts'
import { isLong } from '../../support/parts.ts'
import { TestServer } from '../../support/server/server.ts'

vi.setConfig({ testTimeout: isLong ? 600_000 : 120_000 })

const post = (home: ToldHome, env: Env = {}) =>
  start(['post-notices'], { env: { ...home.env, ...env }, cwd: home.folder })
const killedAt = (call: number): Env => loading(['killed-call'], { KILL_AT: String(call) })

describe('whoever tells', () => {
  it('is killed before any change of a file, does it again, and the person is told once', async () => {
    const step = isLong ? 1 : 6
    let call = 1
    for (; ; call += step) {
      const home = await ToldHome.start()
      const first = await home.send('Offer', killedAt(call), 'key')
      if (first.exitCode === 0) {
        await home.came(1)
        await home.drained() // else its poster would go on where nobody listens any more
        break
      }
      const again = await home.send('Offer', {}, 'key')
      expect(again.exitCode, again.stderr).toBe(0)
      await eventually(`told after a kill at call ${call}`, async () => {
        await ended(post(home)) // the poster may have been killed too
        return home.read('waiting.jsonl') === ''
      })
      await home.drained()
      expect([call, home.receiver.subjects]).toEqual([call, ['Offer']])
      expect(home.drafts().filter((name) => name.endsWith('.md'))).toHaveLength(1)
    }
    expect(call).toBeGreaterThan(10)
  })

  it('is one of many at the same moment, and each is posted once, one after the other', async () => {
    const home = await ToldHome.start()
    let underWay = 0
    let most = 0
    const slowly = (response: import('node:http').ServerResponse) => {
      most = Math.max(most, ++underWay)
      setTimeout(() => {
        underWay--
        response.end()
      }, 100)
    }
    home.receiver.answer(...Array(9).fill(slowly))
    const subjects = Array.from({ length: 9 }, (_, index) => `#${index}`)
    const sent = await Promise.all(subjects.map((subject) => home.send(subject)))
    expect(sent.map(({ exitCode }) => exitCode)).toEqual(subjects.map(() => 0))
    await home.came(9)
    await home.drained()
    expect(home.receiver.subjects.toSorted()).toEqual(subjects)
    expect(most).toBe(1)
  })
})

describe('whoever posts', () => {
  it('is killed while a post is under way: that one is posted again, and no other', async () => {
    const home = await ToldHome.start()
    let isHeld = false
    home.receiver.answer(
      (response) => response.end(),
      () => {
        isHeld = true // and never answered
      },
    )
    for (const subject of ['a', 'b', 'c']) await home.send(subject)
    await eventually('the second is under way', () => isHeld)
    for (const pid of home.posters()) kill(pid)
    await eventually('it is dead', () => !home.posters().some(isAlive))
    await home.send('d')
    await home.drained()
    expect(home.receiver.subjects).toEqual(['a', 'b', 'b', 'c', 'd'])
  })

  it('is killed before any change of a file: nothing is lost, and only what had no answer comes twice', async () => {
    for (let call = 1; ; call++) {
      const home = await ToldHome.start()
      const config = new Config({}, home.env)
      for (const subject of ['a', 'b']) await tellPerson(config, { kind: 'draft', subject })
      const [, signal] = await once(post(home, killedAt(call)), 'exit')
      await ended(post(home))
      expect(home.read('waiting.jsonl')).toBe('')
      const { subjects } = home.receiver
      expect([...new Set(subjects)]).toEqual(['a', 'b'])
      // Between its answer and its being taken down there is one write and one rename.
      expect([call, subjects.length <= 3]).toEqual([call, true])
      if (signal !== null) continue
      expect(call).toBeGreaterThan(5)
      expect(subjects).toEqual(['a', 'b'])
      return
    }
  })

  it('is several processes and a server at the same moment: each notice once', async () => {
    const home = await ToldHome.start()
    const subjects = Array.from({ length: 8 }, (_, index) => `#${index}`)
    const servers = Promise.all([1, 2].map(() => TestServer.start({ env: home.env })))
    const posters = [1, 2, 3].map(() => post(home))
    const sent = Promise.all(subjects.map((subject) => home.send(subject)))
    await Promise.all([sent, ...posters.map((child) => ended(child))])
    await home.came(8)
    const [one, other] = await servers
    await eventually('a server posts', () =>
      home.posters().some((pid) => [one?.pid, other?.pid].includes(pid)),
    )
    await eventually('all is taken down', () => home.read('waiting.jsonl') === '')
    const [first] = home.posters()
    kill(first ?? 0)
    await eventually('the other takes over', () => {
      const [now] = home.posters()
      return now !== first && now !== undefined && isAlive(now)
    })
    await home.send('after')
    await home.came(9)
    expect(home.receiver.subjects.toSorted()).toEqual([...subjects, 'after'])
  })
})

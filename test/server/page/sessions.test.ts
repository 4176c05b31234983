/** How long sessions at the page last, and which goes when there are too many. */
import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { describe, expect, it } from 'vitest'
import { PageSessions } from '../../../src/server/page/door-sessions.ts'

const hour = 3600_000

function sessionsAt(): { sessions: PageSessions; pass(ms: number): void } {
  let now = 1_000_000
  const sessions = new PageSessions({ now: () => now })
  const pass = (ms: number) => {
    now += ms
  }
  return { sessions, pass }
}

const answer = (): ServerResponse => new ServerResponse(new IncomingMessage(new Socket()))

/** An answer that is over. */
function answered(): ServerResponse {
  const response = answer()
  setImmediate(() => response.emit('close'))
  return response
}

const isOver = () => new Promise((resolve) => setImmediate(resolve))

describe('a session at the page', () => {
  it('is found by its secret alone', () => {
    const { sessions } = sessionsAt()
    const { session, secret } = sessions.begin('ann')
    expect(sessions.use(secret, answer())?.session).toBe(session)
    for (const wrong of [
      '',
      'x',
      secret.slice(1),
      `${secret}x`,
      secret.toUpperCase(),
      session.csrf,
    ])
      expect(sessions.use(wrong, answer())).toBeUndefined()
    expect(new Set([secret, session.csrf, sessions.begin('ann').secret]).size).toBe(3)
    expect(secret).toMatch(/^[0-9A-Za-z]{43}$/)
  })

  it('ends twelve hours after its last use', async () => {
    const { sessions, pass } = sessionsAt()
    const { secret } = sessions.begin('ann')
    for (let times = 0; times < 3; times++) {
      pass(11 * hour)
      expect(sessions.use(secret, answered())).toBeDefined()
      await isOver()
    }
    pass(12 * hour + 1)
    expect(sessions.use(secret, answer())).toBeUndefined()
    pass(-hour)
    expect(sessions.use(secret, answer())).toBeUndefined()
  })

  it('is in use while a stream is open', async () => {
    const { sessions, pass } = sessionsAt()
    const { secret } = sessions.begin('ann')
    const stream = answer()
    sessions.use(secret, stream)
    pass(100 * hour)
    expect(sessions.use(secret, answered())).toBeDefined()
    await isOver()
    stream.emit('close')
    pass(13 * hour)
    expect(sessions.use(secret, answer())).toBeUndefined()
  })

  it('takes its streams along when it ends, and no answer that has yet to begin', () => {
    const { sessions } = sessionsAt()
    const { secret } = sessions.begin('ann')
    const [stream, logout] = [answer(), answer()]
    stream.writeHead(200)
    sessions.use(secret, stream)
    sessions.use(secret, logout)
    sessions.end(secret)
    expect([stream.destroyed, logout.destroyed]).toEqual([true, false])
  })

  it('is told to the browser again once an hour', () => {
    const { sessions, pass } = sessionsAt()
    const { secret } = sessions.begin('ann')
    const isToBeTold = () => sessions.use(secret, answer())?.isToBeTold
    expect(isToBeTold()).toBe(false)
    pass(hour)
    expect([isToBeTold(), isToBeTold()]).toEqual([true, false])
  })

  it('that is least used goes when there are a thousand', () => {
    const { sessions } = sessionsAt()
    const [first, second] = [sessions.begin('first'), sessions.begin('second')]
    const others = Array.from({ length: 998 }, (_, index) => sessions.begin(`other ${index}`))
    sessions.use(first.secret, answer())
    sessions.begin('one too many')
    expect(sessions.use(second.secret, answer())).toBeUndefined()
    expect(sessions.use(first.secret, answer())).toBeDefined()
    expect(others.filter(({ secret }) => !sessions.use(secret, answer()))).toEqual([])
  })
})

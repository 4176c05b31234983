/** IMAP tells of new mail by itself: at once, through restarts and broken connections, until it is told to end. */
import { beforeAll, expect, it } from 'vitest'
import { afterAllTests } from '../../support/at-end.ts'
import { eventually } from '../../support/eventually.ts'
import { describeWith } from '../../support/parts.ts'
import { CuttingProxy } from '../../support/providers/cutting-proxy.ts'
import { type ImapAccount, ImapPlace } from '../../support/providers/imap-place.ts'

const mail = (subject: string) => `From: ada@example.com\r\nSubject: ${subject}\r\n\r\nHi`

describeWith('dovecot', 'a watch of IMAP', () => {
  const atEnd = afterAllTests()
  let place: ImapPlace
  beforeAll(async () => {
    place = await ImapPlace.start({}, atEnd)
  })

  /** Watches, and gives how often it was told, a wait for the next time, and the end. */
  async function watched(account: ImapAccount, port?: number) {
    const { inbox } = await account.open(port === undefined ? {} : { imap: port })
    const stop = new AbortController()
    let news = 0
    const told = inbox.watch?.(() => void news++, stop.signal)
    if (!told) throw new Error('IMAP tells of news')
    return {
      count: () => news,
      next: (before: number) => eventually('news came', () => news > before),
      async end() {
        stop.abort()
        await told
      },
      told,
    }
  }

  /** Brings mail until it is told, since nobody says when a watch has begun. */
  async function untilTold(account: ImapAccount, watch: { count(): number }) {
    const before = watch.count()
    await eventually('the watch has begun', async () => {
      account.deliver(mail('first'))
      await new Promise((resolve) => setTimeout(resolve, 200))
      return watch.count() > before
    })
  }

  it('is told of each mail within a moment of its delivery, and ends with its signal', async () => {
    const account = place.account()
    const watch = await watched(account)
    await untilTold(account, watch)
    const times: number[] = []
    for (let round = 0; round < 5; round++) {
      const before = watch.count()
      const start = performance.now()
      account.deliver(mail(`news ${round}`))
      await watch.next(before)
      times.push(Math.round(performance.now() - start))
    }
    console.log(`told after ${times.join(', ')} ms`)
    await watch.end()
    const last = watch.count()
    account.deliver(mail('unheard'))
    await new Promise((resolve) => setTimeout(resolve, 300))
    expect(watch.count()).toBe(last)
  })

  it('goes on after the server was started again, and tells of what came meanwhile', async () => {
    const own = await ImapPlace.start()
    const account = own.account()
    const watch = await watched(account)
    await untilTold(account, watch)
    for (let round = 0; round < 3; round++) {
      await own.dovecot.pause()
      const before = watch.count()
      account.deliver(mail('meanwhile'))
      await own.dovecot.resume()
      await watch.next(before)
    }
    await watch.end()
  })

  it('goes on after its connection was cut, however often', async () => {
    const account = place.account()
    const proxy = await CuttingProxy.start(place.dovecot.port)
    const watch = await watched(account, proxy.port)
    await untilTold(account, watch)
    for (let round = 0; round < 5; round++) {
      const before = watch.count()
      proxy.cutAll()
      account.deliver(mail('after a cut'))
      await watch.next(before)
    }
    await watch.end()
    await eventually('nothing is left open by the watch', () => proxy.connections <= 1)
  })

  it('ends at once where the server is gone, and where it is silent', async () => {
    const account = place.account()
    const proxy = await CuttingProxy.start(place.dovecot.port)
    const watch = await watched(account, proxy.port)
    await untilTold(account, watch)
    proxy.hold()
    await watch.end()
    proxy.heal()
    const own = await ImapPlace.start()
    const gone = await watched(own.account())
    await own.dovecot.pause()
    await gone.end()
  })
})

/** Tells of new mail when the server does, over a connection of its own that is made anew whenever it broke. */
import type { ImapFlow } from 'imapflow'
import { randomFraction } from '../../system/random.ts'
import { backoffMs } from '../../system/retry.ts'
import { ifSoon } from '../../system/time-limit.ts'
import { logOut } from './client.ts'
import type { ImapDoor } from './door.ts'
import { inboxFolder } from './folders.ts'
import { ImapSession } from './session.ts'

/** So often a server that tells by itself is asked whether it is still there. It may hang up after half an hour of silence. */
const sureEveryMs = 3 * 60_000
/** So often one that does not tell by itself is asked. */
const askEveryMs = 30_000
const shortestIdleMs = 1000
const firstPauseMs = 500
const longestPauseMs = 60_000

/** Until the signal. Why a server does not let us in is told by whoever looks for mail. */
export async function watchInbox(
  door: ImapDoor,
  onNews: () => void,
  signal: AbortSignal,
): Promise<void> {
  const ended = new Promise<void>((resolve) => {
    signal.addEventListener('abort', () => resolve(), { once: true })
  })
  for (let attempt = 1; !signal.aborted; attempt++) {
    const began = performance.now()
    let client: ImapFlow | undefined
    const stop = () => client?.close()
    signal.addEventListener('abort', stop, { once: true })
    try {
      await door.enter((entering) => {
        client = entering
      })
      if (client) await listen(new ImapSession(client), onNews, signal, ended)
    } catch {
      // it is tried again
    } finally {
      signal.removeEventListener('abort', stop)
      if (signal.aborted) client?.close()
      else if (client) void logOut(client)
    }
    if (performance.now() - began > longestPauseMs) attempt = 1
    const pauseMs = Math.min(backoffMs(attempt, firstPauseMs), longestPauseMs)
    await ifSoon(pauseMs * (0.5 + randomFraction()), () => ended)
  }
}

/** Fails when the connection breaks. */
async function listen(
  session: ImapSession,
  onNews: () => void,
  signal: AbortSignal,
  ended: Promise<void>,
): Promise<void> {
  const { client } = session
  client.on('exists', ({ count, prevCount }) => {
    if (count > prevCount) onNews()
  })
  await session.open(inboxFolder.path)
  onNews() // mail may have come before anybody listened
  let tellsItself = session.has('IDLE')
  while (!signal.aborted) {
    const idling = tellsItself ? idle(client) : undefined
    // One that can and will not is asked, as one that cannot.
    void idling?.then((isRefused) => {
      if (isRefused) tellsItself = false
    })
    const began = performance.now()
    const news = idling ? Promise.race([idling, ended]) : ended
    await ifSoon(tellsItself ? sureEveryMs : askEveryMs, () => news)
    // One that ends it at once would be asked without end.
    if (performance.now() - began < shortestIdleMs) tellsItself = false
    if (!signal.aborted) await session.noop()
  }
}

/** Until the server is asked something; gives whether it would not. */
const idle = (client: ImapFlow): Promise<boolean> =>
  client.idle().then(
    (answer: unknown) => answer === false,
    () => false,
  )

/** Whoever a moment of a session is of, for tests that go to the database itself. */
import type { SessionCaller } from '../../../src/coordination/sessions/acting.ts'
import type { Server } from '../store/databases.ts'

export const callerAs = (session: string, more: Partial<SessionCaller> = {}): SessionCaller => ({
  ...{ client: 'claude', session, role: 'claude', names: [], isAvoided: () => false },
  ...{ place: 'outside m1', home: null, elsewhere: 'outside m1', mailboxOf: () => null },
  ...more,
})

/** All that is unread fits. */
export const handing = { isEnd: true, isHanding: true, hasOther: false, room: 9000 }
export const lengthOf = ({ body }: { body: string }) => body.length

export const turnEnd = { ...handing, lengthOf }

/** The ids of what is handed to a session at the end of its turn. */
export const handedIn = (sessions: Server['project']['sessions']) => async (session: string) =>
  (await sessions.handOver(callerAs(session), turnEnd)).messages.map(({ id }) => id)

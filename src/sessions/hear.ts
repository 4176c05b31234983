/** What becomes of a moment in a coding client's session: one agent hears its mail, holds what it edits, and says how it is. */

import type { SessionCaller } from '../coordination/sessions/acting.ts'
import {
  type SessionName,
  type SessionState,
  sessionKey,
} from '../coordination/sessions/session-rows.ts'
import { callerOf, pathsInProject, type SessionDesk, writtenInProject } from './desk.ts'
import { handMail } from './hand-mail.ts'
import type { HookAnswer, Moment, SessionMoment, Surroundings } from './moment.ts'
import { enroll, say } from './session-mailbox.ts'
import { greeting, refusalText, warning } from './words.ts'
import { writtenFiles } from './written-files.ts'

export type { SessionDesk } from './desk.ts'
export type { SessionHolds } from './holds.ts'

/**
 * @param around what is known of the client's process; nothing where the client itself has asked.
 * @param isLate whether nobody waits for the answer any more, so that no mail is handed over.
 */
export async function hear(
  desk: SessionDesk,
  told: SessionMoment,
  around: Surroundings | undefined,
  isLate: () => boolean = () => false,
): Promise<HookAnswer> {
  // One that nobody heard of before does not begin with its end.
  if (told.moment.kind === 'session-end') return end(desk, told)
  return hearAs(desk, told, callerOf(desk, told, around), { around, isLate })
}

async function hearAs(
  desk: SessionDesk,
  { moment, cwd }: SessionMoment,
  caller: SessionCaller,
  { around, isLate }: { around: Surroundings | undefined; isLate: () => boolean },
): Promise<HookAnswer> {
  const { sessions } = desk.project
  switch (moment.kind) {
    case 'session-start':
      return start(desk, caller, around)
    case 'prompt':
      return prompt(desk, caller, isLate)
    case 'before-edit': {
      const { session, holders } = await sessions.edit(
        caller,
        await pathsInProject(desk, cwd, moment.paths),
      )
      await said(desk, session, 'work')
      if (holders.length > 0) return { refusal: refusalText(holders) }
      const { holds, project } = desk
      holds?.editBegins(sessionKey(caller), () => project.hold(session.agent_id))
      return {}
    }
    case 'after-edit': {
      const session = await sessions.edited(caller, await writtenInProject(desk, cwd, moment.paths))
      desk.holds?.editEnded(sessionKey(caller))
      await said(desk, session, 'work')
      return {}
    }
    case 'before-shell': {
      const session = await sessions.note(caller, 'work')
      await said(desk, session, 'work')
      holdOn(desk, caller, session.agent_id)
      if (session.guard === 'off') return {}
      const written = writtenFiles(moment.command)
      const paths = await pathsInProject(desk, cwd, written, { isWhole: true })
      const holders = paths.length > 0 ? await sessions.holders(session, paths) : []
      return holders.length > 0 ? { context: warning(holders) } : {}
    }
    case 'after-shell':
      desk.holds?.callEnded(sessionKey(caller))
      await said(desk, await sessions.note(caller, 'work'), 'work')
      return {}
    case 'registered':
      await sessions.become(caller, moment.agentId)
      return {}
    case 'permission':
      await said(desk, await sessions.note(caller, 'waits'), 'waits')
      return {}
    case 'turn-end':
      return turnEnd(desk, caller, { ...moment, isLate })
    case 'sign-of-life':
      return signOfLife(desk, caller, moment)
    case 'session-end':
      return end(desk, caller)
  }
}

async function start(
  desk: SessionDesk,
  caller: SessionCaller,
  around: Surroundings | undefined,
): Promise<HookAnswer> {
  const { session, welcome } = await desk.project.sessions.start(caller)
  await enroll(desk, session, around)
  await say(desk, session, 'ready')
  return { context: greeting(desk, session, welcome, caller.names) }
}

async function prompt(
  desk: SessionDesk,
  caller: SessionCaller,
  isLate: () => boolean,
): Promise<HookAnswer> {
  desk.holds?.end(sessionKey(caller)) // of a turn that was stopped
  const { session, text } = await handMail(desk, caller, { isEnd: false, isLate })
  await said(desk, session, 'work')
  return text === undefined ? {} : { context: text }
}

async function turnEnd(
  desk: SessionDesk,
  caller: SessionCaller,
  { isAgain, isLate }: { isAgain: boolean; isLate: () => boolean },
): Promise<HookAnswer> {
  desk.holds?.end(sessionKey(caller))
  const { session, text } = await handMail(desk, caller, {
    ...{ isEnd: true, isLate, isHanding: !isAgain && !isLate() },
  })
  await said(desk, session, text === undefined ? 'ready' : 'work')
  return text === undefined ? {} : { mail: text }
}

async function signOfLife(
  desk: SessionDesk,
  caller: SessionCaller,
  { tool }: Extract<Moment, { kind: 'sign-of-life' }>,
): Promise<HookAnswer> {
  const state = tool === undefined ? undefined : 'work'
  // What may be an event that nobody here knows begins no session.
  if (!state && !(await desk.project.sessions.find({ ...caller, place: null }))) return {}
  const session = await desk.project.sessions.note(caller, state)
  if (state) await said(desk, session, state)
  if (tool === 'start') holdOn(desk, caller, session.agent_id)
  if (tool === 'end') desk.holds?.callEnded(sessionKey(caller))
  return {}
}

async function end(desk: SessionDesk, name: SessionName): Promise<HookAnswer> {
  desk.holds?.end(sessionKey(name))
  const session = await desk.project.sessions.end(name)
  if (session) await say(desk, session, 'offline')
  return {}
}

const holdOn = ({ holds, project }: SessionDesk, caller: SessionCaller, agentId: string) =>
  holds?.begin(sessionKey(caller), () => project.hold(agentId, true))

/** The mailbox is told where that is news: to write it takes longer than all the rest. */
async function said(
  desk: SessionDesk,
  session: Parameters<typeof say>[1] & { state: SessionState },
  state: SessionState,
): Promise<void> {
  if (session.state !== state) await say(desk, session, state)
}

/** The moments of a session, in short. */
import type { Moment } from '../../../src/sessions/moment.ts'

export const start: Moment = { kind: 'session-start' }
export const prompt: Moment = { kind: 'prompt' }
export const end: Moment = { kind: 'session-end' }
export const stop: Moment = { kind: 'turn-end', isAgain: false }
export const stopAgain: Moment = { kind: 'turn-end', isAgain: true }
export const edit = (...paths: string[]): Moment => ({ kind: 'before-edit', paths })
export const edited = (...paths: string[]): Moment => ({ kind: 'after-edit', paths })

/** An error of a person's decision as the page is told it: with its code, and what a program may want to know of it. */
import { AgentMailError, type ErrorCode } from '../../errors.ts'
import { HttpError } from '../http-exchange.ts'
import type { PageTable } from './page-call.ts'

/** What the page tells apart without looking into the answer. */
const statuses: Partial<Record<ErrorCode, number>> = { conflict: 409, not_found: 404 }

/** The same routes. */
export const tellingDetails = (table: PageTable): PageTable =>
  Object.fromEntries(
    Object.entries(table).map(([key, handler]) => [
      key,
      (call) => handler(call).catch((error) => Promise.reject(pageError(error))),
    ]),
  )

function pageError(error: unknown): unknown {
  if (!AgentMailError.is(error)) return error
  const { code, text, details, httpStatus } = error
  return new HttpError(statuses[code] ?? httpStatus, text, { data: { ...details, code } })
}

/** The hooks of coding clients by HTTP: whatever comes is answered with JSON that lets the client go on. */
import type { HookAnswering } from '../hooks/answering.ts'
import { maxHookBytes, nothingToSay } from '../hooks/read-hook.ts'
import { type Exchange, HttpError, isCalledJson, readBody, sendText } from './http-exchange.ts'

/** @param track is told of what goes on after the answer. */
export async function answerHook(
  hooks: HookAnswering,
  client: string,
  { request, response, query }: Exchange,
  track: (work: Promise<unknown>) => void,
): Promise<void> {
  const call = { client, event: query.get('event') ?? undefined, headers: request.headers }
  const body = await readBody(request, maxHookBytes).catch((error) => {
    if (!(error instanceof HttpError)) throw error
    return error
  })
  const text = !isCalledJson(request)
    ? nothingToSay
    : body instanceof HttpError
      ? hooks.unread({ ...call, text: '' }, body.message, true)
      : await hooks.answer({
          ...call,
          text: body.toString('utf8'),
          isGone: () => response.destroyed,
          track,
        })
  sendText(response, 200, text, { 'content-type': 'application/json' })
}

/** Which session a call of a tool is made in, as far as its client tells that beside the arguments. */
import * as z from 'zod'
import type { SessionSearch } from '../coordination/sessions/sessions.ts'
import { jsonOf } from '../system/text.ts'
import { hookClients, passedOnAs } from './moment.ts'

const longest = 1000
const id = z.string().min(1).max(longest)

const ours = z.object({
  [passedOnAs]: z.object({
    client: z.enum(hookClients).optional(),
    session: id.optional(),
    place: id.optional(),
  }),
})
const turn = z.object({ session_id: id })
const codex = z.object({
  'x-codex-turn-metadata': z.union([turn, z.string().transform(jsonOf).pipe(turn)]),
})

export function sessionOfCall(meta: unknown): SessionSearch | undefined {
  const passed = ours.safeParse(meta)
  if (passed.success) return passed.data[passedOnAs]
  const told = codex.safeParse(meta)
  if (!told.success) return undefined
  return { client: 'codex', session: told.data['x-codex-turn-metadata'].session_id }
}

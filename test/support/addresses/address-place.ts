/** A repository whose agents have a mailbox by their name, and agents that are registered by the tools. */
import * as z from 'zod'
import type { Ran } from '../agentmail.ts'
import { openAgent, openPlace, type Place, type Way } from '../coordination/coordination.ts'

const receivedSchema = z.object({ from: z.string(), id: z.string(), message: z.string() })
const unreadSchema = z.object({
  messages: z.array(z.object({ sender_name: z.string(), channel: z.string(), body: z.string() })),
})
const postedSchema = z.strictObject({ message_id: z.int(), note: z.string().optional() })

export interface AddressPlace extends Place {
  as(name: string, ...args: string[]): Promise<Ran>
  /** Has a mailbox from now on. */
  comes(name: string): Promise<void>
  /** What the next of its mail is, as `from: text`; nothing where none waits. */
  receives(name: string): Promise<string | undefined>
}

export async function addressPlace(way: Way): Promise<AddressPlace> {
  const place = await openPlace(way)
  return { ...place, ...mailboxesIn(place) }
}

/** The mailboxes of a repository, whose agents have no tmux. */
export function mailboxesIn(place: Pick<Place, 'run'>): Omit<AddressPlace, keyof Place> {
  const as = (name: string, ...args: string[]) =>
    place.run(args, { env: { AGENTMAIL_AGENT: name } })
  return {
    as,
    async comes(name) {
      const { exitCode, stderr } = await as(name, 'status', 'work')
      if (exitCode !== 0) throw new Error(stderr)
    },
    async receives(name) {
      const found = receivedSchema.safeParse(
        JSON.parse((await as(name, 'receive', '--json')).stdout),
      )
      return found.success ? `${found.data.from}: ${found.data.message}` : undefined
    },
  }
}

/** An agent of the tools, who writes to names and is handed what is unread. */
export async function toolAgent(place: Pick<Place, 'repository' | 'env'>, name: string) {
  const agent = await openAgent(place, name)
  return {
    ...agent,
    writes: async (to: string, body: string, more: object = {}) =>
      postedSchema.parse(
        await agent.call('send_message', { channel: `@${to}`, subject: body, body, ...more }),
      ),
    /** As `from: text`. */
    async unread(): Promise<string[]> {
      const { messages } = unreadSchema.parse(await agent.call('read_messages', { unread: true }))
      return messages.map(({ sender_name, body }) => `${sender_name}: ${body}`)
    },
  }
}

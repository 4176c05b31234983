/** A message to the person from nobody, so that they see how one arrives. */
import type { AddressBook } from '../addresses/address-book.ts'
import { personOf } from '../addresses/person.ts'
import { placeAt } from '../addresses/place.ts'
import type { Config } from '../config.ts'
import { actingAs, ask } from '../connection/acting.ts'
import { machineOf } from '../connection/here.ts'
import { LocalConnection } from '../connection/local-connection.ts'
import type { OwnProject } from '../connection/open-coordination.ts'
import type { Coordination } from '../coordination/coordination.ts'
import type { SentView } from './shapes.ts'

const sender = { name: 'agentmail-test', role: 'test', isAnyOf: true }
const letter = {
  subject: 'A test message',
  body: 'This is how a message to you arrives. Nobody waits for an answer.',
}

export async function sendTestMessage(
  { config, coordination, book }: { config: Config; coordination: Coordination; book: AddressBook },
  project: OwnProject,
): Promise<SentView> {
  const place = placeAt(machineOf(config), { pane: null })
  const through = 'the page'
  const connection = new LocalConnection(coordination, { own: project, book, place, through })
  const channel = `@${personOf(config)}`
  const { message_id, note, warning } = await actingAs(connection, sender, ({ agent_id }) =>
    ask(connection, 'send_message', { agent_id, channel, ...letter }),
  )
  return { message_id: String(message_id), warning: warning ?? note ?? null }
}

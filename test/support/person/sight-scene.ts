/** Two projects with a clock of their own, one of them with a post office, and a person who looks at them. */
import { onTestFinished } from 'vitest'
import { AddressBook } from '../../../src/addresses/address-book.ts'
import type { Project } from '../../../src/coordination/coordination.ts'
import type { Message } from '../../../src/mailbox/message.ts'
import { Sight } from '../../../src/person/watching/sight.ts'
import { rfc3339 } from '../../../src/system/clock.ts'
import { sessionScene } from '../sessions/session-scene.ts'

export const minuteMs = 60_000

export async function sightScene(environment: Record<string, string> = {}) {
  const scene = await sessionScene(environment)
  const { coordination, config, office, clock } = scene
  const told: string[] = []
  const book = new AddressBook({
    person: 'human',
    officesOf: async ({ key }: Project) => (key === 'p' ? [office] : []),
    onPerson: async (_, { subject }) => {
      told.push(subject)
    },
  })
  const sight = new Sight({ config, coordination, book })
  const other = coordination.project('q')
  let mails = 0
  /** Puts mail into a mailbox, at the time of the clock, which it moves on. */
  const mail = async (to: string, message: string, more: Partial<Message> = {}) => {
    const id = `mail${++mails}`
    clock.pass(1)
    const created_at = rfc3339(clock.now())
    const letter = { id, from: 'win', to, message, read_flag: false, created_at, ...more }
    office.create()
    await office.mailbox(to).append(letter)
    return letter.id
  }
  /** Keeps an agent alive as an open connection does. */
  const hold = (agentId: string) => {
    const letGo = scene.project.hold(agentId)
    onTestFinished(letGo)
    return letGo
  }
  return { ...scene, book, sight, other, mail, hold, told }
}

/** The person releases what an agent holds, and the agent is told. */
import { notHeldNow } from '../../coordination/claims/release-by-person.ts'
import { directChannel } from '../../coordination/messages.ts'
import type { Sight } from './sight.ts'
import { asPerson } from './speaking.ts'

export interface ReleaseQuestion {
  project: string
  /** Exactly as it is held. */
  path: string
  /** Who must still hold it. */
  agent_id: string
}

const longestSubject = 255

export async function releaseAsPerson(
  sight: Sight,
  { project: name, path, agent_id: holder_id }: ReleaseQuestion,
): Promise<{ released: boolean; message_id: string }> {
  const seen = await sight.project(name)
  const { project } = seen
  const [claim] = await project.overview.claimsAt([path])
  if (claim?.agent_id !== holder_id) throw notHeldNow(path, claim?.agent)
  const letter = {
    channel: directChannel(claim.agent),
    subject: subjectOf(path, sight.person),
    body: `${sight.person} has released your claim on ${path}. Others may claim it now. Do not edit it any further before you have claimed it again.`,
  }
  const { message_id } = await asPerson(sight, seen, (agent_id) =>
    sight.book.post(project, { agent_id, ...letter }, (posted) =>
      project.claims.releaseByPerson({ path, holder_id, agent_id, letter: posted }),
    ),
  )
  return { released: true, message_id: String(message_id) }
}

/** The end of a path tells more than its beginning. */
function subjectOf(path: string, person: string): string {
  const words = (shown: string) => `Your claim on ${shown} was released by ${person}`
  const over = [...words(path)].length - longestSubject
  const whole = over <= 0 ? words(path) : words(`…${[...path].slice(over + 1).join('')}`)
  return [...whole].slice(0, longestSubject).join('')
}

/** The mail of this repository: what is damaged, who would not get theirs, and whether the mailman goes round. */
import { namesakeOf, namesakes } from '../../../addresses/namesakes.ts'
import { mayHaveAgents } from '../../../connection/may-have-agents.ts'
import { examine } from '../../../mailbox/doctor.ts'
import { pidIfRunning } from '../../../mailbox/mailman/pid-file.ts'
import { namesAndSpots } from '../../../mailbox/recipient-entries.ts'
import { ifSoon } from '../../../system/time-limit.ts'
import { registeredFor } from '../../letterbox.ts'
import { type Check, off, ok, problem } from '../check.ts'

/** Less than the check itself has: that it cannot be asked is told of elsewhere. */
const askMs = 4_000

export const mailCheck: Check = {
  name: 'mail',
  async look({ office, view, noOffice }) {
    if (!office) return [off('mail', noOffice?.message ?? 'there is no post office')]
    const findings = await examine(office, view)
    if (findings.length > 0) {
      return findings.map(({ subject, problem: says, advice }) => problem(subject, says, advice))
    }
    const count = office.mailboxNames().length
    return [ok('mail', `${count} ${count === 1 ? 'mailbox' : 'mailboxes'}, nothing is damaged`)]
  },
}

export const mailmanCheck: Check = {
  name: 'mailman',
  look({ office, view }) {
    const pid = office && pidIfRunning(office.pidFile)
    if (pid !== undefined) return [ok('mailman', `runs (PID ${pid})`)]
    const advice = view ? 'agentmail up starts it: it wakes agents that have mail.' : undefined
    return [off('mailman', 'does not run', advice)]
  },
}

export const namesCheck: Check = {
  name: 'names',
  async look({ config, office, view }) {
    if (!office || !mayHaveAgents(config)) return []
    const found = await ifSoon(askMs, async () => {
      office.check()
      const registered = await registeredFor(config)
      const agents = await registered.standings()
      return namesakes(namesAndSpots(office, view), agents, registered.machine)
    })
    if (found?.length === 0) return [ok('names', 'no agent has that of another')]
    return (found ?? []).map((name) =>
      problem(
        `agent ${name}`,
        `is in the mailbox here, and ${namesakeOf(name)}`,
        `agentmail send reaches the mailbox alone, agentmail post with --channel @${name} the other. If they are two, give one another name.`,
      ),
    )
  },
}

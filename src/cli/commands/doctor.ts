/** agentmail doctor: look for what is wrong. */
import { namesakeOf, namesakes } from '../../addresses/namesakes.ts'
import { Config } from '../../config.ts'
import { mayHaveAgents } from '../../connection/may-have-agents.ts'
import { examine, type Finding } from '../../mailbox/doctor.ts'
import { PostOffice } from '../../mailbox/post-office.ts'
import { namesAndSpots } from '../../mailbox/recipient-entries.ts'
import { ownView, type TmuxView } from '../../mailbox/tmux.ts'
import { destinationOf } from '../../notices/destination.ts'
import { Spool } from '../../notices/spool.ts'
import { settings } from '../../settings.ts'
import { ifSoon } from '../../system/time-limit.ts'
import type { Command } from '../command.ts'
import { registeredFor } from '../letterbox.ts'
import { print, printJson } from '../output.ts'

const lookMs = 5000

export const command: Command = {
  usage: '',
  summary:
    'Look for damaged lines, mail that nobody will read, and what misleads or cannot be used.',
  details:
    'In tmux also: windows of this session that stand outside the repository, and names that two have: two\nwindows, or one in the mailbox and an agent that is registered from elsewhere. It changes nothing.',
  exitCodes: { 0: 'nothing was found', 1: 'there are findings' },

  async run({ json }) {
    const config = new Config()
    const office = await PostOffice.locateUnchecked(config)
    const view = await ownView(config)
    const findings = [
      ...(await examine(office, view)),
      ...wrongSettings(config),
      ...noticeTroubles(config),
      ...(await oldDatabaseFindings(config)),
      ...(await namesakeFindings(config, office, view)),
    ]
    if (json) printJson({ post_office: office.dir, findings })
    else {
      print(`Post office: ${office.dir}`)
      for (const { subject, problem, advice } of findings)
        print(`${subject}: ${problem}\n  ${advice}`)
      if (findings.length === 0) print('Nothing is wrong.')
    }
    return findings.length > 0 ? 1 : 0
  },
}

const wrongSettings = (config: Config): Finding[] =>
  config.inForce().flatMap(({ env, wrong }) => {
    const advice = 'Correct it, or leave it out to use the default.'
    return wrong ? [{ subject: env, problem: `is ${wrong}`, advice }] : []
  })

function noticeTroubles(config: Config): Finding[] {
  const isUsable = !wrongSettings(config).some(({ subject }) => /NOTIFY/.test(subject))
  const destination = isUsable ? destinationOf(config) : undefined
  const problem = destination && new Spool(config, destination.url).posted().trouble
  if (!problem) return []
  const advice =
    'This was said of the last notice that was posted. It goes with the next that is taken.'
  return [{ subject: settings.notify.env, problem, advice }]
}

/** Coordination that cannot be asked is told of by its own commands. */
async function namesakeFindings(
  config: Config,
  office: PostOffice,
  view: TmuxView | undefined,
): Promise<Finding[]> {
  if (!mayHaveAgents(config)) return []
  const found = await ifSoon(lookMs, async () => {
    office.check()
    const registered = await registeredFor(config)
    const agents = await registered.standings()
    return namesakes(namesAndSpots(office, view), agents, registered.machine)
  })
  return (found ?? []).map((name) => ({
    subject: `agent ${name}`,
    problem: `is in the mailbox here, and ${namesakeOf(name)}`,
    advice: `agentmail send reaches the mailbox alone, agentmail post with --channel @${name} the other. If they are two, give one another name.`,
  }))
}

async function oldDatabaseFindings(config: Config): Promise<Finding[]> {
  const { findOldDatabase } = await import('../../connection/old-database.ts')
  const found = await findOldDatabase(config)
  if (!found) return []
  return [
    {
      subject: found.path,
      problem: 'is a database of an older version, which nothing uses any more',
      advice: `Bring it over: ${found.lines.join('; ')}. Then, or if nothing in it is wanted, remove it.`,
    },
  ]
}

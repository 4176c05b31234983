/** agentmail guard check: whether a commit touches what others hold. */
import { Config } from '../../../config.ts'
import { connectIfThere } from '../../../connection/connect.ts'
import { type HeldFile, heldByOthers } from '../../../connection/held-by-others.ts'
import { sessionAround } from '../../../connection/own-session.ts'
import { AgentMailError } from '../../../errors.ts'
import { hasName, whoAmI } from '../../../mailbox/agent.ts'
import { stagedFiles } from '../../../setup/git-hook/staged-files.ts'
import { sleep } from '../../../system/clock.ts'
import { currentFolder } from '../../../system/post-office-folder.ts'
import type { Call } from '../../command.ts'
import { printError, printJson } from '../../output.ts'
import { line } from '../../table.ts'

/** Whoever is asked has this long, and nobody's commit waits longer. */
const askMs = 3_000
const mostShown = 20
const ways = ['on', 'off', 'closed'] as const

interface Checked {
  /** Who commits; nothing of a person without a name. */
  agent: string | null
  held: HeldFile[]
}

export async function check({ json, flags }: Call): Promise<number> {
  const config = new Config(flags)
  const guard = guardOf(config)
  const { agent, held, unasked } =
    guard === 'off' ? { agent: null, held: [], unasked: undefined } : await asked(config)
  const isRefused = held.length > 0 || (unasked !== undefined && guard === 'closed')
  if (json) {
    printJson({ allowed: !isRefused, guard, agent, unasked: unasked ?? null, held })
  } else if (unasked !== undefined) {
    const so = isRefused ? 'and AGENTMAIL_GUARD is closed: the commit is refused' : 'so it passes'
    printError(`agentmail guard: nobody could be asked about this commit (${line(unasked)}), ${so}`)
    if (isRefused) printError(wayThrough)
  } else if (isRefused) printError(refusal(held))
  return isRefused ? 1 : 0
}

const wayThrough = 'To commit all the same: AGENTMAIL_GUARD=off git commit'

/** A word that it does not know is told, and guards as ever. */
function guardOf(config: Config): (typeof ways)[number] {
  try {
    return config.choice('guard', ways) ?? 'on'
  } catch (error) {
    if (!AgentMailError.is(error)) throw error
    printError(`agentmail guard: ${error.message}`)
    return 'on'
  }
}

/** In bounded time; `unasked` says why there is no answer. */
async function asked(config: Config): Promise<Checked & { unasked?: string }> {
  const none = { agent: null, held: [] }
  const late = sleep(askMs).then(() => ({ ...none, unasked: 'no answer in time' }))
  const work = look(config).catch((error: unknown) => ({
    ...none,
    unasked: error instanceof Error ? error.message : String(error),
  }))
  return Promise.race([work, late])
}

async function look(config: Config): Promise<Checked> {
  const files = await stagedFiles(currentFolder())
  const name = await nameOf(config)
  if (files.length === 0) return { agent: name ?? null, held: [] }
  const connection = await connectIfThere(config, { isQuiet: true })
  if (!connection) throw new Error('no server runs, and there is no database yet')
  try {
    // A name that was said holds beside that of the session, which may have taken another since.
    const session = await sessionAround(config, connection)
    const who = { name, agent_id: session?.agent_id }
    const held = await heldByOthers(config, connection, files, who)
    return { agent: config.text('agent') ?? session?.name ?? name ?? null, held }
  } finally {
    await connection.close()
  }
}

async function nameOf(config: Config): Promise<string | undefined> {
  if (!hasName(config)) return undefined
  const agent = await whoAmI(config, { isQuiet: true }).catch(() => undefined)
  return agent?.name
}

function refusal(held: HeldFile[]): string {
  const lines = held.slice(0, mostShown).map(({ file, holder_name, role, claimed_at }) => {
    const holder = line(holder_name)
    const who = role === null ? holder : `${holder} (${line(role)})`
    return `  ${line(file)} is held by ${who} since ${claimed_at}. Ask with send_message to @${holder}, or take something else.`
  })
  const more = held.length - lines.length
  return [
    'Refused by the guard of agentmail: others hold files that this commit touches:',
    ...lines,
    ...(more > 0 ? [`  and ${more} more: agentmail claims`] : []),
    'On the command line: agentmail send <name> "…" asks, git restore --staged <file> leaves a file out.',
    wayThrough,
  ].join('\n')
}

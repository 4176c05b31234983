/** Who is calling: by AGENTMAIL_AGENT, by the name that was given to the tmux pane, or by that of its window. */
import type { Config } from '../config.ts'
import { AgentMailError, notInTmux } from '../errors.ts'
import { log } from '../system/log.ts'
import { checkName } from './names.ts'
import { PostOffice } from './post-office.ts'
import type { Registration } from './recipient.ts'
import {
  type Asking,
  ownPane,
  type Pane,
  serverPid,
  setName,
  setTold,
  type TmuxView,
  viewFrom,
} from './tmux.ts'
import { isAt, nameOfPane, namesHeld } from './whereabouts.ts'

export interface Agent extends Registration {
  name: string
  /** What tmux has told, where it was asked. */
  view?: TmuxView
}

export interface Caller extends Asking {
  /** Whether nobody reads what is said of a name that tmux changes: a hook, or a server. */
  isQuiet?: boolean
}

/** Whether there is a name to work under, told without asking tmux. */
export function hasName(config: Config): boolean {
  return ownPane(config) !== undefined || config.text('agent') !== undefined
}

/** Outside tmux and nameless is an error, and the first one to tell. */
export function checkHasName(config: Config): void {
  if (!hasName(config)) throw nameless()
}

const nameless = () => notInTmux('Outside tmux, set AGENTMAIL_AGENT=<name> to say who you are.')

/** AGENTMAIL_AGENT holds by itself: tmux is not asked for it, unless the caller stays and wants to know when it is gone. */
export async function whoAmI(config: Config, caller: Caller = {}): Promise<Agent> {
  const pane = ownPane(config)
  const chosen = config.text('agent')
  if (chosen !== undefined) {
    checkName(chosen)
    if (!pane) return { name: chosen, pane: null, source: 'environment' }
    const [server] = serverPid(config)
    const agent: Agent = { name: chosen, pane, server, source: 'environment' }
    return caller.isStaying ? { ...agent, view: await viewFrom(pane, caller) } : agent
  }
  if (!pane) throw nameless()
  const view = await viewFrom(pane, caller)
  const { given, server } = view.pane
  const name = nameOfPane(view.pane)
  checkName(name)
  checkNotPerson(config, name)
  if (given === undefined && view.isRenamedByTmux && !view.isTold && !caller.isQuiet) {
    log(
      `tmux changes the name of this window by itself, and you are ${JSON.stringify(name)} only until then. Keep a name: agentmail name <name>`,
    )
    await setTold(pane)
  }
  const source = given === undefined ? 'window' : 'given'
  return { name, pane, server, source, view }
}

/** Whoever bears the person's name would read what was written to them. AGENTMAIL_AGENT says on purpose who one is. */
function checkNotPerson(config: Config, name: string): void {
  if (name !== config.text('person')?.trim()) return
  throw new AgentMailError(
    'invalid_request',
    `${JSON.stringify(name)} is the address of the person, and no name for an agent`,
    'Choose another: agentmail name <name>. The person says AGENTMAIL_AGENT or --as.',
  )
}

/** What is around an agent in tmux, which is asked once; nothing outside. */
export async function viewOf(agent: Agent): Promise<TmuxView | undefined> {
  if (agent.pane === null || agent.view) return agent.view
  const view = await viewFrom(agent.pane).catch(unlessNamed(agent))
  if (view) agent.view = view
  return view
}

/** A name from the environment holds also where its pane is gone. */
const unlessNamed = (agent: Agent) => (error: unknown) => {
  if (agent.source === 'environment' && AgentMailError.is(error, 'tmux_lost')) return undefined
  throw error
}

/** Gives this pane a name, and its window where it is alone in that; without one, takes the name away. */
export async function giveName(config: Config, name: string | undefined): Promise<void> {
  const pane = ownPane(config)
  const chosen = config.text('agent')
  if (!pane) {
    throw notInTmux('A name is given to a tmux pane; outside tmux, set AGENTMAIL_AGENT=<name>.')
  }
  if (name !== undefined) {
    checkName(name)
    checkNotPerson(config, name)
  }
  if (name !== undefined && chosen !== undefined && chosen !== name) {
    throw new AgentMailError(
      'invalid_request',
      `AGENTMAIL_AGENT is set, and wins over a name that is given here: you are ${JSON.stringify(chosen)}`,
      'Set it to the name you want, or unset it first.',
    )
  }
  const view = await viewFrom(pane)
  const office = await PostOffice.locate(config).catch(() => undefined) // a pane is named anywhere
  if (name !== undefined) await checkFree(name, view, office)
  const isAlone = !view.panes.some(
    ({ id, windowId }) => windowId === view.pane.windowId && id !== pane,
  )
  await setName(view.pane, name, isAlone)
  if (office) await noteRenamed(office, view, name)
}

/** What the pane was called before is nobody's name any more, unless another has it. */
async function noteRenamed(
  { recipients }: PostOffice,
  { pane, panes }: TmuxView,
  name = pane.window,
): Promise<void> {
  const others = panes.filter(({ id }) => id !== pane.id)
  const held = namesHeld(others, recipients.list())
  await recipients.leave(
    (before, { source, ...place }) =>
      before !== name &&
      source !== 'environment' &&
      place.pane === pane.id &&
      place.server === pane.server,
    (before) => held.has(before),
  )
}

/** Refuses a name that another pane has, of this session or of this repository. */
async function checkFree(
  name: string,
  { pane, panes }: TmuxView,
  office: PostOffice | undefined,
): Promise<void> {
  const known = office?.recipients.list() ?? []
  const isNear = async (other: Pane) =>
    other.session === pane.session ||
    known.some((recipient) => isAt(recipient, other)) ||
    (await office?.isFoundFrom(other.folder))
  for (const other of namesHeld(panes, known).get(name) ?? []) {
    if (other.id === pane.id || other.dead || !(await isNear(other))) continue
    throw new AgentMailError(
      'conflict',
      `another pane has the name ${JSON.stringify(name)}: ${other.id}, in the window ${JSON.stringify(other.window)}`,
      'Choose another name, or give that pane another: agentmail name <name> there.',
    )
  }
}

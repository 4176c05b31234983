/** The coding clients: whether they are set up, by this version, and whether what they start and call answers. */
import type { Config } from '../../../config.ts'
import {
  type ClientName,
  clientNames,
  type Places,
  type Scope,
} from '../../../setup/clients/client.ts'
import { type Reached, reachedFrom } from '../../../setup/reached.ts'
import { setupPlaces, wantedOf } from '../../../setup/request.ts'
import { type ClientStatus, setupStatusOf } from '../../../setup/status.ts'
import { type Tried, tryHook, tryProgram, tryUrl } from '../answering.ts'
import { type Check, type Checked, off, ok, type Patient, problem, warn } from '../check.ts'
import { codexTrust } from '../codex-trust.ts'

export const clientsCheck: Check = {
  name: 'clients',
  limitMs: 9_000,
  async look(patient) {
    const places = await setupPlaces(patient.config)
    const tries = new Tries(patient)
    const found = await Promise.all(clientNames.map((name) => lookAt(name, places, tries)))
    if (found.some((lines) => lines.length > 0)) return found.flat()
    return [off('clients', 'no coding client was found', 'Install one, then: agentmail setup')]
  },
}

/** In the user's own files, and in those of the repository. */
async function lookAt(name: ClientName, places: Places, tries: Tries): Promise<Checked[]> {
  const scopes: Scope[] = places.repository === undefined ? ['user'] : ['user', 'project']
  const statuses = await Promise.all(
    scopes.map(async (scope) => ({ scope, status: await tries.statusOf(name, places, scope) })),
  )
  const broken = statuses.flatMap(({ status }) => brokenFiles(status))
  // Claude Code and Copilot share a file of a project: whoever is not here has nothing in it.
  const there = statuses.filter(({ scope, status }) =>
    scope === 'user' ? hasAny(status) : status.isFound && isInRepository(status),
  )
  const [first] = statuses
  if (there.length === 0 && broken.length === 0) {
    if (!first?.status.isFound) return []
    return [off(first.status.title, 'is not set up', `agentmail setup ${name} sets it up.`)]
  }
  const hasHooks = there.some(({ status }) => (status.hooks ?? 'missing') !== 'missing')
  const lines = await Promise.all(
    there.map(async ({ scope, status }) => {
      const { found, isTried } = await answers(status, scope, places, tries)
      const isWell = isTried && found.length === 0
      return [...found, partsLine(status, { scope, hasHooks, isWell })]
    }),
  )
  return [...broken, ...lines.flat()]
}

const brokenFiles = ({ title, problems }: ClientStatus): Checked[] =>
  problems.map(({ path, problem: why, advice }) => problem(title, `${path}: ${why}`, advice))

const hasAny = ({ server, hooks = 'missing' }: ClientStatus): boolean =>
  server !== 'missing' || hooks !== 'missing'

/** What a plugin brings, no repository has: there is only what should go. */
const isInRepository = (status: ClientStatus): boolean =>
  status.hasPlugin ? [status.server, status.hooks].includes('old') : hasAny(status)

function partsLine(
  { title, server, hooks, permission, next = '' }: ClientStatus,
  { scope, hasHooks, isWell }: { scope: Scope; hasHooks: boolean; isWell: boolean },
): Checked {
  const where = scope === 'project' ? ' in this repository' : ''
  const parts = Object.entries({ server, hooks, permission })
  const named = (wanted: string) => parts.flatMap(([part, is]) => (is === wanted ? [part] : []))
  const wrong = [
    ...named('old').map((part) => `${part} of another version`),
    ...named('missing')
      .filter((part) => part !== 'hooks')
      .map((part) => `${part} missing`),
  ]
  if (wrong.length > 0) return warn(title, `${wrong.join(', ')}${where}`, `${next} mends it.`)
  const says = `${named('current').join(', ')} set up${where}${isWell ? ', and answering' : ''}`
  if (hooks !== 'missing' || hasHooks) return ok(title, says)
  const advice = `Edits of held files are not refused: ${next} adds hooks.`
  return off(title, `${says}; without hooks`, advice)
}

/** What does not answer, and whether anything was asked. */
async function answers(
  { client, title, hooks }: ClientStatus,
  scope: Scope,
  places: Places,
  tries: Tries,
): Promise<{ found: Checked[]; isTried: boolean }> {
  const { program, url, hookUrls } = reachedFrom(client, places, scope)
  const tried = await Promise.all([
    ...(program ? [tries.program(program, scope)] : []),
    ...(url === undefined ? [] : [tries.url(url)]),
    ...hookUrls.map((one) => tries.hook(one)),
  ])
  const silent = tried.flatMap((one) =>
    typeof one === 'object' ? [problem(title, one.says, one.advice)] : [],
  )
  const isCodex = client === 'codex' && hooks !== undefined && hooks !== 'missing'
  const untrusted = isCodex ? await trustLine(title, places, scope) : []
  return { found: [...silent, ...untrusted], isTried: tried.includes('well') }
}

async function trustLine(title: string, places: Places, scope: Scope): Promise<Checked[]> {
  const trust = await codexTrust(places, scope)
  if (trust === 'trusted') return []
  const advice = 'Open Codex, /hooks, and choose "Trust all".'
  return trust === 'untrusted'
    ? [problem(title, 'its hooks do not run, since you have not trusted them', advice)]
    : [warn(title, 'whether you have trusted its hooks cannot be seen', advice)]
}

/** Many clients start and call the same: that is tried once. */
class Tries {
  readonly #patient: Patient
  readonly #done = new Map<string, Promise<Tried>>()

  constructor(patient: Patient) {
    this.#patient = patient
  }

  get #config(): Config {
    return this.#patient.config
  }

  async statusOf(name: ClientName, places: Places, scope: Scope): Promise<ClientStatus> {
    const wanted = await wantedOf(this.#config, places, { scope, server: undefined })
    return setupStatusOf(name, places, wanted)
  }

  /** A repository is written by others: of what its files name, only our own program is started. */
  program(program: NonNullable<Reached['program']>, scope: Scope): Promise<Tried> {
    const { command } = program
    const isOurs = command.join(' ') === 'agentmail mcp coordination'
    if (scope === 'project' && !isOurs) return Promise.resolve('left')
    const env = scope === 'project' ? {} : program.env
    return this.#once(JSON.stringify([command, env]), async () =>
      (await this.#isToBeLeft()) ? 'left' : tryProgram(this.#config, { command, env }),
    )
  }

  url(url: string): Promise<Tried> {
    return this.#once(url, () => tryUrl(url))
  }

  hook(url: string): Promise<Tried> {
    return this.#once(url, async () => tryHook(this.#config, url, await this.#patient.servers()))
  }

  /** To start a server on a database that is not there yet, or is older, would make or change one; on one that cannot be used it would only tell the same again. */
  async #isToBeLeft(): Promise<boolean> {
    const servers = await this.#patient.servers()
    if (servers.some(({ state }) => state === 'ok')) return false
    const { state } = await this.#patient.databaseCheck().catch(() => ({ state: 'unusable' }))
    return state !== 'ready' && this.#patient.database() !== undefined
  }

  #once(key: string, work: () => Promise<Tried>): Promise<Tried> {
    const answer = this.#done.get(key) ?? work()
    this.#done.set(key, answer)
    return answer
  }
}

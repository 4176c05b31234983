/** Idempotency keys: a write whose outcome its caller does not know can be repeated, and happens once. */
import { describe, expect, it } from 'vitest'
import type { Project } from '../../../src/coordination/coordination.ts'
import { AgentMailError } from '../../../src/errors.ts'
import { expectDamage } from '../../support/control-run.ts'
import { isLong } from '../../support/parts.ts'
import { seededChoice } from '../../support/seeded-random.ts'
import {
  at,
  listOf,
  type NewDatabase,
  registerAgents,
  TestDatabase,
  troubled,
  upTo,
} from '../../support/store/databases.ts'

interface Keyed {
  agent_id: string
  idempotency_key?: string
}

/** Both kinds of writes that take a key; each gives its id. */
const kinds = {
  async message(project: Project, call: Keyed, content: string): Promise<number> {
    const letter = { channel: 'broadcast', subject: 's', body: content }
    return (await project.messages.send({ ...call, ...letter })).message_id
  },
  async change(project: Project, call: Keyed, content: string): Promise<number> {
    const change = { file_path: 'src/main.ts', summary: content }
    return (await project.changes.announce({ ...call, ...change })).change_id
  },
}

const codeOf = (error: unknown) => (AgentMailError.is(error) ? error.code : String(error))

export function retrySuite(newDatabase: NewDatabase): void {
  /** Every write three times at the same moment, at two servers that lose answers, and each again until it is answered. */
  async function writeUncertainly(count: number, isKeyed: boolean) {
    const random = seededChoice()
    const database = await TestDatabase.create(newDatabase)
    let isLosing = false
    let lost = 0
    const trouble = (moment: string) => {
      if (!isLosing || moment === 'before' || (lost > 0 && random(4) > 0)) return undefined
      lost++
      return random(4) > 0 ? 'again' : 'failed'
    }
    const servers = await database.servers(2, { through: troubled(trouble) })
    const agents = await registerAgents(servers, 8)
    isLosing = true
    const answers: { kind: string; ids: number[] }[] = []
    async function write(number: number): Promise<void> {
      const { agent_id } = at(agents, random(agents.length))
      const [kind, send] =
        number % 2 ? (['message', kinds.message] as const) : (['change', kinds.change] as const)
      const call = isKeyed ? { agent_id, idempotency_key: `key ${number}` } : { agent_id }
      const answered = async ({ project }: { project: Project }): Promise<number> => {
        for (const _ of upTo(100)) {
          const id = await send(project, call, `content ${number}`).catch((error: unknown) => {
            expect(codeOf(error)).toBe('storage')
          })
          if (id !== undefined) return id
        }
        return expect.fail('it was never answered')
      }
      const [a, b] = [at(servers, 0), at(servers, 1)]
      const ids = await Promise.all([answered(a), answered(a), answered(b)])
      answers.push({ kind, ids })
    }
    let next = 0
    const writing = upTo(25).map(async () => {
      while (next < count) await write(++next)
    })
    await Promise.all(writing)
    isLosing = false
    const history = await listOf(at(servers, 0).project.history({}))
    const stored = history.filter(({ event }) => event === 'said' || event === 'announced')
    return { answers, lost, duplicates: stored.length - count }
  }

  describe('a write that is retried', () => {
    it('happens once with its key, though answers are lost and several ask at the same moment', async () => {
      const count = isLong ? 10_000 : 100
      const { answers, lost, duplicates } = await writeUncertainly(count, true)
      expect(lost).toBeGreaterThan(0)
      expect(duplicates).toBe(0)
      for (const { ids } of answers) expect(new Set(ids).size).toBe(1)
      for (const kind of ['message', 'change']) {
        const ids = answers.filter((one) => one.kind === kind).map((one) => at(one.ids, 0))
        expect(ids.sort((a, b) => a - b)).toEqual(upTo(count / 2))
      }
    })

    it('happens again and again without one (control)', async () => {
      await expectDamage(async () => (await writeUncertainly(20, false)).duplicates)
    })
  })

  describe.each(['message', 'change'] as const)('the key of a %s', (kind) => {
    const write = kinds[kind]

    it('gives the first answer again, also to an agent that was away and to a server that is new', async () => {
      const database = await TestDatabase.create(newDatabase)
      const first = await database.server()
      const { agent_id } = await first.project.agents.register({ name: 'a', role: 'b' })
      const call = { agent_id, idempotency_key: 'k' }
      expect(await write(first.project, call, 'one')).toBe(1)
      expect(await write(first.project, { agent_id }, 'two')).toBe(2)
      await first.project.agents.leave(agent_id)
      const second = await database.server()
      await expect(write(second.project, call, 'one')).rejects.toThrow('is not registered')
      await second.project.agents.register({ name: 'a', role: 'b', agent_id })
      expect(await write(second.project, call, 'one')).toBe(1)
      expect(await write(second.project, { agent_id }, 'three')).toBe(3)
    })

    it('is refused with other content, also when both come at the same moment', async () => {
      const database = await TestDatabase.create(newDatabase)
      const servers = await database.servers(2)
      const { agent_id } = at(await registerAgents(servers, 1), 0)
      for (const round of upTo(5)) {
        const call = { agent_id, idempotency_key: `k${round}` }
        const contents = ['x', 'y', 'y', 'x', 'y', 'x']
        const outcomes = await Promise.all(
          contents.map((content, index) =>
            write(at(servers, index % 2).project, call, content).catch(codeOf),
          ),
        )
        const isTaken = (content: string) =>
          outcomes[contents.indexOf(content)] !== 'invalid_request'
        expect([isTaken('x'), isTaken('y')].filter(Boolean)).toHaveLength(1)
        const expected = contents.map((one) => (isTaken(one) ? round : 'invalid_request'))
        expect(outcomes).toEqual(expected)
      }
    })

    it('is the agent’s own, and another one in another project and for the other tool', async () => {
      const database = await TestDatabase.create(newDatabase)
      const { coordination, project } = await database.server()
      const idempotency_key = 'k'
      const register = async (where: Project) =>
        (await where.agents.register({ name: 'a', role: 'b' })).agent_id
      const [one, two] = [await register(project), await register(project)]
      expect(await write(project, { agent_id: one, idempotency_key }, 'x')).toBe(1)
      expect(await write(project, { agent_id: two, idempotency_key }, 'y')).toBe(2)
      const other = kinds[kind === 'message' ? 'change' : 'message']
      expect(await other(project, { agent_id: one, idempotency_key }, 'z')).toBe(1)
      const elsewhere = coordination.project('elsewhere')
      const agent_id = await register(elsewhere)
      expect(await write(elsewhere, { agent_id, idempotency_key }, 'w')).toBe(1)
    })
  })
}

/** Two real coding agents are told to edit one file: the second is refused and asks, the first hears of it and lets go, and nobody polls. */

import { existsSync, readFileSync } from 'node:fs'
import { expect, it, vi } from 'vitest'
import { claude, clients, codex, gemini, programOf } from '../../support/clients/clients.ts'
import type { CodingAgent } from '../../support/clients/coding-agent.ts'
import { Workplace } from '../../support/clients/workplace.ts'
import { eventually } from '../../support/eventually.ts'
import { describeWith } from '../../support/parts.ts'

vi.setConfig({ testTimeout: 600_000 })

const file = 'src/api.ts'
const question = 'May I have the file of routes?'
const answer = 'It is yours now.'
const time = String.raw`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z`
const me = { agent_id: '$agent_id' }

/** What both models say to what they hear. The first is at work until `isDone`. */
function giveScripts(
  place: Workplace,
  [first, second]: [CodingAgent, CodingAgent],
  isDone: Promise<void>,
): void {
  const write = ({ client }: CodingAgent, text: string) => client.write(place.at(file), text)
  const tell = ({ client }: CodingAgent, to: CodingAgent, body: string) =>
    client.use('send_message', { ...me, channel: `@${to.name}`, subject: file, body })

  first.model.when(/Add a route/, ...write(first, 'one\n'), { text: 'Added.', after: isDone })
  first.model.when(
    /May I have/,
    ...first.client.use('release_files', { ...me, files: [file] }),
    ...tell(first, second, answer),
  )
  first.model.when(
    /Keep the manual/,
    ...first.client.use('claim_files', { ...me, files: ['docs'] }),
  )
  second.model.when(/Rename a route/, ...write(second, 'two\n'))
  second.model.when(/is held by/, ...tell(second, first, question))
  second.model.when(/It is yours now/, ...write(second, 'two\n'))
}

/** The scene, up to the edit of the second. */
async function play(place: Workplace, [first, second]: [CodingAgent, CodingAgent]): Promise<void> {
  let finish = () => {}
  const isDone = new Promise<void>((resolve) => {
    finish = resolve
  })
  giveScripts(place, [first, second], isDone)
  const written = () => existsSync(place.at(file)) && readFileSync(place.at(file), 'utf8')

  await first.enter('Add a route')
  await first.has('written', () => written() === 'one\n')
  await second.enter('Rename a route')
  await second.hears(`${file} is held by ${first.name}`)
  const refusal = `src/api\\.ts is held by ${first.name} \\(${first.client.name}\\) since ${time}\\. Ask with send_message to @${first.name}, or take something else\\.`
  expect(second.model.news().join('\n').match(new RegExp(refusal, 'g'))).toHaveLength(1)
  expect(written()).toBe('one\n')
  await second.has('asked', async () => (await place.sent(second.name)).length === 1)
  await second.rests()
  await eventually(
    'its turn has ended',
    async () => (await place.states())[second.name] === 'ready',
  )

  const asked = second.model.requests()
  finish()
  await first.hears(question)
  await second.hears(answer)
  // Until then it was not at work: the first that it asks of its model is of the answer.
  expect(second.model.news()[asked]).toMatch(/mail waits for you|Check your agentmail/)
  await second.has('edited', () => written() === 'two\n')
  await Promise.all([first.rests(), second.rests()])
  expect([first.model.timesHeard(question), second.model.timesHeard(answer)]).toEqual([1, 1])
  expect([await place.sent(first.name), await place.sent(second.name)]).toEqual([
    ['read'],
    ['read'],
  ])
}

describeWith(['tmux', ...clients.map(programOf)], 'two real agents and one file', () => {
  it.each([
    { one: claude, other: claude },
    { one: claude, other: codex },
    { one: codex, other: gemini },
    { one: gemini, other: claude },
  ])('in tmux: $one.name holds it, $other.name asks and is woken', async ({ one, other }) => {
    const place = await Workplace.open()
    const first = await place.hire(one, 'coder')
    const second = await place.hire(other, 'reviewer')
    await place.setUp()
    await Promise.all([first.start(), second.start()])
    await play(place, [first, second])

    const held = (count: number) => async () => (await place.claims()).length === count
    await second.has('let go', held(0))
    await first.enter('Keep the manual')
    await first.has('claimed', held(1))
    await first.has('finished', async () => (await place.states()).coder === 'ready')
    await Promise.all([first.leave(), second.leave()])
    await eventually('nothing is held', held(0))
    await eventually('both are offline', async () => {
      const { coder, reviewer } = await place.states()
      return coder === 'offline' && reviewer === 'offline'
    })
  })

  it.each([
    { one: claude, other: claude, names: ['claude-1', 'claude-2'] },
    { one: claude, other: codex, names: ['claude-1', 'codex-1'] },
  ])(
    'outside tmux: $names.0 holds it, $names.1 asks and is woken',
    async ({ one, other, names }) => {
      const place = await Workplace.open({ isTmux: false })
      const first = await place.hire(one, names[0] ?? '')
      const second = await place.hire(other, names[1] ?? '')
      await place.setUp()
      await first.start()
      await second.start()
      await play(place, [first, second])
    },
  )

  it('without hooks the second writes over it (control)', async () => {
    const place = await Workplace.open({ isTmux: false })
    const first = await place.hire(claude, 'claude-1')
    const second = await place.hire(codex, 'codex-1')
    await place.setUp({ hasHooks: false })
    const never = new Promise<void>(() => {})
    giveScripts(place, [first, second], never)
    await Promise.race([
      first.once('Add a route'),
      first.has('written', () => existsSync(place.at(file))),
    ])
    expect(await second.once('Rename a route')).toMatchObject({ exitCode: 0 })
    expect(readFileSync(place.at(file), 'utf8')).toBe('two\n')
    expect(second.model.has('is held by')).toBe(false)
  })
})

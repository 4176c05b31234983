/** Which of the answers in a thread are an agent's, and how many of them it is given. */
import { describe, expect, it } from 'vitest'
import { AskedHome, toAgents } from '../support/orchestrator/asked-home.ts'

describe('an answer in a thread of an agent', () => {
  it("is the person's where it answers what the person wrote in between", async () => {
    const asked = await AskedHome.make([], toAgents)
    const { home } = asked
    await asked.register('ann')
    await asked.send('ann', 'Delivery')
    const first = await asked.sentId('Delivery')
    const send = ['mail', 'send', '--to', 'jane@example.com', '--body', 'No.']
    expect((await home.run([...send, '--subject', 'By me'])).exitCode).toBe(0)
    const own = await asked.sentId('By me')
    asked.drop('To the person', {
      'In-Reply-To': own,
      References: `${first} <c1@a.example> ${own}`,
    })
    asked.drop('To ann', {
      'In-Reply-To': '<c1@a.example>',
      References: `${own} ${first} <c1@a.example>`,
    })
    expect((await home.once()).told('delegated')).toHaveLength(1)
    expect((await asked.messages()).map(({ body }) => /Subject: (.*)/.exec(body)?.[1])).toEqual([
      'To ann',
    ])
    const { frontmatter } = await home.noteOn('Needs_Action', 'To the person')
    expect(frontmatter).not.toHaveProperty('answers')
  })

  it('keeps no agent busy for ever: what comes too often waits for the person', async () => {
    const asked = await AskedHome.make([], toAgents)
    const { home } = asked
    await asked.register('ann')
    await asked.send('ann', 'Delivery')
    for (let number = 0; number < 32; number++) await asked.answer('Delivery', `No. ${number}`)
    expect((await home.once()).told('delegated')).toHaveLength(30)
    expect(await asked.messages()).toHaveLength(30)
    const left = home.list('Needs_Action')
    expect(left).toHaveLength(2)
    expect(home.text(left[0] ?? '')).toMatch(/status: needs_info[\s\S]*more than 30/)
  })
})

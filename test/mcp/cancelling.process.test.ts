/** Calls that are cancelled, or whose client goes, while they take their time. */
import { expect, it } from 'vitest'
import { openSession } from '../support/mailbox/tmux.ts'
import { cancel } from '../support/mcp/hostile-lines.ts'
import { LineClient } from '../support/mcp/line-client.ts'
import { describeWith } from '../support/parts.ts'

describeWith('tmux', 'in tmux, where a call takes its time', () => {
  const open = () => {
    const session = openSession(['one', 'two'])
    return LineClient.open({ env: session.env(0), cwd: session.repository })
  }

  it('answers a call although a malformed cancellation names it', async () => {
    const client = await open()
    client.write(
      client.line('kept', 'tools/call', { name: 'list-recipients' }),
      cancel('{"requestId":"kept","reason":5}'),
    )
    expect(await client.finish()).toMatchObject({ exitCode: 0 })
    expect(client.answersTo('kept')).toHaveLength(1)
  })

  it('ends when its input ends although calls were cancelled', async () => {
    const client = await open()
    const ids = Array.from({ length: 100 }, (_, index) => index)
    const lines = ids.flatMap((id) => [
      client.line(id, 'tools/call', { name: 'list-recipients' }),
      cancel(`{"requestId":${id}}`),
    ])
    client.write(...lines)
    expect(await client.finish()).toMatchObject({ exitCode: 0, signal: null })
    for (const id of ids) expect(client.answersTo(id).length).toBeLessThan(2)
  })
})

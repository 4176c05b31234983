/** `agentmail mail` on an IMAP account: every command ends by itself, and what nobody knew is found among the sent mail. */
import { expect, it } from 'vitest'
import { agentmail } from '../support/agentmail.ts'
import { describeWith } from '../support/parts.ts'
import { ImapPlace } from '../support/providers/imap-place.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

describeWith('dovecot', 'agentmail mail on an IMAP account', () => {
  it('sends, reads what it sent, and settles what was unclear by a look at the sent mail', async () => {
    const place = await ImapPlace.start()
    const account = place.account()
    const home = temporaryFolder()
    const env = { ...account.env(), HOME: home, XDG_STATE_HOME: home, XDG_CONFIG_HOME: home }
    const mail = (...args: string[]) => agentmail(['mail', ...args], { cwd: home, env })
    const send = (subject: string) =>
      mail(
        'send',
        '--to',
        'jane@example.com',
        '--subject',
        subject,
        '--body',
        'Hi',
        '--key',
        subject,
      )

    const sent = await send('clear')
    expect([sent.exitCode, sent.stderr]).toEqual([0, ''])
    const listed = JSON.parse((await mail('list', 'in:sent', '--json')).stdout)
    expect(listed.emails).toMatchObject([{ subject: 'clear' }])
    const shown = await mail('show', listed.emails[0].id)
    expect(shown.stdout).toContain('Hi')

    place.smtp.failNext({ at: 'reply', how: 'cut' })
    expect((await send('unclear')).exitCode).toBe(3)
    const [{ id, state }] = JSON.parse((await mail('log', '--json')).stdout).mails
    expect(state).toBe('unknown')
    const before = await mail('settle', id)
    expect([before.exitCode, before.stderr]).toEqual([1, expect.stringContaining('cannot say')])

    // As a service does that files what is sent through it.
    const client = await account.client()
    await client.append('Sent', place.smtp.arrivals.at(-1)?.raw ?? '', ['\\Seen'])
    expect((await mail('settle', id)).exitCode).toBe(0)
    expect((await send('unclear')).exitCode).toBe(0)
    expect(place.smtp.arrivals).toHaveLength(2)
  })
})

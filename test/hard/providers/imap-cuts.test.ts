/** The connection to an IMAP or SMTP server, cut at every line: a call succeeds or says what is wrong, the next one works, and nothing is lost or done twice. */
import { beforeAll, expect, it, onTestFinished, vi } from 'vitest'
import { AgentMailError, isNotSent } from '../../../src/errors.ts'
import type { Inbox, Provider } from '../../../src/providers/provider.ts'
import { type AtEnd, afterAllTests } from '../../support/at-end.ts'
import { expectDamage } from '../../support/control-run.ts'
import { describeWith, isLong } from '../../support/parts.ts'
import { CuttingProxy, cutPlaces } from '../../support/providers/cutting-proxy.ts'
import { type ImapAccount, ImapPlace, sendFrom } from '../../support/providers/imap-place.ts'

vi.setConfig({ testTimeout: 600_000 })

const mail = (subject: string) =>
  `From: ada@example.com\r\nSubject: ${subject}\r\nMessage-ID: <${subject}@example.com>\r\nDate: Tue, 1 Jul 2025 10:00:00 +0000\r\n\r\nHi`

const failed = (work: Promise<unknown>): Promise<boolean> =>
  work.then(
    () => false,
    () => true,
  )

/** So many calls are cut at once: each mostly waits before it tries again. */
const atOnce = 6

describeWith('dovecot', 'a connection that is cut', () => {
  const atEnd = afterAllTests()
  let place: ImapPlace
  beforeAll(async () => {
    place = await ImapPlace.start({}, atEnd)
  })

  interface Scene {
    account: ImapAccount
    provider: Provider & { inbox: Inbox }
    /** Of the first mail. */
    id: string
    proxy: CuttingProxy
  }

  /** An account with two mails; its provider reaches one of the servers through a proxy. */
  async function scene(side: 'imap' | 'smtp', isWarm: boolean, ends: AtEnd): Promise<Scene> {
    const account = place.account()
    for (const subject of ['a', 'b']) account.deliver(mail(subject))
    const other = await account.open({}, {}, ends)
    const { mails } = await other.inbox.list({ query: 'in:inbox', limit: 10 })
    const id = mails.find(({ subject }) => subject === 'a')?.id ?? ''
    const { port } = side === 'imap' ? place.dovecot : place.smtp
    const proxy = await CuttingProxy.start(port, ends)
    const provider = await account.open({ [side]: proxy.port }, {}, ends)
    if (isWarm) await provider.inbox.list({ query: 'in:inbox', limit: 10 })
    return { account, provider, id, proxy }
  }

  interface Cutting {
    side?: 'imap' | 'smtp'
    isWarm?: boolean
    act(scene: Scene): Promise<unknown>
    check(scene: Scene, error: unknown): Promise<void>
  }

  /** Cuts at each line of a call, until the call has no more lines; of the many lines of the server, at every third. */
  async function cutEverywhere({ side = 'imap', isWarm = true, act, check }: Cutting) {
    for (const where of cutPlaces) {
      const step = where === 'at answer' && side === 'imap' && !isLong ? 3 : 1
      const cutAt = async (line: number): Promise<string> => {
        const ends: (() => void | Promise<void>)[] = []
        const at = await scene(side, isWarm, (end) => void ends.unshift(end))
        at.proxy.cutAt(where, line)
        const error = await act(at).then(
          () => undefined,
          (thrown: unknown) => thrown,
        )
        const { hasCut } = at.proxy
        at.proxy.heal()
        if (error !== undefined) expect(error, `${where} ${line}`).toBeInstanceOf(AgentMailError)
        await check(at, error)
        for (const end of ends) await end()
        return `${error === undefined ? '.' : 'x'}${hasCut ? '' : '|'}`
      }
      let told = ''
      for (let line = 1; !told.includes('|'); line += step * atOnce) {
        const batch = Array.from({ length: atOnce }, (_, index) => cutAt(line + index * step))
        told += (await Promise.all(batch)).join('')
      }
      console.log(`${where}: ${told}`)
    }
  }

  const subjects = async (inbox: Inbox, query: string) =>
    (await inbox.list({ query, limit: 10 })).mails.map(({ subject }) => subject).toSorted()

  it.each([false, true])('while it lists (logged in: %s)', (isWarm) => {
    const list = async ({ provider }: Scene) =>
      expect(await subjects(provider.inbox, 'in:inbox')).toEqual(['a', 'b'])
    return cutEverywhere({ isWarm, act: list, check: list })
  })

  it('while it reads', () => {
    const read = async ({ provider, id }: Scene) =>
      expect((await provider.inbox.get(id)).text?.trim()).toBe('Hi')
    return cutEverywhere({ act: read, check: read })
  })

  it('while it moves', () =>
    cutEverywhere({
      act: async ({ provider, id }) =>
        expect(await provider.inbox.move(id, 'Done/Deep')).toContain('Done/Deep'),
      async check({ account, provider, id }, error) {
        expect(await subjects(provider.inbox, 'in:anywhere')).toEqual(['a', 'b'])
        if (!error) expect(await subjects(provider.inbox, 'in:inbox')).toEqual(['b'])
        expect(await provider.inbox.move(id, 'Done/Deep')).toContain('Done/Deep')
        expect(await account.everywhere()).toEqual({ INBOX: ['b'], 'Done/Deep': ['a'] })
      },
    }))

  it('doubles a mail, where a program moves and tries again as if nothing had been done (control)', () =>
    expectDamage(async (attempt) => {
      const account = place.account()
      account.deliver(mail('a'))
      const proxy = await CuttingProxy.start(place.dovecot.port)
      const copy = async () => {
        const client = await place.dovecot.client(account.user, onTestFinished, proxy.port)
        await client.mailboxOpen('INBOX')
        if (!(await client.messageCopy('1:*', 'Trash'))) throw new Error('not copied')
        if (!(await client.messageDelete('1:*'))) throw new Error('not deleted')
      }
      // One of the answers is that to the copy.
      proxy.cutAt('after command', attempt)
      for (let tries = 0; tries < 3 && (await failed(copy())); tries++);
      return ((await account.everywhere()).Trash?.length ?? 0) - 1
    }))

  it('while it labels', () =>
    cutEverywhere({
      act: async ({ provider, id }) =>
        expect(await provider.inbox.label(id, 'Urgent')).toContain('Urgent'),
      async check({ provider, id }) {
        expect(await subjects(provider.inbox, 'in:inbox')).toEqual(['a', 'b'])
        expect(await provider.inbox.label(id, 'Urgent')).toContain('Urgent')
        expect(await subjects(provider.inbox, 'label:urgent')).toEqual(['a'])
        expect(await subjects(provider.inbox, 'in:anywhere')).toEqual(['a', 'b'])
      },
    }))

  const send = ({ provider }: Scene) => sendFrom(provider, { subject: 'out', key: 'out' })

  /** How many mails the SMTP server has taken from the account. */
  const left = ({ account }: Scene) =>
    place.smtp.arrivals.filter(({ from }) => from === account.user).length

  it('to the IMAP server, while it files what it has sent', () =>
    cutEverywhere({
      act: send,
      async check(at, error) {
        // What has left has left, whether it could be filed or not.
        expect(error).toBeUndefined()
        expect(left(at)).toBe(1)
        expect((await at.account.everywhere()).Sent).toEqual(['out'])
      },
    }))

  it('to the SMTP server, while it sends', () =>
    cutEverywhere({
      side: 'smtp',
      act: send,
      async check(at, error) {
        const count = left(at)
        const sent = (await at.account.everywhere()).Sent ?? []
        if (error === undefined) expect([count, sent]).toEqual([1, ['out']])
        else if (isNotSent(error)) expect([count, sent]).toEqual([0, []])
        else expect(Math.max(count, sent.length)).toBeLessThanOrEqual(1)
        await sendFrom(at.provider, { subject: 'next', key: 'next' })
        expect(left(at)).toBe(count + 1)
        expect((await at.account.everywhere()).Sent).toContain('next')
      },
    }))
})

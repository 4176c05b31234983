/** What stands beside a mailbox: the remembered position, and what a cleanup leaves. */
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { line, messageWith, openMailbox, read } from '../../test/support/mailbox/open-mailbox.ts'

describe('the remembered position', () => {
  /** Sets the flag of a message that AgentMail marked back to unread, without moving a byte. */
  function unread(path: string, id: string): void {
    const bytes = readFileSync(path)
    bytes.write('false', bytes.indexOf('true ,', bytes.indexOf(`"id":"${id}"`)))
    writeFileSync(path, bytes)
  }

  const three = line('a') + line('b') + line('c')

  it('gives way when a read message is set back to unread', async () => {
    const { path, takeAll } = openMailbox(three)
    expect(await takeAll()).toEqual(['a', 'b', 'c'])
    unread(path, 'b')
    expect(await takeAll()).toEqual(['b'])
  })

  it('gives way when another program appends or writes the file anew', async () => {
    const { path, takeAll, mailbox } = openMailbox(three)
    expect(await takeAll()).toEqual(['a', 'b', 'c'])
    appendFileSync(path, line('d'))
    expect(mailbox.newestUnread()?.id).toBe('d')
    expect(await takeAll()).toEqual(['d'])
    writeFileSync(path, line('e') + three.replaceAll('false', 'true '))
    expect(await takeAll()).toEqual(['e'])
  })

  it('holds beside appends, of which none is passed over', async () => {
    const { mailbox, takeId, positionPath } = openMailbox(three)
    expect(await takeId()).toBe('a')
    const before = read(positionPath).split(' ')[1]
    await mailbox.append(messageWith('d'))
    expect(read(positionPath).split(' ')[1]).toBe(before)
    expect([await takeId(), await takeId(), await takeId()]).toEqual(['b', 'c', 'd'])
  })

  it.each(['', '\0\0\0', 'nonsense', 'a 5', '1:2:3:4:5 -7', ' '])(
    'counts for nothing when its file reads %j',
    async (text) => {
      const { positionPath, takeAll } = openMailbox(three)
      writeFileSync(positionPath, text)
      expect(await takeAll()).toEqual(['a', 'b', 'c'])
    },
  )

  it('is not written through a link', async () => {
    const { folder, positionPath, takeAll } = openMailbox(three)
    const victim = join(folder, 'victim')
    writeFileSync(victim, 'precious')
    symlinkSync(victim, positionPath)
    expect(await takeAll()).toEqual(['a', 'b', 'c'])
    expect(read(victim)).toBe('precious')
  })

  it('is not needed: mail comes though it cannot be kept', async () => {
    const { positionPath, mailbox, takeAll } = openMailbox(three)
    mkdirSync(positionPath)
    expect(await takeAll()).toEqual(['a', 'b', 'c'])
    expect(await mailbox.compact(() => true)).toEqual({ messages: 3, removed: true })
  })
})

describe('the files of a mailbox', () => {
  const modeOf = (path: string) => statSync(path).mode & 0o777

  it('are readable by their owner only, also after they were written anew', async () => {
    const { path, positionPath, mailbox, takeAll } = openMailbox()
    await mailbox.append(messageWith('a'))
    expect(modeOf(path)).toBe(0o600)
    appendFileSync(path, '{"id":"x","from":"a","message":"b"}\n')
    expect(await takeAll()).toEqual(['a', 'x'])
    expect([modeOf(path), modeOf(positionPath)]).toEqual([0o600, 0o600])
  })

  it('are gone when everything in them was removed', async () => {
    const { folder, mailbox } = openMailbox(line('a'))
    await mailbox.take()
    expect(await mailbox.compact(() => true, true)).toEqual({ messages: 1, removed: true })
    expect(readdirSync(folder)).toEqual(['position', 'reader.jsonl'])
    expect(await mailbox.compact(() => true)).toEqual({ messages: 1, removed: true })
    expect(readdirSync(folder)).toEqual([])
  })

  it('keep unread messages, whatever is called old', async () => {
    const { mailbox, takeAll, path } = openMailbox(line('a') + line('b') + line('c'))
    await mailbox.take()
    expect(await mailbox.compact(() => true)).toEqual({ messages: 1, removed: false })
    expect(existsSync(`${path}.new`)).toBe(false)
    expect(await takeAll()).toEqual(['b', 'c'])
  })

  it('survive what a killed cleanup left beside them', async () => {
    const { folder, path, mailbox, takeAll } = openMailbox(line('a') + line('b'))
    const victim = join(folder, 'victim')
    writeFileSync(victim, 'precious')
    symlinkSync(victim, `${path}.new`)
    await mailbox.take()
    expect(await mailbox.compact(() => true)).toEqual({ messages: 1, removed: false })
    expect(await takeAll()).toEqual(['b'])
    expect(read(victim)).toBe('precious')
  })
})

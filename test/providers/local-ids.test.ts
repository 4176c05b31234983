/** A local mail is known by its content: the name of its file says nothing, and nothing that was known before is new again. */
import {
  appendFileSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { sha256 } from '../../src/system/text.ts'
import { LocalFolder, mail, putQuiet } from '../support/providers/local-folder.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const question = {
  Subject: 'question',
  'Message-ID': '<q@x>',
  Date: 'Tue, 4 Mar 2025 10:00:00 +0000',
}
const notFound = expect.objectContaining({ code: 'not_found' })
const again = ({ path }: LocalFolder) => new LocalFolder({}, path)

describe('a local mail', () => {
  it('is another one under the same file name', async () => {
    const folder = new LocalFolder()
    folder.drop('a.eml', mail(question))
    const id = await folder.idOf('question')
    await folder.inbox.move(id, 'Done')
    folder.drop('a.eml', mail({ ...question, Subject: 'answer' }))
    expect(await folder.subjects('is:unread in:inbox')).toEqual(['answer'])
    expect(await folder.idOf('answer')).not.toBe(id)
    await expect(folder.inbox.get(id)).rejects.toEqual(notFound)
    await expect(again(folder).inbox.original(id)).rejects.toEqual(notFound)
  })

  it('is another one in the same file, though that has its size and time', async () => {
    const folder = new LocalFolder()
    folder.drop('a.eml', mail(question, 'one'))
    const path = join(folder.path, 'inbox/a.eml')
    const { atime, mtime, ino, size } = statSync(path)
    const id = await folder.idOf('question')
    writeFileSync(path, mail(question, 'two'))
    utimesSync(path, atime, mtime)
    expect(statSync(path)).toMatchObject({ ino, size })
    expect(await folder.idOf('question')).not.toBe(id)
  })

  it('is the same in a file of another name, with its labels and its thread', async () => {
    const folder = new LocalFolder()
    folder.drop('a.eml', mail(question))
    const id = await folder.idOf('question')
    await folder.inbox.label(id, 'Work')
    renameSync(join(folder.path, 'inbox/a.eml'), join(folder.path, 'inbox/b.eml'))
    for (const one of [folder, again(folder)]) {
      expect((await one.list()).map((head) => head.id)).toEqual([id])
      expect((await one.inbox.get(id)).subject).toBe('question')
      expect(await one.subjects('label:work')).toEqual(['question'])
      expect(await one.inbox.original(id)).toMatchObject({ message_id: '<q@x>' })
    }
  })

  it('is one in two files, also when one of them goes', async () => {
    const folder = new LocalFolder()
    folder.drop('b.eml', mail(question))
    folder.drop('a.eml', mail(question))
    const id = await folder.idOf('question')
    expect(await folder.list()).toHaveLength(1)
    await folder.inbox.move(id, 'Done')
    expect(await folder.list('in:inbox')).toEqual([])
    for (const [gone, left] of [
      ['b', 'a'],
      ['a', 'c'],
    ]) {
      if (left === 'c') folder.drop('c.eml', mail(question))
      rmSync(join(folder.path, `inbox/${gone}.eml`))
      expect((await folder.inbox.get(id)).subject).toBe('question')
      expect((await again(folder).list('label:done')).map((head) => head.id)).toEqual([id])
    }
  })

  const from = 'Eve <eve@example.com>'
  it.each([
    ['Message-ID', mail({ ...question, 'Message-ID': '<other@x>' })],
    ['From', mail({ ...question, From: from })],
    ['Date', mail({ ...question, Date: 'Tue, 4 Mar 2025 10:00:01 +0000' })],
    ['Subject', mail({ ...question, Subject: 'Question' })],
    ['body', mail(question, 'Hi, please pay')],
    ['body after 100 KB', mail(question, `Hi${' '.repeat(100_000)}.`)],
  ])('is another one with another %s', async (_, other) => {
    const folder = new LocalFolder()
    folder.drop('a.eml', mail(question))
    const id = await folder.idOf('question')
    await folder.inbox.move(id, 'Done')
    folder.drop('b.eml', other)
    expect(await folder.list('in:anywhere')).toHaveLength(2)
    expect(await folder.list('is:unread in:inbox')).toHaveLength(1)
    expect((await folder.inbox.get(id)).text?.trim()).toBe('Hi')
  })

  it.each([
    [
      'headers that say how it came',
      `Received: by x\r\nX-Spam: no\r\n${mail(question, 'a\r\nb\r\n')}`,
    ],
    ['other line ends', mail(question, 'a\r\nb\r\n').replaceAll('\r\n', '\n')],
    ['a folded header', mail(question, 'a\r\nb\r\n').replace('4 Mar', '4\r\n Mar')],
    ['no line end at its end', mail(question, 'a\r\nb')],
  ])('is the same with %s', async (_, other) => {
    const folder = new LocalFolder()
    folder.drop('a.eml', mail(question, 'a\r\nb\r\n'))
    const id = await folder.idOf('question')
    folder.drop('b.eml', other)
    expect((await folder.list()).map((head) => head.id)).toEqual([id])
    rmSync(join(folder.path, 'inbox/a.eml'))
    expect((await folder.inbox.get(id)).subject).toBe('question')
  })

  it('is none while its file is being written', async () => {
    const folder = new LocalFolder()
    const path = join(folder.path, 'inbox/a.eml')
    const half = mail(question, 'the beginning, ')
    writeFileSync(path, half)
    let now = statSync(path).mtimeMs
    const clock = { now: () => now }
    const reader = new LocalFolder({ clock }, folder.path)
    expect(await reader.list()).toEqual([])
    appendFileSync(path, 'the end')
    now = statSync(path).mtimeMs + 999
    expect(await reader.list()).toEqual([])
    now += 1
    const [whole, ...others] = await reader.list()
    expect(others).toEqual([])
    expect((await reader.inbox.get(whole?.id ?? '')).text?.trim()).toBe('the beginning, the end')
    now = 0 // somebody set the clock back, or the file's time is another machine's
    expect(await new LocalFolder({ clock }, folder.path).list()).toHaveLength(1)
  })

  it('that was just dropped is waited for', async () => {
    const folder = new LocalFolder()
    writeFileSync(join(folder.path, 'inbox/a.eml'), mail(question))
    expect(await folder.subjects()).toEqual(['question'])
  })
})

describe('a folder that an earlier version has used', () => {
  const oldId = (name: string) => sha256(`inbox/${name}`).slice(0, 24)

  /** With the labels that these files had. */
  function usedFolder(files: Record<string, string>, labels: Record<string, string[]> = {}) {
    const path = temporaryFolder()
    for (const box of ['inbox', 'sent']) mkdirSync(join(path, box))
    for (const [name, text] of Object.entries(files)) {
      putQuiet(join(path, 'inbox', name), text)
    }
    const kept = Object.entries(labels).map(([name, names]) => [oldId(name), names])
    writeFileSync(join(path, 'labels.json'), JSON.stringify(Object.fromEntries(kept)))
    return new LocalFolder({}, path)
  }

  it('keeps the ids by which its mails are known, and their labels', async () => {
    const folder = usedFolder(
      { 'a.eml': mail(question), 'b.eml': mail({ Subject: 'b' }) },
      { 'a.eml': ['UNREAD', 'Done'] },
    )
    const ids = [oldId('a.eml'), oldId('b.eml')].toSorted()
    expect((await folder.list()).map(({ id }) => id).toSorted()).toEqual(ids)
    renameSync(join(folder.path, 'inbox/a.eml'), join(folder.path, 'inbox/c.eml'))
    for (const one of [folder, again(folder)]) {
      expect((await one.list()).map(({ id }) => id).toSorted()).toEqual(ids)
      expect(await one.subjects('in:inbox')).toEqual(['b'])
      expect((await one.inbox.original(oldId('a.eml'))).message_id).toBe('<q@x>')
    }
    folder.drop('a.eml', mail({ Subject: 'new' }))
    expect(await folder.idOf('new')).not.toBe(oldId('a.eml'))
    expect(await folder.subjects('is:unread in:inbox')).toContain('new')
    expect((await again(folder).inbox.get(oldId('a.eml'))).subject).toBe('question')
    rmSync(join(folder.path, 'inbox/c.eml'))
    await expect(folder.inbox.get(oldId('a.eml'))).rejects.toEqual(notFound)
    folder.drop('d.eml', mail({ Subject: 'b' }))
    expect(await folder.list()).toHaveLength(2)
  })

  it('knows what it had taken for two mails as one, under both ids', async () => {
    const text = mail(question)
    const folder = usedFolder({ 'a.eml': text, 'b.eml': text }, { 'b.eml': ['Done'] })
    expect(await folder.subjects('label:done -in:inbox')).toEqual(['question'])
    expect(await folder.list()).toHaveLength(1)
    for (const name of ['a.eml', 'b.eml']) {
      expect((await folder.inbox.get(oldId(name))).subject).toBe('question')
      expect(await folder.inbox.label(oldId(name), name)).toContain('Done')
    }
    expect(await again(folder).subjects('label:a.eml label:b.eml')).toEqual(['question'])
  })

  it('is answered from by the ids of old drafts before anything is listed', async () => {
    const folder = usedFolder({ 'a.eml': mail(question) })
    const original = await folder.inbox.original(oldId('a.eml'))
    const { message_id, thread_id } = await folder.send({ original, key: 'key-1' })
    expect(thread_id).toBe(original.thread_id)
    expect((await again(folder).inbox.original(message_id)).references).toEqual(['<q@x>'])
  })

  it.each(['', '{"torn', '[]', '{"x": "y"}'])(
    'is not guessed at where its record is %j',
    async (text) => {
      const folder = usedFolder({ 'a.eml': mail(question) })
      await folder.list()
      folder.drop('ids-inbox.json', text, '.')
      await expect(again(folder).list()).rejects.toMatchObject({ code: 'storage' })
      expect(readFileSync(join(folder.path, 'ids-inbox.json'), 'utf8')).toBe(text)
    },
  )
})

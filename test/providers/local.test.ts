/** Local mail: a folder of .eml files as an account, on real files. */
import {
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openLocalMail } from '../../src/providers/local/local.ts'
import { daysAgo, LocalFolder, mail } from '../support/providers/local-folder.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

describe('the folder', () => {
  it('is made where it is missing, for its owner alone', () => {
    const path = join(temporaryFolder(), 'a/b')
    const { account } = openLocalMail(path)
    expect(account).toBe(realpathSync(path))
    for (const folder of [path, join(path, 'inbox'), join(path, 'sent')]) {
      expect(statSync(folder).mode & 0o777).toBe(0o700)
    }
  })

  it('is made again by whoever looks into it', async () => {
    const folder = new LocalFolder()
    rmSync(folder.path, { recursive: true })
    expect(await folder.list()).toEqual([])
    folder.drop('a.eml', mail({ Subject: 'again' }))
    expect(await folder.subjects()).toEqual(['again'])
  })

  it('is refused in words where something else stands there', async () => {
    const path = join(temporaryFolder(), 'file')
    writeFileSync(path, '')
    expect(() => openLocalMail(path)).toThrow(expect.objectContaining({ code: 'bad_config' }))
    const folder = new LocalFolder()
    rmSync(join(folder.path, 'inbox'), { recursive: true })
    symlinkSync(temporaryFolder(), join(folder.path, 'inbox'))
    await expect(folder.list()).rejects.toMatchObject({ code: 'bad_config' })
  })
})

describe('a file in inbox/', () => {
  const names = [
    ...['plain.eml', 'CAPITALS.EML', 'two words.eml', '-rf.eml', 'a\nb.eml', 'ünï😀.eml'],
    ...[`${'n'.repeat(251)}.eml`, '%2e%2e.eml', "it's.eml", 'e\u0301.eml', '\u00e9.eml'],
  ]

  it('is an unread mail at once, whatever its name', async () => {
    const folder = new LocalFolder()
    for (const [number, name] of names.entries()) {
      folder.drop(name, mail({ Subject: name.replace('\n', ''), Date: daysAgo(number) }))
      expect((await folder.list('is:unread')).length).toBe(number + 1)
    }
    const mails = await folder.list()
    expect(new Set(mails.map(({ id }) => id)).size).toBe(names.length)
    for (const { id } of mails) {
      expect(id).toMatch(/^[a-z0-9]{16,32}$/)
      expect((await new LocalFolder({}, folder.path).inbox.get(id)).text).toBe('Hi')
    }
  })

  it('is shown as far as it can be read, however large', async () => {
    const folder = new LocalFolder()
    folder.drop('huge.eml', mail({ Subject: 'huge' }))
    truncateSync(join(folder.path, 'inbox/huge.eml'), 300 << 20)
    expect(await folder.inbox.get(await folder.idOf('huge'))).toMatchObject({ isComplete: false })
  })

  it('is never written to', async () => {
    const folder = new LocalFolder()
    folder.drop('a.eml', mail({ Subject: 'first' }))
    const id = await folder.idOf('first')
    const before = statSync(join(folder.path, 'inbox/a.eml'))
    await folder.inbox.label(id, 'Work')
    await folder.inbox.get(id)
    const after = statSync(join(folder.path, 'inbox/a.eml'))
    expect([after.mtimeMs, after.ctimeMs]).toEqual([before.mtimeMs, before.ctimeMs])
  })

  it('is not found under an id that none has', async () => {
    const folder = new LocalFolder()
    for (const id of ['0'.repeat(24), '', '../inbox/a.eml', 'constructor', 'x'.repeat(10_000)]) {
      const refused = expect.objectContaining({ code: 'not_found' })
      await expect(folder.inbox.get(id)).rejects.toEqual(refused)
      await expect(folder.inbox.label(id, 'Work')).rejects.toEqual(refused)
      await expect(folder.inbox.original(id)).rejects.toEqual(refused)
    }
    const records = ['ids-inbox.json', 'ids-sent.json']
    expect(readdirSync(folder.path).sort()).toEqual([...records, 'inbox', 'sent'])
  })
})

describe('labels', () => {
  it('are added, and a move takes the mail out of the inbox', async () => {
    const folder = new LocalFolder()
    folder.drop('a.eml', mail({ Subject: 'a' }))
    folder.drop('b.eml', mail({ Subject: 'b' }))
    const [a, b] = [await folder.idOf('a'), await folder.idOf('b')]
    const { inbox } = folder
    expect(await inbox.label(a, ' Projekte/Übung ')).toEqual(['INBOX', 'UNREAD', 'Projekte/Übung'])
    expect(await inbox.label(b, 'projekte/u\u0308BUNG')).toEqual([
      'INBOX',
      'UNREAD',
      'Projekte/Übung',
    ])
    expect(await inbox.label(a, 'starred')).toEqual([
      'INBOX',
      'UNREAD',
      'STARRED',
      'Projekte/Übung',
    ])
    expect(await inbox.move(a, 'Done')).toEqual(['UNREAD', 'STARRED', 'Projekte/Übung', 'Done'])
    expect(await inbox.move(a, 'done')).toEqual(['UNREAD', 'STARRED', 'Projekte/Übung', 'Done'])
    expect(await folder.subjects('in:inbox')).toEqual(['b'])
    expect(await inbox.move(a, 'inbox')).toEqual([
      'INBOX',
      'UNREAD',
      'STARRED',
      'Projekte/Übung',
      'Done',
    ])
    expect(await new LocalFolder({}, folder.path).inbox.label(a, 'DONE')).toHaveLength(5)
    const { message_id } = await folder.send()
    expect(await inbox.label(message_id, 'Done')).toEqual(['SENT', 'Done'])
    expect(statSync(join(folder.path, 'labels.json')).mode & 0o777).toBe(0o600)
  })

  it('have names that can be read', async () => {
    const folder = new LocalFolder()
    folder.drop('a.eml', mail({ Subject: 'a' }))
    const id = await folder.idOf('a')
    for (const name of ['', '  ', 'a\nb', 'a\u0000', 'a\u0085b', 'x'.repeat(226)]) {
      await expect(folder.inbox.label(id, name)).rejects.toMatchObject({ code: 'invalid_request' })
      await expect(folder.inbox.move(id, name)).rejects.toMatchObject({ code: 'invalid_request' })
    }
    expect(await folder.inbox.label(id, '😀'.repeat(225))).toHaveLength(3)
    expect(await folder.inbox.label(id, '__proto__')).toContain('__proto__')
  })

  it.each(['', '{"torn', '[]', '{"x": 1}', '{"x": [1]}', 'null'])(
    'are not overwritten where their file is %j',
    async (content) => {
      const folder = new LocalFolder()
      folder.drop('a.eml', mail({ Subject: 'a' }))
      const id = await folder.idOf('a')
      folder.drop('labels.json', content, '.')
      await expect(folder.inbox.label(id, 'Work')).rejects.toMatchObject({ code: 'storage' })
      await expect(folder.list()).rejects.toMatchObject({ code: 'storage' })
      expect(readFileSync(join(folder.path, 'labels.json'), 'utf8')).toBe(content)
    },
  )
})

/** A mailbox whose files are not what they should be, or cannot be written. */
import { spawn } from 'node:child_process'
import { mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { Mailbox } from '../../src/mailbox/mailbox.ts'
import { PostOffice } from '../../src/mailbox/post-office.ts'
import { ended, startWorker, worker } from '../support/agentmail.ts'
import { line, linesIn, messageWith, openMailbox, read } from '../support/mailbox/open-mailbox.ts'
import { makePipe } from '../support/named-pipe.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const refusal = expect.objectContaining({ name: 'AgentMailError', code: 'storage' })

describe('the remembered position', () => {
  it('is not waited for when a pipe stands in its place', async () => {
    const office = new PostOffice(temporaryFolder())
    office.create()
    await office.mailbox('reader').append(messageWith('a'))
    const positionPath = join(office.dir, 'positions', 'reader.jsonl')
    rmSync(positionPath, { force: true })
    makePipe(positionPath)
    const child = startWorker('mailbox', [office.dir, 'reader', 'receive'])
    onTestFinished(() => void child.kill('SIGKILL'))
    child.stdin.end('go\n')
    expect(await ended(child)).toMatchObject({ stdout: 'ready\na\n', exitCode: 0 })
  })
})

describe('a mailbox that is not a file', () => {
  const kinds: Record<string, (path: string) => void> = {
    link: (path) => {
      writeFileSync(`${path}.target`, line('a'))
      symlinkSync(`${path}.target`, path)
    },
    'link to nothing': (path) => symlinkSync(`${path}.nothing`, path),
    folder: (path) => mkdirSync(path),
    pipe: makePipe,
  }

  it.each(Object.keys(kinds))('is refused and not waited for: a %s', async (kind) => {
    const { folder, path, mailbox } = openMailbox()
    kinds[kind]?.(path)
    const before = readdirSync(folder)
    await expect(mailbox.append(messageWith('b'))).rejects.toEqual(refusal)
    await expect(mailbox.take()).rejects.toEqual(refusal)
    await expect(mailbox.compact(() => true)).rejects.toEqual(refusal)
    expect(() => mailbox.newestUnread()).toThrow(refusal)
    expect(() => mailbox.inspect()).toThrow(refusal)
    expect(readdirSync(folder)).toEqual(before)
    if (kind === 'link') expect(read(`${path}.target`)).toBe(line('a'))
  })

  it('is refused in the same words when its folder is a file', async () => {
    const { path: parent } = openMailbox('')
    const mailbox = new Mailbox({
      path: join(parent, 'x.jsonl'),
      positionPath: `${parent}.position`,
    })
    await expect(mailbox.append(messageWith('b'))).rejects.toEqual(refusal)
    await expect(mailbox.take()).rejects.toEqual(refusal)
    expect(() => mailbox.newestUnread()).toThrow(refusal)
    expect(() => mailbox.inspect()).toThrow(refusal)
  })

  it('is empty when it is missing, and looking does not create it', async () => {
    const { folder, mailbox, takeId } = openMailbox()
    expect(await takeId()).toBeUndefined()
    expect(mailbox.newestUnread()).toBeUndefined()
    expect(mailbox.inspect()).toEqual({ unread: 0, damaged: [] })
    expect(await mailbox.compact(() => true)).toEqual({ messages: 0, removed: false })
    expect(readdirSync(folder)).toEqual([])
  })
})

describe('a full disk', () => {
  it('leaves nothing half written, says so, and is over when there is room again', async () => {
    const office = new PostOffice(temporaryFolder())
    office.create()
    const path = join(office.mailboxesDir, 'reader.jsonl')
    const limited = ['-c', 'ulimit -f 100; exec "$@"', 'bash', process.execPath]
    const child = spawn('bash', [...limited, worker('mailbox'), office.dir, 'reader', 'send'])
    child.stdin.write('go\n')
    const { stdout, stderr, exitCode } = await ended(child)
    const acknowledged = linesIn(stdout).slice(1)
    expect(exitCode).toBe(1)
    expect(stderr).toContain('the post office could not be read or written (EFBIG)')
    expect(acknowledged.length).toBeGreaterThan(0)
    expect(linesIn(read(path)).map((one) => JSON.parse(one).id)).toEqual(acknowledged)
    expect(read(path).endsWith('\n')).toBe(true)

    await office.mailbox('reader').append(messageWith('later'))
    expect((await office.mailbox('reader').take())?.id).toBe(acknowledged[0])
    expect(office.mailbox('reader').inspect()).toEqual({ unread: acknowledged.length, damaged: [] })
  })
})

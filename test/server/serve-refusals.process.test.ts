/** A server that does not start, and says what to do. */
import { chmodSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { DatabaseSync } from '@photostructure/sqlite'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type Env, ended, start } from '../support/agentmail.ts'
import { oddTime } from '../support/loading.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

describe('it does not start, and says what to do, when', () => {
  /** Expects a refusal: nothing on stdout, the reason, and a next step. */
  async function refused(
    exitCode: number,
    args: string[],
    words: RegExp,
    next: RegExp,
    env: Env = {},
  ) {
    const cwd = temporaryFolder()
    const child = start(['serve', ...args], { cwd, env })
    onTestFinished(() => {
      child.kill('SIGKILL') // where it has started after all
    })
    const ran = await ended(child)
    const label = `${args.join(' ')} ${JSON.stringify(env)}`
    expect({ label, stdout: ran.stdout, exitCode: ran.exitCode }).toEqual({
      label,
      stdout: '',
      exitCode,
    })
    const [reason = '', step = ''] = ran.stderr.split('\n')
    expect(reason, label).toMatch(/^error: /)
    expect(reason, label).toMatch(words)
    expect(step, label).toMatch(next)
    expect(ran.stderr, label).not.toMatch(/\n\s+at |should not have happened/)
    return readdirSync(cwd)
  }
  const free = ['--port', '0', '--db', 'mail.db']

  it('its port is in use (exit 3)', async () => {
    const holder = createServer()
    await new Promise<void>((resolve) => holder.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => {
      holder.close()
    })
    const address = holder.address()
    const port = typeof address === 'object' ? String(address?.port) : ''
    const next = new RegExp(`http://127\\.0\\.0\\.1:${port}/health.*--port`)
    const words = /port \d+ on 127\.0\.0\.1 is in use/
    const left = await refused(3, ['--db', 'mail.db', '--port', port], words, next)
    expect(left).toEqual([]) // it has made no database
    await refused(3, ['--db', 'mail.db'], words, next, { AGENTMAIL_PORT: port })
  })

  it.each(['delete', 'wal'])('its database is locked, in %s mode (exit 4)', async (mode) => {
    const file = join(temporaryFolder(), 'locked.db')
    const holder = new DatabaseSync(file)
    onTestFinished(() => holder.close())
    holder.exec(`PRAGMA journal_mode = ${mode}; CREATE TABLE t (a); BEGIN EXCLUSIVE`)
    const words = /the database is locked by another process: .*locked\.db/
    const next = /Wait for that process or end it.*--db/
    await refused(4, ['--port', '0', '--db', file], words, next, oddTime({ speed: 10 }))
  })

  it('its database cannot be opened (exit 5)', async () => {
    const folder = temporaryFolder()
    const file = (name: string) => join(folder, name)
    writeFileSync(file('text.db'), 'This is a letter, not a database.\n'.repeat(100))
    writeFileSync(file('torn.db'), 'SQLite format 3\0'.padEnd(4096, 'x'))
    mkdirSync(file('folder.db'))
    const other = new DatabaseSync(file('other.db'))
    other.exec('CREATE TABLE messages (a)')
    other.close()
    const cases: [path: string, words: RegExp][] = [
      [file('text.db'), /file is not a database/],
      [file('torn.db'), /database/],
      [file('folder.db'), /no plain file/],
      [file('other.db'), /could not be opened/], // another program's tables
      [file('none/mail.db'), /its folder does not exist/],
      [file('text.db/mail.db'), /could not be opened/],
    ]
    const next =
      /(?:Check the file and its permissions, or name another database|a database of its own) with --db/
    await Promise.all(
      cases.map(([path, words]) => refused(5, ['--port', '0', '--db', path], words, next)),
    )
  })

  it.skipIf(process.getuid?.() === 0)('it may not write its database (exit 5)', async () => {
    const folder = temporaryFolder()
    writeFileSync(join(folder, 'mail.db'), '')
    chmodSync(join(folder, 'mail.db'), 0o400)
    const args = ['--port', '0', '--db', join(folder, 'mail.db')]
    await refused(5, args, /could not be opened/, /permissions/)
  })

  it('a setting is wrong (exit 2)', async () => {
    const correct = /Correct /
    const db = ['--db', 'mail.db']
    const ports = ['65536', '-1', '1.5', 'http', '']
    const seconds = ['0', '-1', 'soon', '1e9']
    await Promise.all([
      ...ports.map((port) => refused(2, [...db, '--port', port], /port/, correct)),
      refused(2, db, /AGENTMAIL_PORT/, correct, { AGENTMAIL_PORT: 'x' }),
      ...seconds.map((value) =>
        refused(2, free, /AGENTMAIL_STALE_SECONDS/, correct, { AGENTMAIL_STALE_SECONDS: value }),
      ),
      refused(2, free, /AGENTMAIL_SWEEP_SECONDS/, correct, { AGENTMAIL_SWEEP_SECONDS: '0' }),
      refused(2, free, /AGENTMAIL_RATE_LIMIT/, correct, { AGENTMAIL_RATE_LIMIT: 'none' }),
    ])
  })

  it('its address is not one of this machine (exit 2)', async () => {
    const env = { AGENTMAIL_TOKEN: 'very-secret' }
    const words = /cannot listen on \S+ port 0 \(E[A-Z]+\)/
    for (const host of ['192.0.2.123', 'name.invalid'])
      await refused(2, [...free, '--host', host], words, /Choose an address of this machine/, env)
  })

  it('its address is empty, rather than to listen everywhere (exit 2, or on this machine)', async () => {
    const env = { AGENTMAIL_TOKEN: 'very-secret' }
    const child = start(['serve', '--json', ...free, '--host', ''], { cwd: temporaryFolder(), env })
    onTestFinished(() => {
      child.kill('SIGKILL')
    })
    const started = new Promise((resolve) =>
      child.stdout.once('data', (line) => resolve(`${line}`)),
    )
    const outcome = await Promise.race([started, ended(child).then(({ exitCode }) => exitCode)])
    if (outcome !== 2) expect(outcome).toContain('"url":"http://127.0.0.1:')
  })

  it('it is to listen beyond this machine without a token (exit 2)', async () => {
    const words = /refusing to listen on 0\.0\.0\.0 without a token/
    await refused(2, [...free, '--host', '0.0.0.0'], words, /Set AGENTMAIL_TOKEN/)
  })

  it('its database is of a kind that it does not know, and no password is told (exit 2)', async () => {
    const db = 'postgres://root:hunter2@127.0.0.1:3306/mail'
    const words = /^((?!hunter2).)*postgres:\/\/((?!hunter2).)*$/
    await refused(2, ['--port', '0', '--db', db], words, /Give the path of a file/)
    await refused(2, ['--port', '0'], words, /Give the path of a file/, { AGENTMAIL_DB: db })
  })
})

/** agentmail serve beside a server whose database file was taken away. */
import { existsSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { ended, start } from '../support/agentmail.ts'
import { eventually } from '../support/eventually.ts'
import { UpPlace } from '../support/server/up-place.ts'

/** A server with one message, whose file is elsewhere now. */
async function lostPlace() {
  const place = await UpPlace.open()
  const { server } = await place.up()
  expect((await place.run(['post', 'one', 'body', '--as', 'kk'])).exitCode).toBe(0)
  const { database: db, pid, url } = server
  const moved = join(dirname(db), 'moved.db')
  renameSync(db, moved)
  const serve = (...args: string[]) => {
    const child = start(['serve', ...args], { cwd: place.folder, env: place.env })
    onTestFinished(() => void child.kill('SIGKILL')) // where it has started after all
    return ended(child)
  }
  const files = () =>
    readdirSync(dirname(db)).filter((name) => /^agentmail\.db(?!\.server)/.test(name))
  const putBack = () => renameSync(moved, db)
  return { place, serve, files, putBack, db, pid, url }
}

const asked = [[], ['--json'], ['--host', 'localhost'], ['--port', '0']]

describe('beside a server that has lost its database, serve', () => {
  it.each(['before the loss was noticed', 'after it was noticed'])(
    'refuses and makes no second one, %s',
    async (when) => {
      for (const args of asked) {
        const { place, serve, files, putBack, db, pid, url } = await lostPlace()
        if (when === 'after it was noticed') {
          expect((await place.run(['messages'])).exitCode).toBe(5)
          expect((await fetch(`${url}/health`)).status).toBe(503)
        }
        const { stdout, stderr, exitCode } = await serve(...args)
        expect({ args, stdout, exitCode }).toEqual({ args, stdout: '', exitCode: 5 })
        expect(stderr).toContain('the database is gone: its file was removed, moved or replaced')
        expect(stderr).toContain(`(PID ${pid})`)
        expect(stderr).toMatch(/agentmail down(\n|\\n)/)
        expect(existsSync(db)).toBe(false)
        expect(files()).toEqual([expect.stringMatching(/^agentmail\.db-wal\.lost-\d+-\d+$/)])

        putBack()
        expect((await serve(...args)).exitCode).toBe(5)
        expect((await place.down()).exitCode).toBe(0)
        await place.up()
        expect((await place.run(['messages'])).stdout).toContain('one')
      }
    },
    180_000,
  )

  it.each([['ps'], ['agents'], ['doctor'], ['search', 'one'], ['db', 'check']])(
    'and once its file is back and it was stopped, nothing is lost by a look with %s',
    async (...look) => {
      const { place, putBack } = await lostPlace()
      expect((await place.run(['messages'])).exitCode).toBe(5)
      putBack()
      await place.down()
      await place.run(look)
      expect((await place.run(['messages'])).stdout).toContain('one')
      await place.up()
      expect((await place.run(['messages'])).stdout).toContain('one')
    },
  )

  it('refuses also where that one does not answer', async () => {
    const { serve, files, pid, db } = await lostPlace()
    process.kill(pid, 'SIGSTOP')
    const { exitCode, stderr } = await serve('--port', '0').finally(() =>
      process.kill(pid, 'SIGCONT'),
    )
    expect(exitCode).toBe(5)
    expect(stderr).toContain(`(PID ${pid})`)
    expect(existsSync(db)).toBe(false)
    expect(files()).not.toContain('agentmail.db-wal.lost')
  })

  it('refuses also where the note of that one is gone, and begins anew once it has ended', async () => {
    const { place, serve, db } = await lostPlace()
    rmSync(`${db}.server`)
    expect((await serve()).exitCode).toBe(5)
    expect((await place.down()).exitCode).toBe(0)
    const started = serve('--port', '0', '--json')
    await eventually('it has made a new one', () => existsSync(`${db}.server`))
    expect((await place.run(['messages'])).stdout).toBe('No messages\n')
    await place.down()
    expect((await started).exitCode).toBe(0)
  })

  it('names the database for which a server is to be stopped, where that is not the usual one', async () => {
    const { place, serve, db, putBack } = await lostPlace()
    const { exitCode, stderr } = await serve('--db', db)
    expect(exitCode).toBe(5)
    const [, words = ''] = /with agentmail (down --db .+)\n/.exec(stderr) ?? []
    expect((await place.run(words.split(' '))).stdout).toContain('Stopped the server')
    putBack()
    await place.up()
    expect((await place.run(['messages'])).stdout).toContain('one')
  })
})

/** agentmail up and down where things go wrong: killed servers, foreign programs, stale files. */
import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { dirname, join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { start } from '../support/agentmail.ts'
import { eventually } from '../support/eventually.ts'
import { TestServer } from '../support/server/server.ts'
import { isAlive, UpPlace } from '../support/server/up-place.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const pidFiles = (place: UpPlace) => place.stateFiles().filter((file) => file.endsWith('.pid'))

it('starts another where one was killed, and removes what that left', async () => {
  const place = await UpPlace.open()
  const { server } = await place.up()
  process.kill(server.pid, 'SIGKILL')
  await eventually('it is gone', () => !isAlive(server.pid))
  expect(pidFiles(place)).toHaveLength(1)
  expect(await place.view('ps')).toMatchObject({ server: null })
  const next = await place.up()
  expect(next.started).toEqual(['server'])
  expect(next.server.pid).not.toBe(server.pid)
  expect(pidFiles(place)).toHaveLength(1)
})

it('exits with 3 and says so where another program has the port', async () => {
  const place = await UpPlace.open()
  const foreign = createServer((_, response) => response.end('hello'))
  await new Promise<void>((resolve) => void foreign.listen(place.port, '127.0.0.1', resolve))
  onTestFinished(() => void foreign.close())
  const ran = await place.run(['up'])
  expect(ran).toMatchObject({ stdout: '', exitCode: 3 })
  expect(ran.stderr).toContain(`port ${place.port} on 127.0.0.1 is in use`)
  expect(ran.stderr).toContain('--port')
  expect(ran.stderr.match(/^error: /gm)).toHaveLength(1)
  expect(pidFiles(place)).toEqual([])
  expect((await place.run(['up', '--port', '0'])).exitCode).toBe(0)
})

it('exits with 3 where AgentMail has the port, on another database', async () => {
  const place = await UpPlace.open()
  const other = await TestServer.start({ env: place.env })
  const ran = await place.run(['up', '--port', new URL(other.url).port])
  expect(ran.exitCode).toBe(3)
  expect(ran.stderr).toContain('AgentMail with another database')
})

it('exits with 1 and the last words of the server where that cannot begin', async () => {
  const place = await UpPlace.open()
  const ran = await place.run(['up', '--host', '0.0.0.0'])
  expect(ran).toMatchObject({ stdout: '', exitCode: 1 })
  expect(ran.stderr).toContain('AGENTMAIL_TOKEN')
  const [, log = ''] = /^Its log: (.+)$/m.exec(ran.stderr) ?? []
  expect(readFileSync(log, 'utf8')).toContain('AGENTMAIL_TOKEN')
})

it('kills nobody who has the number of a server that is gone', async () => {
  const place = await UpPlace.open()
  const { server } = await place.up()
  const [file = ''] = pidFiles(place)
  const words = readFileSync(place.statePath(file), 'utf8')
  const note = readFileSync(`${server.database}.server`, 'utf8')
  process.kill(server.pid, 'SIGKILL')
  await eventually('it is gone', () => !isAlive(server.pid))
  const bystander = start(['mcp', 'coordination'], { cwd: place.folder, env: place.env })
  onTestFinished(() => void bystander.kill('SIGKILL'))
  const pid = String(bystander.pid)
  writeFileSync(place.statePath(file), words.replaceAll(String(server.pid), pid))
  writeFileSync(`${server.database}.server`, note.replaceAll(String(server.pid), pid))
  expect(await place.down()).toMatchObject({ stdout: 'Nothing runs\n', exitCode: 0 })
  expect(bystander.exitCode).toBeNull()
  expect(isAlive(bystander.pid ?? 0)).toBe(true)
  expect(pidFiles(place)).toEqual([])
})

it('knows one that lost its record by its note, and stops it', async () => {
  const place = await UpPlace.open()
  const { server } = await place.up()
  for (const file of pidFiles(place)) rmSync(place.statePath(file))
  const again = await place.up()
  expect(again).toMatchObject({ started: [], server: { pid: server.pid, state: 'ok' } })
  expect((await place.down()).stdout).toContain(`PID ${server.pid}`)
  await eventually('it is gone', () => !isAlive(server.pid))
})

it('says that the database is gone under a server, and down and up begin anew', async () => {
  const place = await UpPlace.open()
  const { server } = await place.up()
  rmSync(dirname(server.database), { recursive: true })
  await eventually('it is missed', async () => {
    await place.run(['agents'])
    return (await fetch(`${server.url}/health`)).status === 503
  })
  const ran = await place.run(['up'])
  expect(ran).toMatchObject({ stdout: '', exitCode: 5 })
  expect(ran.stderr).toContain('agentmail down')
  expect(await place.view('ps')).toMatchObject({ server: { state: 'database_lost' } })
  expect((await place.down()).stdout).toContain(`PID ${server.pid}`)
  expect((await place.up()).started).toEqual(['server'])
})

it('stops one that does not answer any more', async () => {
  const place = await UpPlace.open()
  const { server } = await place.up()
  process.kill(server.pid, 'SIGSTOP')
  expect(await place.view('ps')).toMatchObject({ server: { pid: server.pid, state: 'silent' } })
  const down = place.down()
  await new Promise((resolve) => setTimeout(resolve, 1000))
  process.kill(server.pid, 'SIGCONT')
  expect(await down).toMatchObject({ exitCode: 0 })
  await eventually('it is gone', () => !isAlive(server.pid))
})

it('keeps three logs of five megabytes, and begins the next', async () => {
  const place = await UpPlace.open()
  const { server } = await place.up()
  await place.down()
  for (const round of [1, 2, 3, 4]) {
    appendFileSync(server.log, `round ${round} ${'x'.repeat(5 << 20)}\n`)
    await place.up()
    await place.down()
  }
  const first = (name: string) => readFileSync(name, 'utf8').match(/round \d/)?.[0]
  expect([1, 2, 3].map((age) => first(`${server.log}.${age}`))).toEqual([
    'round 4',
    'round 3',
    'round 2',
  ])
  expect(existsSync(`${server.log}.4`)).toBe(false)
  expect(first(server.log)).toBeUndefined()
})

it('says what is wrong with a state folder that cannot be used', async () => {
  const file = join(temporaryFolder(), 'file')
  writeFileSync(file, '')
  const place = await UpPlace.open()
  mkdirSync(place.statePath('.'), { recursive: true })
  const ran = await place.run(['up'], { env: { XDG_STATE_HOME: file } })
  expect(ran).toMatchObject({ stdout: '', exitCode: 1 })
  expect(ran.stderr).toContain('XDG_STATE_HOME')
  const down = await place.run(['down'], { env: { XDG_STATE_HOME: file } })
  expect(down).toMatchObject({ stdout: 'Nothing runs\n', stderr: '', exitCode: 0 })
})

it('does not say that nothing runs where the state folder cannot be used and a server runs', async () => {
  const file = join(temporaryFolder(), 'file')
  writeFileSync(file, '')
  const place = await UpPlace.open()
  const { server } = await place.up()
  const ran = await place.run(['down'], { env: { XDG_STATE_HOME: file } })
  expect(ran).toMatchObject({ stdout: '', exitCode: 1 })
  expect(ran.stderr).toContain('the state folder cannot be used')
  expect(isAlive(server.pid)).toBe(true)
})

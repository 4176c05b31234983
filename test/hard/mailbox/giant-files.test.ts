/** Files of the post office that are larger than a string of Node can be: kept, passed over, and in nobody's way. */
import { appendFileSync, mkdirSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { agentmail, ended, type RunOptions, start } from '../../support/agentmail.ts'
import { eventually } from '../../support/eventually.ts'
import { line } from '../../support/mailbox/open-mailbox.ts'
import { openSession, repository } from '../../support/mailbox/tmux.ts'
import { describeWith } from '../../support/parts.ts'

const giant = 600 * 2 ** 20

/** It takes no room on the disk: all of it is a hole. */
function makeGiant(path: string): void {
  writeFileSync(path, '', { flag: 'a' })
  truncateSync(path, statSync(path).size + giant)
}

function openOffice() {
  const folder = repository()
  const office = join(folder, '.agentmail')
  mkdirSync(join(office, 'mailboxes'), { recursive: true })
  const mailbox = join(office, 'mailboxes/reader.jsonl')
  const run = (name: string, args: string[], options: RunOptions = {}) =>
    agentmail(args, { cwd: folder, ...options, env: { AGENTMAIL_AGENT: name, ...options.env } })
  return { folder, office, mailbox, run }
}

/** A heap that one such line would burst; buffers are beyond it, and so are measured. */
const small = { NODE_OPTIONS: '--max-old-space-size=100' }

const told = /^agentmail: mailbox "reader": passed over a line at byte \d+ that is too long/

it('passes over a line of a mailbox that is longer than a string can be, and keeps it', async () => {
  const { mailbox, run, office } = openOffice()
  const old = { read_flag: true, created_at: '2020-01-01T00:00:00Z' }
  writeFileSync(mailbox, line('old', old) + line('first'))
  makeGiant(mailbox)
  const receive = () => run('reader', ['receive'], { env: small })
  expect((await receive()).stdout).toContain('ID: first\n')
  const none = await receive()
  expect(none).toMatchObject({ stdout: 'No unread messages\n', exitCode: 0 })
  expect(none.stderr).toMatch(told)
  const sent = await run('writer', ['send', 'reader', 'after it'], { env: small })
  expect(sent).toMatchObject({ stderr: '', exitCode: 0 })
  const { stdout, stderr } = await receive()
  expect(stdout).toMatch(/^From: writer\nID: \w{8}\n\nafter it\n$/)
  expect(stderr).toMatch(told)
  expect((await receive()).stderr).toBe('') // from now on it is behind the remembered position
  const doctor = await run('reader', ['doctor'], { env: small })
  expect(doctor).toMatchObject({ stderr: '', exitCode: 1 })
  expect(doctor.stdout).toMatch(/mailbox reader: line 3 \(byte \d+\) is too long to be a message\n/)
  const cleaned = await run('reader', ['cleanup', '--json'], { env: small })
  expect(JSON.parse(cleaned.stdout)).toMatchObject({ messages: 2, mailboxes: 0 })
  expect(statSync(mailbox).size).toBeGreaterThan(giant)
  appendFileSync(mailbox, line('last').replace('"read_flag":false,', '')) // it has to be replaced
  expect((await receive()).stdout).toContain('ID: last\n')
  expect(statSync(mailbox).size).toBeGreaterThan(giant)
  expect(statSync(join(office, 'recipients.jsonl')).size).toBeLessThan(1000)
})

it('takes no more memory for it than for a few lines', async () => {
  const { folder, mailbox } = openOffice()
  makeGiant(mailbox)
  const env = { AGENTMAIL_AGENT: 'reader' }
  const script = `process.on('exit', () => console.error(process.resourceUsage().maxRSS))`
  const measure = join(folder, 'measure.cjs')
  writeFileSync(measure, script)
  const measured = { ...env, NODE_OPTIONS: `--require ${measure}` }
  for (const command of ['receive', 'doctor', 'cleanup']) {
    const { stderr } = await agentmail([command], { cwd: folder, env: measured })
    const kilobytes = Number(stderr.trim().split('\n').at(-1))
    expect(kilobytes).toBeGreaterThan(20_000)
    expect(kilobytes).toBeLessThan(250_000)
  }
})

it('works beside a list of recipients, an ignore file and positions of that size', async () => {
  const { folder, office, run } = openOffice()
  const recipients = join(office, 'recipients.jsonl')
  mkdirSync(join(office, 'positions'))
  writeFileSync(recipients, '{"name":"writer","pane":null}\n')
  for (const path of [recipients, join(folder, '.agentmailignore')]) makeGiant(path)
  makeGiant(join(office, 'positions/reader.jsonl'))
  expect(await run('reader', ['status', 'work'])).toMatchObject({ stderr: '', exitCode: 0 })
  expect((await run('reader', ['recipients'])).stdout).toBe('writer\nreader [you]\n')
  expect((await run('writer', ['send', 'reader', 'hello'])).exitCode).toBe(0)
  expect((await run('reader', ['receive'])).stdout).toContain('hello')
  const doctor = await run('reader', ['doctor'])
  expect(doctor.stdout).toContain('recipients.jsonl: line 2 is not a recipient\n')
  expect(statSync(recipients).size).toBeGreaterThan(giant)
})

describeWith('tmux', 'mailman', () => {
  it('takes over from a PID file of that size', async () => {
    const session = openSession(['one'])
    const office = join(session.repository, '.agentmail')
    await session.run(0, ['recipients'])
    makeGiant(join(office, 'mailman.pid'))
    const env = { ...session.env(0) }
    const mailman = start(['mailman'], { cwd: session.repository, env })
    const end = ended(mailman)
    let said = ''
    mailman.stdout.on('data', (chunk) => {
      said += chunk
    })
    await eventually('it runs', () => said.includes('Mailman started'), 30_000)
    const second = await session.run(0, ['mailman'])
    expect(second).toMatchObject({ exitCode: 2 })
    expect(second.stderr).toContain(`(PID: ${mailman.pid})`)
    mailman.kill('SIGTERM')
    expect((await end).stderr).toContain('warning: a mailman with no readable PID')
  })
})

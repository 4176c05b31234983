/**
 * One process at a mailbox that sends, receives or cleans up: says `ready`, starts when something
 * arrives on its standard input and stops when that ends. Each id is printed once it is safe.
 */
import { appendFile, closeSync, openSync, readFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate, setTimeout } from 'node:timers/promises'
import { cleanup } from '../../../src/mailbox/cleanup.ts'
import { Mailbox } from '../../../src/mailbox/mailbox.ts'
import { lineOf, type Message, messageOf } from '../../../src/mailbox/message.ts'
import { mailboxFile } from '../../../src/mailbox/names.ts'
import { PostOffice } from '../../../src/mailbox/post-office.ts'
import { randomId } from '../../../src/system/random.ts'

const [dir = '', name = '', role = '', safeguard = ''] = process.argv.slice(2)

class UnlockedPostOffice extends PostOffice {
  override mailbox(owner: string): Mailbox {
    const file = mailboxFile(owner)
    const path = join(this.mailboxesDir, file)
    const positionPath = join(this.positionsDir, file)
    return new Mailbox({ path, positionPath }, () => true)
  }
}

const office = safeguard === 'no lock' ? new UnlockedPostOffice(dir) : new PostOffice(dir)
const mailbox = office.mailbox(name)
const path = join(office.mailboxesDir, mailboxFile(name))

/** Written at once: a process that is killed just after has still said it. */
const say = (word: string) => writeSync(1, `${word}\n`)

let count = 0

function nextMessage(): Message {
  const created_at = new Date().toISOString()
  const id = `${process.pid}-${count++}-${randomId(4)}`
  const large = Math.random() < 0.1 ? 60_000 : 200
  const message = 'é'.repeat((Math.random() * large) / 2)
  return { id, from: 'sender', to: name, message, read_flag: false, created_at }
}

/** What one turn of a role does; true when it may stop here. */
const roles: Record<string, () => Promise<boolean>> = {
  async send() {
    const message = nextMessage()
    if (safeguard === 'early word') {
      appendFile(path, lineOf(message), () => {})
      say(message.id)
    } else {
      await mailbox.append(message)
      say(message.id)
    }
    return true
  },

  async receive() {
    if (safeguard === 'late mark') {
      const lines = readFileSync(path, 'utf8').split('\n')
      const messages = lines.map((line) => messageOf(Buffer.from(line)))
      const first = messages.find((message) => message?.read_flag === false)
      if (!first) return true
      say(first.id)
      await mailbox.take()
      return false
    }
    const taken = await mailbox.take()
    if (taken) say(taken.id)
    return taken === undefined
  },

  async cleanup() {
    if (safeguard === 'in place') {
      const lines = readFileSync(path, 'utf8').split('\n')
      const kept = lines.filter((line) => messageOf(Buffer.from(line))?.read_flag === false)
      const file = openSync(path, 'w')
      for (const line of kept) writeSync(file, `${line}\n`)
      closeSync(file)
      return true
    }
    const tomorrow = { now: () => Date.now() + 86_400_000 }
    const hours = { staleHours: 1e6, deliveredHours: 0 }
    await cleanup(office, { ...hours, dryRun: false, panes: undefined }, tomorrow)
    say('cleaned')
    await setTimeout(Math.random() * 8)
    return true
  },
}

const turn = roles[role]
if (!turn) throw new Error(`no such role: ${role}`)

let stopping = false
const started = new Promise((resolve) => process.stdin.once('data', resolve))
process.stdin.on('end', () => {
  stopping = true
})
say('ready')
await started
for (;;) {
  const isDone = await turn()
  if (stopping && isDone) break
  await (isDone && role === 'receive' ? setTimeout(1) : setImmediate())
}

/** Places that fail: a full disk, something in the way, a vault that vanishes. What cannot be recorded is not sent. */
import { mkdirSync, readdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { MailHome, sendByTool } from '../../support/email/mail-home.ts'
import {
  canLimit,
  canMount,
  limitedProcess,
  type Place,
  smallDisk,
} from '../../support/full-disk.ts'
import { makePipe } from '../../support/named-pipe.ts'
import { FakeGmail } from '../../support/providers/fake-gmail.ts'

const mail = { to: 'jane@example.com', subject: 'Tea', body: 'At four?', key: 'draft-1' }
const nothingSent = { is: 'not sent', text: expect.stringContaining('nothing was sent') }

let fake: FakeGmail
beforeAll(async () => {
  fake = await FakeGmail.start()
})
beforeEach(() => {
  fake.sent.length = 0
})
afterAll(() => fake.stop())

const auditFile = () => `gmail_mcp_${new Date().toISOString().slice(0, 10)}.jsonl`

describe('a ledger that cannot be opened', () => {
  it.each<[string, (home: MailHome) => void]>([
    [
      'the state folder is a file',
      ({ state }) => {
        rmSync(state, { recursive: true })
        writeFileSync(state, '')
      },
    ],
    ['its database is a folder', ({ state }) => mkdirSync(join(state, 'mail.db'))],
    [
      'its database is none',
      ({ state }) => writeFileSync(join(state, 'mail.db'), 'x'.repeat(9999)),
    ],
    [
      'its folder of senders is a file',
      ({ state }) => {
        rmSync(join(state, 'senders'), { recursive: true })
        writeFileSync(join(state, 'senders'), '')
      },
    ],
  ])('stops everything, by tool and by command: %s', async (_, spoil) => {
    const home = MailHome.gmail(fake)
    spoil(home)
    const server = await home.server()
    expect(await sendByTool(server, mail)).toEqual(nothingSent)
    expect(await home.send(mail)).toEqual(nothingSent)
    expect(fake.sent).toEqual([])
    expect(home.audited()).toEqual([])
  })
})

const places: [string, boolean, () => Place][] = [
  ['a file system', canMount(), smallDisk],
  ['what the process may write', canLimit(), limitedProcess],
]

describe.runIf(process.platform === 'linux')('a full disk', () => {
  describe.each(places)('%s', (_, isPossible, newPlace) => {
    it.runIf(isPossible).each(['XDG_STATE_HOME', 'VAULT_PATH'] as const)(
      'of %s stops everything, and a mail can be sent again once there is room',
      async (what) => {
        const place = newPlace()
        const home = MailHome.gmail(fake)
        const server = await home.server({ [what]: place.folder })
        const send = (key: number) =>
          sendByTool(server, { ...mail, subject: 'x'.repeat(1900), key: `draft-${key}` })
        expect(await send(0)).toMatchObject({ is: 'sent' })
        place.fill(server.pid)
        // A little may still fit into what was given to a file before.
        let key = 1
        while (key < 9 && (await send(key)).is === 'sent') key++
        expect(await send(key)).toEqual(nothingSent)
        expect(fake.sent.length).toBe(key)
        place.free(server.pid)
        expect(await send(key)).toMatchObject({ is: 'sent' })
        expect(fake.sent.length).toBe(key + 1)
      },
    )
  })
})

describe('a server whose vault is changed between two mails', () => {
  it.each<[string, (home: MailHome) => void, (home: MailHome) => void]>([
    [
      'is gone',
      ({ vault }) => renameSync(vault, `${vault}-away`),
      ({ vault }) => renameSync(`${vault}-away`, vault),
    ],
    [
      'has a link for Logs',
      ({ vault, folder }) => {
        renameSync(join(vault, 'Logs'), join(vault, 'Old'))
        mkdirSync(join(folder, 'outside'))
        symlinkSync(join(folder, 'outside'), join(vault, 'Logs'))
      },
      ({ vault }) => {
        rmSync(join(vault, 'Logs'))
        renameSync(join(vault, 'Old'), join(vault, 'Logs'))
      },
    ],
    [
      'has a link for the log of the day',
      ({ vault, folder }) => {
        rmSync(join(vault, 'Logs', auditFile()))
        mkdirSync(join(folder, 'outside'))
        symlinkSync(join(folder, 'outside/log'), join(vault, 'Logs', auditFile()))
      },
      ({ vault }) => rmSync(join(vault, 'Logs', auditFile())),
    ],
    [
      'has a pipe for the log of the day',
      ({ vault }) => {
        rmSync(join(vault, 'Logs', auditFile()))
        makePipe(join(vault, 'Logs', auditFile()))
      },
      ({ vault }) => rmSync(join(vault, 'Logs', auditFile())),
    ],
  ])('sends nothing while it %s, and sends again when that is mended', async (_, spoil, mend) => {
    const home = MailHome.gmail(fake)
    const server = await home.server()
    expect(await sendByTool(server, { ...mail, key: 'before' })).toMatchObject({ is: 'sent' })
    spoil(home)
    expect(await sendByTool(server, mail)).toEqual(nothingSent)
    expect(await home.send(mail)).toMatchObject({ is: 'not sent' })
    expect(fake.sent.length).toBe(1)
    const { exitCode } = await home.run(['mail', 'log'])
    expect(exitCode).toBeLessThanOrEqual(2) // it neither waits nor breaks
    if (readdirSync(home.folder).includes('outside')) {
      expect(readdirSync(join(home.folder, 'outside'))).toEqual([])
    }
    mend(home)
    expect(await sendByTool(server, mail)).toMatchObject({ is: 'sent' })
    expect(fake.sent.length).toBe(2)
  })
})

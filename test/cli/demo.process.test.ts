/** The demo, as somebody tries it who has just installed AgentMail. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import PostalMime from 'postal-mime'
import { describe, expect, it, onTestFinished } from 'vitest'
import { sleep } from '../../src/system/clock.ts'
import { agentmail, binary, ended, start } from '../support/agentmail.ts'
import { eventually } from '../support/eventually.ts'
import { openSession } from '../support/mailbox/tmux.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

/** Nothing of the user's own; a temporary folder that goes with the test. */
const env = () => ({ TMPDIR: temporaryFolder(), HOME: temporaryFolder(), VAULT_PATH: undefined })

const notesIn = (vault: string, folder: string) =>
  readdirSync(join(vault, folder)).map((name) => name.replace(/-[0-9a-f]{10}\.md$/, ''))

describe('the demo', () => {
  it('goes from three mails to a reply that the printed command approves', async () => {
    const child = start(['demo'], { env: env() })
    onTestFinished(() => void child.kill('SIGKILL'))
    let shown = ''
    child.stdout.on('data', (text) => {
      shown += text
    })
    const over = ended(child)
    const [, note = '', version = '', vault = ''] = await eventually(
      'it prints how to approve',
      () =>
        /^ {2}node \S+ drafts approve (\S+) --version (\S+) --vault (\S+)\n/m.exec(shown) ??
        undefined,
    )
    expect(shown).toContain('    to: jane@customer.example\n')
    await eventually('it says how long it waits', () =>
      shown.includes('It waits a minute for that.'),
    )
    expect(notesIn(vault, 'Drafts')).toEqual(['re-opening-hours-on-friday'])
    const sent = join(dirname(vault), 'mail/sent')
    expect(existsSync(sent) ? readdirSync(sent) : []).toEqual([])

    const words = ['drafts', 'approve', note, '--version', version, '--vault', vault]
    const approved = await agentmail(words, { env: env() })
    expect(approved).toMatchObject({ exitCode: 0, stderr: '' })
    expect(await over).toMatchObject({ exitCode: 0, stderr: '' })

    const path = /^ {2}(\S+\.eml)$/m.exec(shown)?.[1] ?? ''
    const mail = await new PostalMime().parse(readFileSync(path))
    expect(mail.to).toEqual([{ address: 'jane@customer.example', name: '' }])
    expect(mail.subject).toBe('Re: Opening hours on Friday?')
    expect(mail.inReplyTo).toBe('<demo-1@mail.example>')
    expect(mail.text).toContain('we are open from Monday to Friday')
    expect(notesIn(vault, 'Needs_Action')).toEqual(['a-plan-for-next-year'])
    expect(notesIn(vault, 'Done').sort()).toEqual([
      '12-things-about-widgets',
      'opening-hours-on-friday',
      're-opening-hours-on-friday',
    ])
  })

  it('approves by itself when it is told so, whatever is set for work of your own', async () => {
    const { stdout, stderr, exitCode } = await agentmail(['demo', '--yes'], {
      env: { ...env(), AGENTMAIL_LLM: 'openai:none', GMAIL_MCP_SERVER: 'none' },
    })
    expect([stderr, exitCode]).toEqual(['', 0])
    expect(stdout).toContain('\n\nApproved by --yes.\n\n  sent      to jane@customer.example: ')
    expect(stdout).not.toContain('another terminal')
  })

  it('tells everything as JSON, and a program how to approve', async () => {
    const child = start(['demo', '--json'], { env: env() })
    onTestFinished(() => void child.kill('SIGKILL'))
    let shown = ''
    child.stdout.on('data', (text) => {
      shown += text
    })
    const over = ended(child)
    const asked = await eventually('it asks', () => /^\{"event":"approve".*\}$/m.exec(shown)?.[0])
    const { note, command } = JSON.parse(asked)
    expect(note).toMatch(/^Drafts\/re-opening-hours-on-friday-/)
    const approved = await agentmail(command.split(' ').slice(2), { env: env() })
    expect(approved).toMatchObject({ exitCode: 0, stderr: '' })
    const { stdout, exitCode } = await over
    expect(exitCode).toBe(0)
    const events = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(events.map(({ event }) => event)).toEqual(
      expect.arrayContaining(['started', 'ingested', 'drafted', 'approve', 'sent', 'summary']),
    )
    expect(events.at(-1).sent).toHaveLength(1)
    expect(existsSync(events.at(-1).folder)).toBe(true)
  })

  it('takes Enter in a terminal from whoever has read what it is for, and ends with 1 where nothing was sent', async () => {
    const places = `VAULT_PATH= HOME=${temporaryFolder()} TMPDIR=${temporaryFolder()}`
    const demo = `sleep 1; ${places} ${process.execPath} ${binary} demo; echo exit $?; cat`
    const { tmux, pane } = openSession(['enter', 'interrupt', 'end'], demo)
    const type = (window: number, key: string) => tmux('send-keys', '-t', pane(window), key)
    const screen = (window: number) => tmux('capture-pane', '-p', '-S', '-', '-t', pane(window))
    const windows = [0, 1, 2]
    for (const window of windows) type(window, 'Enter') // too early
    for (const window of windows) {
      await eventually('it asks', () => screen(window).includes('Press Enter to approve it'))
    }
    await sleep(1500)
    for (const window of windows) expect(screen(window)).not.toMatch(/Approved|sent {6}to/)
    for (const [window, key] of ['Enter', 'C-c', 'C-d'].entries()) type(window, key)
    for (const [window, code] of [0, 1, 1].entries()) {
      await eventually('it ends', () => /^exit \d/m.test(screen(window)))
      expect(screen(window)).toContain(code === 0 ? '\nApproved.\n' : '\nNothing was sent.')
      expect(screen(window)).toContain(`\nexit ${code}\n`)
    }
  })

  it('says so where there is no place for its folder', async () => {
    const TMPDIR = join(temporaryFolder(), 'missing')
    const { stderr, exitCode } = await agentmail(['demo'], { env: { ...env(), TMPDIR } })
    expect(stderr).toBe(
      `error: no temporary folder can be made in ${TMPDIR}\nSet TMPDIR to a folder that you may write to.\n`,
    )
    expect(exitCode).toBe(1)
  })
})

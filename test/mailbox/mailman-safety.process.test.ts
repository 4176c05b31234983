/** Where the mailman types nothing: anything but the prompt of an agent that waits. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { eventually } from '../support/eventually.ts'
import { getReady, nudge, nudged, startMailman } from '../support/mailbox/mailman.ts'
import { attach, openSession, type Session, sendOk } from '../support/mailbox/tmux.ts'
import { describeWith } from '../support/parts.ts'

const press = (session: Session, window: number, ...keys: string[]) =>
  session.tmux('send-keys', '-t', session.pane(window), ...keys)

const shell = ['env', '-i', 'PS1=$ ', 'PATH=/usr/bin:/bin', 'bash', '--norc', '--noprofile']

/** A program that notes every key, in a terminal without an echo of its own. */
const noting = (act: string, begin: string) => `
  const { appendFileSync } = require('node:fs')
  const show = (text) => process.stdout.write(text)
  process.stdin.setRawMode(true)
  let typed = ''
  process.stdin.on('data', (data) => {
    typed += data
    appendFileSync(process.argv[1], data)
    ${act}
  })
  appendFileSync(process.argv[1], '')
  show(${JSON.stringify(begin)})`

/** Opens a window with such a program, and gives what it has noted. */
async function openNoting(session: Session, name: string, act: string, begin: string) {
  const file = join(session.repository, `keys-of-${name}`)
  const window = session.open(name, process.execPath, '-e', noting(act, begin), file)
  await eventually(`${name} runs`, () => existsSync(file))
  return { window, keys: () => readFileSync(file, 'utf8') }
}

describeWith('tmux', 'the mailman types nothing', () => {
  it('into a shell, copy mode, a half-typed line or a program that has ended, and tells by line and bell', async () => {
    const session = openSession(['one', 'scrolled', 'half', 'ended', 'wired', 'early', 'idle'])
    const [scrolled, half, ended, wired, early, idle] = [1, 2, 3, 4, 5, 6]
    await session.run(early, ['status', 'ready'])
    const sh = session.open('sh', ...shell)
    await eventually('a prompt', () => session.screen(sh).startsWith('$'))
    press(session, sh, '-l', 'rm -f victim ')
    session.tmux('set-option', '-g', 'remain-on-exit', 'on')
    const mailman = await startMailman(session)
    const places = { scrolled, half, ended, wired, sh, idle }
    await Promise.all(
      Object.entries(places).map(([name, window]) => getReady(session, mailman, window, name)),
    )
    session.tmux('copy-mode', '-t', session.pane(scrolled))
    press(session, half, '-l', 'half a line')
    session.tmux('set-option', '-p', '-t', session.pane(wired), 'synchronize-panes', 'on')
    const isDead = () =>
      session.tmux('display-message', '-p', '-t', session.pane(ended), '#{pane_dead}')
    await eventually('it has ended', () => {
      press(session, ended, 'C-d')
      return isDead().trim() === '1'
    })
    for (const [window, name, why] of [
      [scrolled, 'scrolled', 'its pane is in copy mode'],
      [half, 'half', 'its screen is not as it was when it said ready'],
      [ended, 'ended', 'its program has ended'],
      [wired, 'wired', 'what is typed into its pane goes elsewhere'],
      [early, 'early', 'it has not said ready since the mailman was started'],
      [sh, 'sh', 'bash is a shell'],
    ] as const) {
      await sendOk(session, 0, name, 'hello')
      await mailman.says(` ${name} has mail, told by line and bell: ${why}\n`)
      expect([name, session.screen(window).includes(nudge)]).toEqual([name, false])
      if (window !== ended) await eventually('its bell rings', () => session.hasRung(window))
    }
    await sendOk(session, 0, 'idle', 'hello')
    await nudged(session, idle)
    expect(session.screen(half).trim()).toBe('half a line')
    expect(session.screen(sh).trim()).toBe('$ rm -f victim')
  })

  it('but where it does, a shell runs what is half typed (control)', async () => {
    const session = openSession(['one'])
    const victim = join(session.repository, 'victim')
    writeFileSync(victim, '')
    const window = session.open('sh', ...shell)
    await eventually('a prompt', () => session.screen(window).startsWith('$'))
    press(session, window, '-l', 'rm -f victim ')
    press(session, window, '-l', nudge)
    press(session, window, 'Enter')
    await eventually('the file is gone', () => !existsSync(victim))
  })

  it('more where what it types is not shown, or something else is', async () => {
    const session = openSession(['one'])
    const mailman = await startMailman(session)
    const echo = "show(String(data).replace('\\r', '\\r\\n'))"
    const question = '\x1b[2J\x1b[HMay I delete it?\r\n> 1. Yes\r\n  2. No\x1b[?25l\r'
    const places = {
      // Nothing at all of an answer is typed: the cursor is hidden, and at no prompt.
      asking: await openNoting(session, 'asking', '', question),
      // The first letter alone: no other could be an answer.
      silent: await openNoting(session, 'silent', '', '> '),
      // A question comes while it types: no Enter.
      asks: await openNoting(
        session,
        'asks',
        `${echo}; if (typed.endsWith('mail')) show(${JSON.stringify(question)})`,
        '> ',
      ),
      // So does one that leaves what was typed where it is.
      below: await openNoting(
        session,
        'below',
        `${echo}; if (typed.endsWith('mail')) show('\\x1b7\\r\\nMay I? Enter: yes\\x1b8')`,
        '> ',
      ),
      // A hint that goes when somebody types is no question.
      hinting: await openNoting(
        session,
        'hinting',
        `if (typed.length === 1) show('\\x1b[K\\x1b7\\r\\n\\x1b[K\\x1b8'); ${echo}`,
        '> Ask me\r\n? for help\x1b[1A\r\x1b[2C',
      ),
    }
    await Promise.all(
      Object.entries(places).map(async ([name, { window }]) => {
        await getReady(session, mailman, window, name)
        await sendOk(session, 0, name, 'hello')
      }),
    )
    const untyped = 'what is typed does not appear there; Enter was not pressed'
    await mailman.says(
      ' asking has mail, told by line and bell: its cursor is at no empty prompt\n',
    )
    await mailman.says(' nudged hinting\n')
    for (const name of ['silent', 'asks', 'below']) {
      await mailman.says(` ${name} has mail, told by line and bell: ${untyped}\n`)
    }
    expect(
      Object.fromEntries(Object.entries(places).map(([name, { keys }]) => [name, keys()])),
    ).toEqual({ asking: '', silent: 'C', asks: nudge, below: nudge, hinting: `${nudge}\r` })
  })

  it('behind what somebody types while the screen settles', async () => {
    const session = openSession(['one', 'two'])
    await attach(session)
    session.tmux('select-window', '-t', session.pane(1))
    const mailman = await startMailman(session)
    await session.run(1, ['status', 'ready'])
    for (const key of 'half a line') {
      session.tmux('send-keys', '-t', 'viewer:', '-l', key)
      await pause(150)
    }
    await sendOk(session, 0, 'two', 'hello')
    await mailman.says(' two has mail, told by line and bell: ')
    expect(session.screen(1).trim()).toBe('half a line')
  })
})

describeWith('tmux', 'the line of the mailman', () => {
  it('names who has mail to whoever looks, and runs nothing that a name holds', async () => {
    const session = openSession(['one'])
    const evil = join(session.repository, 'evil')
    const name = `a#(touch ${evil})b%H#{pid}c#[fg=red]d`
    const window = session.open(name.replace(/#(?!\[)/g, '##'), 'cat')
    const seen = await attach(session)
    const mailman = await startMailman(session, { AGENTMAIL_NUDGE: 'line' })
    await getReady(session, mailman, window, name)
    await sendOk(session, 0, name, 'hello')
    await eventually('the line', () => seen().includes(`agentmail: ${name} has mail`))
    await mailman.says(' has mail, told by line and bell')
    expect(existsSync(evil)).toBe(false)
    const client = session.tmux('list-clients', '-t', 'test', '-F', '#{client_name}').trim()
    await eventually('tmux runs it, left to itself (control)', () => {
      session.tmux('display-message', '-c', client, name) // its end may come first, and end the other
      return existsSync(evil)
    })
  })
})

/** What agents wrote, on a real terminal and off it: it steers none, and is exact where there is none. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { binary } from '../support/agentmail.ts'
import { eventually } from '../support/eventually.ts'
import { openSession, type Session, sendOk } from '../support/mailbox/tmux.ts'
import { describeWith } from '../support/parts.ts'

/** Clears the screen, sets a title, writes by C1, rings, goes back, turns letters round. */
const hostile =
  'one\x1b[2J\x1b]0;title\x07\u009b31mtwo\b\x7f\rover\u202etxt\u2066\u2069\n\ttabbed ünïcödé 🎉'

/** Runs the commands in a window of their own, and gives the bytes that its terminal got. */
async function onTerminal(session: Session, script: string): Promise<string> {
  const raw = join(session.repository, 'raw')
  const file = join(session.repository, 'script')
  const run = `A() { '${process.execPath}' '${binary}' "$@"; }`
  writeFileSync(file, `stty -echo\nread start\n${run}\n${script}\necho "the end"\nread end\n`)
  const pane = session.tmux('new-window', '-dP', '-F', '#{pane_id}', '-n', 'eve', `sh '${file}'`)
  session.tmux('pipe-pane', '-t', pane.trim(), `cat > '${raw}'`)
  session.tmux('send-keys', '-t', pane.trim(), 'Enter')
  await eventually('the commands are done', () => {
    return existsSync(raw) && readFileSync(raw, 'utf8').includes('the end')
  })
  return readFileSync(raw, 'utf8')
}

describeWith('tmux', 'what another agent wrote', () => {
  it('steers no terminal, whatever command shows it', async () => {
    const session = openSession(['one'])
    const env = { AGENTMAIL_AGENT: 'ev\x1b[5mil', TMUX: undefined, TMUX_PANE: undefined }
    await session.run(0, ['recipients'], { env })
    const boxes = join(session.repository, '.agentmail/mailboxes')
    mkdirSync(boxes, { recursive: true })
    const from = 'ev\x1b[5m\u009bil\u202e'
    const message = (id: string) => JSON.stringify({ id, from, to: 'eve', message: hostile })
    const lines = [message('a'), message('b'), message('c'), '{"torn']
    writeFileSync(join(boxes, 'eve.jsonl'), `${lines.join('\n')}\n`)
    writeFileSync(join(boxes, '%1B[5mgone.jsonl'.replace('[', '%5B')), '{"torn\n')
    const db = "--db '\x1b[5m.db'"
    const shown = await onTerminal(
      session,
      `A receive; A receive --hook; A receive --json; A receive
       A recipients; A recipients --json; A doctor; A doctor --json; A cleanup; A onboard
       A status '\x1b[5m'; A send '\x1b[5m' x; A '\x1b[5m\u009b'; A send --'\x1b[5m' x
       A post '\x1b[5ms' '\x1b[5mb' ${db}; A messages ${db}; A agents ${db}; A config ${db}
       A claim '\x1b[5m' ${db}; A claims ${db}; A history ${db}; A db check ${db}
       AGENTMAIL_PORT='\x1b[5m' A serve ${db}; A mcp '\x1b[5m'; A vault ls --vault '\x1b[5m'`,
    )
    expect(shown).toContain('From: ev\ufffd[5m\ufffdil\ufffd\r\n')
    expect(shown).toContain(
      'one\ufffd[2J\ufffd]0;title\ufffd\ufffd31mtwo\ufffd\ufffd\r\nover\ufffd',
    )
    expect(shown).toContain('\ttabbed ünïcödé 🎉')
    expect(shown).toContain('You got new mail\r\n')
    expect(shown).toContain('\\u001b[2J')
    expect(shown).toContain('ev\ufffd[5mil\r\n')
    // biome-ignore lint/suspicious/noControlCharactersInRegex: it is what must not be there
    const own = /\x1b\[(?:0|1|2|31|32|33)m/g
    expect(shown).toContain('\x1b[1m\x1b[31merror:\x1b[0m ')
    // biome-ignore lint/suspicious/noControlCharactersInRegex: it is what must not be there
    const steering = /[\x00-\x08\x0b-\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]|\r(?!\r?\n)/
    expect(steering.exec(shown.replace(own, ''))).toBeNull()
  })

  it('comes with colour of ours alone, and with none where somebody wants none', async () => {
    const session = openSession(['one'])
    const script = 'A nowhere; A agents; A help; A agents --json; A nowhere --json'
    const shown = await onTerminal(session, script)
    expect(shown).toContain('\x1b[1mNAME\x1b[0m')
    expect(shown).toContain('\x1b[1mTalk:\x1b[0m')
    expect(shown).toMatch(/\r\n\{"agents":.*\}\r\n\{"error":"invalid_request"/)
    for (const variable of ['NO_COLOR=1', 'TERM=dumb']) {
      const other = openSession(['one'])
      expect(await onTerminal(other, `export ${variable}; ${script}`)).not.toContain('\x1b')
    }
  })

  it('stays as it is where no terminal shows it', async () => {
    const session = openSession(['one', 'two'])
    const text = hostile.replace(/\0/g, '')
    const id = await sendOk(session, 0, 'two', text)
    const { stdout } = await session.run(1, ['receive'])
    expect(stdout).toBe(`From: one\nID: ${id}\n\n${text}\n`)
    const second = await sendOk(session, 0, 'two', text)
    const hook = await session.run(1, ['receive', '--hook'])
    expect(hook.stderr).toBe(`You got new mail\nFrom: one\nID: ${second}\n\n${text}\n`)
  })
})

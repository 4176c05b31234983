/** What may be typed into, and what counts as nothing but our own text. */
import { describe, expect, it } from 'vitest'
import { hasAppeared, type Screen, whyNotType } from './screen.ts'

const text = 'Check your agentmail'

const screen = (changes: Partial<Screen> = {}): Screen => ({
  rows: ['Welcome', '> Ask me anything', '? for help · 3 files'],
  x: 2,
  y: 1,
  width: 80,
  height: 3,
  command: 'node',
  isCursorShown: true,
  isInMode: false,
  isDead: false,
  isWired: false,
  ...changes,
})

describe('a screen', () => {
  const why = (now: Screen, settled = screen()) => whyNotType(now, settled, text)

  it('may be typed into when it is as it was; a cursor may blink', () => {
    expect(why(screen())).toBeUndefined()
    expect(why(screen({ isCursorShown: false }))).toBeUndefined()
    const empty = { rows: ['', '', ''], x: 0, y: 0 }
    expect(why(screen(empty), screen(empty))).toBeUndefined()
  })

  it.each(['bash', '-zsh', 'sh', '/bin/dash', 'fish', 'nu', 'pwsh.exe', 'tcsh', '-KSH'])(
    'may not when %s runs there',
    (command) => expect(why(screen({ command }), screen({ command }))).toContain('is a shell'),
  )

  it.each([
    { isDead: true },
    { isInMode: true },
    { isWired: true },
    { x: 3 },
    { y: 2 },
    { width: 79 },
    { height: 4 },
    { command: 'python' },
    { rows: ['Welcome', '> Ask me anything', '? for help · 4 files'] },
  ])('may not when it has changed: %j', (change) => {
    expect(why(screen(change))).toBeDefined()
  })

  it('may not where a hidden cursor is behind nothing, or there is no room behind it', () => {
    const asking = screen({ x: 0, isCursorShown: false })
    expect(why(asking, asking)).toBe('its cursor is at no empty prompt')
    const full = screen({ x: 70, rows: ['', `${'-'.repeat(68)}> `, ''] })
    expect(why(full, full)).toBe('there is no room behind its cursor')
  })

  it.each([...['❯ ', '› ', '│ > ', 'agent> ', '  →', ' *   ']])(
    'may behind an empty prompt: %j',
    (row) => {
      const at = screen({ rows: ['', row, ''], x: row.length })
      expect(why(at, at)).toBeUndefined()
    },
  )

  it.each([
    ...['❯ please drop the production ', 'half a line', '> fix it.', '    ', 'Password ***', 'a *'],
    ...['Answer: ', 'Proceed [y/N]: ', 'Really? (y/n) ', 'Sure? ', 'Password:'],
    ...['bash-5.2# ', 'me@host:~$ echo x ', '$ ', '% '],
  ])('may not behind a half-typed line, a question or a shell within a program: %j', (row) => {
    const at = screen({ rows: ['', row, ''], x: row.length })
    expect(why(at, at)).toBe('its cursor is at no empty prompt')
  })
})

describe('a text that was typed', () => {
  const appears = (changes: Partial<Screen>) =>
    hasAppeared(text, screen(), screen({ x: 2 + text.length, ...changes }))
  const typed = `> ${text}`

  it('has appeared where it stands at the cursor, though hints have gone and rows moved up', () => {
    expect(appears({ rows: ['Welcome', typed, '? for help · 3 files'] })).toBe(true)
    expect(appears({ rows: ['Welcome', typed, '3 files'] })).toBe(true)
    expect(appears({ rows: [typed, '? for help', ''], y: 0 })).toBe(true)
  })

  it.each([
    { rows: screen().rows },
    { rows: ['Welcome', `${typed} me anything`, '? for help'] },
    { rows: ['Welcome', typed, 'Allow it? Enter: yes'] },
    { rows: ['Welcome', typed, '3 files ? for help'] },
    { rows: ['Welcome', `x> ${text}`, '? for help'] },
    { rows: ['Welcome', `> half ${text}`, '? for help'] },
    { rows: ['Welcome', '> Check your', '? for help'] },
    { rows: ['Welcome', typed, '? for help'], x: 2 },
    { rows: ['Welcome', typed, '? for help'], y: 0 },
    { rows: ['Welcome', typed, '? for help'], isInMode: true },
    { rows: ['Welcome', typed, '? for help'], command: 'bash' },
  ])('has not where anything else has happened: %j', (changes) => {
    expect(appears(changes)).toBe(false)
  })
})

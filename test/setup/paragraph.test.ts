/** In which files the paragraph about working together is written, and that it goes again. */
import { symlinkSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { ClientName } from '../../src/setup/clients/client.ts'
import { SetupHome } from '../support/setup/home.ts'

const files = ['AGENTS.md', 'CLAUDE.md']
const countIn = (text = '') => text.match(/agentmail:begin/g)?.length ?? 0

/** How often it stands in AGENTS.md and in CLAUDE.md; then it is undone. */
function written(
  clients: ClientName[],
  before: Record<string, string>,
  links: Record<string, string> = {},
) {
  const home = new SetupHome()
  for (const [name, text] of Object.entries(before)) home.put(`repository/${name}`, text)
  for (const [name, to] of Object.entries(links)) symlinkSync(to, home.at(`repository/${name}`))
  const texts = () => files.map((name) => home.read(`repository/${name}`))
  const first = texts()
  home.setUp({ clients, hasParagraph: true, wanted: { scope: 'project' } })
  home.setUp({ clients, hasParagraph: true, wanted: { scope: 'project' } })
  const counts = texts().map(countIn)
  home.undo()
  expect(texts()).toEqual(first)
  return counts
}

const text = '# Rules\n'

describe('the paragraph', () => {
  it.each<[string, ClientName[], Record<string, string>, number[]]>([
    ['AGENTS.md, which Codex reads, beside a CLAUDE.md', ['codex'], { 'CLAUDE.md': text }, [1, 0]],
    [
      'AGENTS.md for all but Claude Code',
      ['copilot', 'opencode', 'cursor', 'vscode', 'gemini', 'qwen'],
      {},
      [1, 0],
    ],
    ['both where both are read', ['claude', 'codex'], { 'CLAUDE.md': text }, [1, 1]],
    ['AGENTS.md where there is no CLAUDE.md', ['claude', 'codex'], {}, [1, 0]],
    ['CLAUDE.md for Claude Code alone', ['claude'], {}, [0, 1]],
    [
      'CLAUDE.md for Claude Code beside an AGENTS.md',
      ['claude'],
      { 'AGENTS.md': text, 'CLAUDE.md': text },
      [0, 1],
    ],
    [
      'AGENTS.md where CLAUDE.md imports it',
      ['claude', 'codex'],
      { 'AGENTS.md': text, 'CLAUDE.md': '@AGENTS.md\n' },
      [1, 0],
    ],
    [
      'AGENTS.md for Claude Code, which imports it',
      ['claude'],
      { 'AGENTS.md': text, 'CLAUDE.md': 'See @./AGENTS.md.\n' },
      [1, 0],
    ],
  ])('goes into %s', (_, clients, before, counts) => {
    expect(written(clients, before)).toEqual(counts)
  })

  it.each<[string, Record<string, string>, Record<string, string>, number[]]>([
    ['CLAUDE.md', { 'AGENTS.md': text }, { 'CLAUDE.md': 'AGENTS.md' }, [1, 1]],
    ['AGENTS.md', { 'CLAUDE.md': text }, { 'AGENTS.md': 'CLAUDE.md' }, [1, 1]],
    ['CLAUDE.md, and AGENTS.md is not there', {}, { 'CLAUDE.md': 'AGENTS.md' }, [1, 1]],
  ])(
    'goes once into a file that has two names, of which one is a link: %s',
    (_, before, links, counts) => {
      expect(written(['claude', 'codex'], before, links)).toEqual(counts)
      expect(written(['claude'], before, links)).toEqual(counts)
      expect(written(['codex'], before, links)).toEqual(counts)
    },
  )

  it('has nobody register whom the session has told its name', () => {
    const home = new SetupHome()
    home.setUp({ clients: ['codex'], hasParagraph: true, wanted: { scope: 'project' } })
    expect(home.read('repository/AGENTS.md')).toMatch(
      /told at the start of the session. If nobody told you, register first/,
    )
  })

  it('stays where nobody remembers it and a person has changed it', () => {
    const home = new SetupHome()
    const own = '<!-- agentmail:begin -->\nMy own words.\n<!-- agentmail:end -->\n'
    home.put('repository/AGENTS.md', own)
    const { left } = home.undo([], 'project')
    expect(home.read('repository/AGENTS.md')).toBe(own)
    expect([...left.values()]).toEqual([['the paragraph about AgentMail']])
  })
})

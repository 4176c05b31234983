/** What the subcommands of `agentmail vault` do and print. */
import { Config } from '../../../config.ts'
import { AgentMailError } from '../../../errors.ts'
import { initMailVault } from '../../../orchestrator/rules/init-mail-vault.ts'
import { shellWord } from '../../../system/text.ts'
import { checkNotes, type NoteProblem } from '../../../vault/check.ts'
import { listNotes } from '../../../vault/list.ts'
import { scanNotes } from '../../../vault/search/scan.ts'
import { Vault } from '../../../vault/vault.ts'
import type { Call } from '../../command.ts'
import { print, printJson } from '../../output.ts'
import { ProgressLine } from '../../progress-line.ts'
import { atMost, countOf, type Subcommand } from '../../subcommands.ts'
import { line } from '../../table.ts'

export const vaultCommands: Record<string, Subcommand> = {
  init: { run: init },
  ls: { run: ls, options: ['filter', 'limit'] },
  search: { run: search, options: ['limit'] },
  check: { run: checkVault },
}

const defaultHits = 20

async function init({ flags, positionals, json }: Call): Promise<number> {
  const [path = new Config(flags).text('vault')] = atMost(1, positionals)
  if (path === undefined || path === '') {
    throw new AgentMailError(
      'missing_arguments',
      'where is the vault to be?',
      'Write agentmail vault init <path>.',
    )
  }
  const { root, made } = await initMailVault(path)
  if (json) printJson({ vault: root, made })
  else {
    print(
      made.length > 0 ? `Made in ${line(root)}: ${made.join(', ')}` : 'It is all there already.',
    )
    print(`\nServe it to your agents, for example:\n\n  export VAULT_PATH=${shellWord(root)}`)
    print(`  claude mcp add obsidian --env VAULT_PATH=${shellWord(root)} -- agentmail mcp obsidian`)
    print(
      '\nagentmail orchestrate makes notes of new mail in it, and sends the replies that you approve.',
    )
  }
  return 0
}

async function ls({ flags, positionals, json }: Call): Promise<number> {
  const [directory = ''] = atMost(1, positionals)
  const vault = Vault.named(new Config(flags))
  const filter = typeof flags.filter === 'string' ? flags.filter : undefined
  const limit = countOf('limit', flags.limit) ?? Number.POSITIVE_INFINITY
  const notes: { path: string }[] = []
  let cursor: string | undefined
  do {
    const page = await listNotes(vault, { directory, filter, limit: limit - notes.length, cursor })
    for (const note of page.notes) notes.push(note) // too many to be arguments
    cursor = page.next_cursor
  } while (cursor !== undefined && notes.length < limit)
  if (json) printJson({ notes })
  else if (notes.length > 0) print(notes.map(({ path }) => line(path)).join('\n'))
  return 0
}

async function search({ flags, positionals, json }: Call): Promise<number> {
  const query = positionals.join(' ')
  if (query.trim() === '') {
    throw new AgentMailError(
      'missing_arguments',
      'what is to be found?',
      'Write agentmail vault search <words>.',
    )
  }
  const vault = Vault.named(new Config(flags))
  const progress = new ProgressLine(json)
  const notes = await scanNotes(
    vault,
    query,
    countOf('limit', flags.limit) ?? defaultHits,
    (count) => progress.tell(`${count} notes`),
  )
  progress.end()
  if (json) printJson({ notes })
  else if (notes.length === 0) print('No note holds all of these words.')
  else print(notes.map(({ path, snippet }) => `${line(path)}\n  ${line(snippet)}`).join('\n'))
  return 0
}

async function checkVault({ flags, positionals, json }: Call): Promise<number> {
  atMost(0, positionals)
  const vault = Vault.named(new Config(flags))
  const progress = new ProgressLine(json)
  const problems: NoteProblem[] = []
  let notes = 0
  for await (const problem of checkNotes(vault)) {
    notes++
    if (problem) problems.push(problem)
    progress.tell(`${notes} notes`)
  }
  progress.end()
  problems.sort((a, b) => (a.path < b.path ? -1 : 1))
  if (json) printJson({ notes, problems })
  else {
    for (const problem of problems) print(told(problem))
    const count =
      problems.length === 0 ? 'nothing that cannot be read' : `${problems.length} cannot be read`
    print(`${notes === 1 ? '1 note' : `${notes} notes`}, ${count}.`)
  }
  return problems.length === 0 ? 0 : 1
}

const told = ({ path, line: row, column, message }: NoteProblem): string =>
  line(row === null ? `${path}: ${message}` : `${path}:${row}:${column}: ${message}`)

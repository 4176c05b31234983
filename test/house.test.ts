/** The rules of the house that a reader cannot see from one file: layers, doors, and no shell. */
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { describe, expect, it } from 'vitest'

const src = join(import.meta.dirname, '../src')

/** From the top of the house down. A file imports from its own folder and from what stands below. */
const layers = [
  ['cli'],
  ['server'],
  ['tools', 'orchestrator'],
  ['email'],
  ['mailbox', 'coordination', 'vault'],
  ['store', 'email/providers'],
  ['.'],
]

const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter(
  (file) => file.endsWith('.ts') && !file.endsWith('.test.ts'),
)
const sources = files.map((file) => ({ file, text: readFileSync(join(src, file), 'utf8') }))

function layerOf(file: string): number {
  const folder = dirname(file)
  const isIn = (part: string) => folder === part || (part !== '.' && folder.startsWith(`${part}/`))
  const matches = layers.flatMap((parts, level) =>
    parts.filter(isIn).map((part) => ({ part, level })),
  )
  const best = matches.sort((a, b) => b.part.length - a.part.length)[0]
  if (!best) throw new Error(`${file} is in no layer: add its folder to the list`)
  return best.level
}

const partOf = (file: string) => dirname(file).split('/')[0]

describe('the house', () => {
  it('has imports that point downward only', () => {
    const upward = sources.flatMap(({ file, text }) =>
      [...text.matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+\.ts)'/g)]
        .map(([, path = '']) => relative(src, join(src, dirname(file), path)))
        .filter((target) => {
          const [own, other] = [layerOf(file), layerOf(target)]
          return other < own || (other === own && partOf(target) !== partOf(file))
        })
        .map((target) => `${file} → ${target}`),
    )
    expect(upward).toEqual([])
  })

  it('sees the imports it checks', () => {
    const imports = sources.flatMap(({ text }) => text.match(/'\.[^']+\.ts'/g) ?? [])
    expect(imports.length).toBeGreaterThan(50)
    expect(layerOf('cli/commands/send.ts')).toBeLessThan(layerOf('mailbox/post.ts'))
    expect(layerOf('email/providers/gmail.ts')).toBeGreaterThan(layerOf('email/send.ts'))
  })

  it('opens each danger through one door', () => {
    const doors: [RegExp, string[]][] = [
      [/child_process/, ['run-program.ts', 'cli/commands/mailman.ts']],
      [/process\.env/, ['config.ts']],
      [/randomBytes|randomUUID|Math\.random/, ['random.ts', 'mailbox/file-lock.ts']],
      [/@photostructure\/sqlite/, ['store/sqlite.ts']],
      // Files at paths from outside: none but folder.ts opens those of a vault.
      [
        /\b(open|readFile|writeFile|mkdir|readdir)Sync\(|create(Read|Write)Stream\(/,
        [
          'cli/demo-',
          'mailbox/',
          'server/open-outgoing.ts',
          'server/server-file.ts',
          'store/mysql-address.ts',
          'folder.ts',
          'make-folder.ts',
          'email/providers/secret-file.ts',
          'email/providers/gmail-places.ts',
          'email/audit.ts',
          'email/holder.ts',
          'email/providers/local-folder.ts',
          'orchestrator/approval/sends-under-way.ts',
          'orchestrator/state.ts',
          'vault/search/note-index.ts',
        ],
      ],
      [/'mysql2'/, ['store/mysql-connection.ts']],
      [
        /from 'node:https?'/,
        [
          'server/',
          'email/providers/gmail-redirect.ts',
          'email/providers/postmark-client.ts',
          'orchestrator/triage/bounded-post.ts',
        ],
      ],
      [/\bfetch\(/, ['server/remote-connection.ts', 'server/streamable-http.ts']],
      [
        /from '(?:openai|@anthropic-ai)/,
        ['orchestrator/triage/openai.ts', 'orchestrator/triage/anthropic.ts'],
      ],
      [/from 'postmark'/, ['email/providers/postmark']],
      [
        /from '@modelcontextprotocol/,
        ['server/', 'orchestrator/mcp/mcp-connection.ts', 'orchestrator/mcp/server-process.ts'],
      ],
    ]
    for (const [danger, allowed] of doors) {
      const users = sources.filter(({ text }) => danger.test(text)).map(({ file }) => file)
      const isAllowed = (file: string) => allowed.some((door) => file.startsWith(door))
      expect(users.filter((file) => !isAllowed(file))).toEqual([])
      expect(users).not.toEqual([])
    }
  })

  it('never starts a shell', () => {
    const shells = sources.filter(({ text }) =>
      /\bshell:|\bexecSync\b|\{ exec[ ,}]|'(?:sh|bash)'/.test(text),
    )
    expect(shells.map(({ file }) => file)).toEqual([])
  })

  it('says at the top of each file what it is for', () => {
    const silent = sources.filter(({ text }) => !text.startsWith('/** '))
    expect(silent.map(({ file }) => file)).toEqual([])
  })
})

/** The rules of the house that a reader cannot see from one file: layers, doors, and no shell. */
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { describe, expect, it } from 'vitest'

const src = join(import.meta.dirname, '../src')

/** From the top of the house down. A file imports from its own room and from the rooms below. */
const rooms = [
  'cli',
  'page',
  'setup',
  'server',
  'person',
  'orchestrator',
  'mcp',
  'hooks',
  'connection',
  'tools',
  'sessions',
  'addresses',
  'email',
  'mailbox',
  'vault',
  'coordination',
  'notices',
  'providers',
  'mime',
  'store',
  'system',
  '.',
]

const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter(
  (file) => /\.tsx?$/.test(file) && !/\.test\.tsx?$/.test(file),
)
const sources = files.map((file) => ({ file, text: readFileSync(join(src, file), 'utf8') }))

function layerOf(file: string): number {
  const level = rooms.indexOf(file.includes('/') ? (file.split('/')[0] ?? '') : '.')
  if (level === -1) throw new Error(`${file} is in no room: add its folder to the list`)
  return level
}

describe('the house', () => {
  it('has imports that point downward only', () => {
    const upward = sources.flatMap(({ file, text }) =>
      [...text.matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+\.tsx?)'/g)]
        .map(([, path = '']) => relative(src, join(src, dirname(file), path)))
        .filter((target) => layerOf(target) < layerOf(file))
        .map((target) => `${file} → ${target}`),
    )
    expect(upward).toEqual([])
  })

  it('sees the imports it checks', () => {
    const imports = sources.flatMap(({ text }) => text.match(/'\.[^']+\.ts'/g) ?? [])
    expect(imports.length).toBeGreaterThan(50)
    expect(layerOf('cli/commands/send.ts')).toBeLessThan(layerOf('mailbox/member.ts'))
    expect(layerOf('providers/gmail/gmail.ts')).toBeGreaterThan(layerOf('email/reading.ts'))
  })

  it('opens each danger through one door', () => {
    const doors: [RegExp, string[]][] = [
      [/child_process/, ['system/run-program.ts']],
      [/process\.env/, ['config.ts']],
      [/randomBytes|randomUUID|Math\.random/, ['system/random.ts']],
      [/@photostructure\/sqlite/, ['store/sqlite.ts', 'store/sqlite-driver.ts']],
      // Files at paths from outside: none but system/folder.ts opens those of a vault.
      [
        /\b(open|readFile|writeFile|mkdir|readdir)Sync\(|create(Read|Write)Stream\(/,
        [
          'cli/commands/demo/',
          'connection/server-note.ts',
          'email/outgoing/audit.ts',
          'mailbox/',
          'orchestrator/state.ts',
          'providers/gmail/places.ts',
          'providers/local/folder.ts',
          'server/page/page-files.ts',
          'store/database.ts',
          'store/mysql/address.ts',
          'system/',
        ],
      ],
      [/'mysql2'/, ['store/mysql/connection.ts']],
      [
        /(?:from |import\()'node:https?'/,
        ['server/', 'system/http-request.ts', 'providers/gmail/redirect.ts'],
      ],
      [/\bfetch\(/, ['page/', 'server/streamable-http.ts']],
      [/from '@modelcontextprotocol/, ['mcp/', 'server/', 'orchestrator/servers/']],
    ]
    for (const [danger, allowed] of doors) {
      const users = sources.filter(({ text }) => danger.test(text)).map(({ file }) => file)
      const isAllowed = (file: string) => allowed.some((door) => file.startsWith(door))
      expect(users.filter((file) => !isAllowed(file))).toEqual([])
      expect(users).not.toEqual([])
    }
  })

  it('has what is hard to get right in system/ alone', () => {
    const mechanisms = [/\b(rename|fsync|link)Sync\b|node:fs\/promises/, /\btryLock\b/]
    for (const mechanism of mechanisms) {
      const users = sources.filter(({ text }) => mechanism.test(text)).map(({ file }) => file)
      expect(users.filter((file) => !file.startsWith('system/'))).toEqual([])
      expect(users).not.toEqual([])
    }
  })

  it('has nowhere what Node 20 does badly: it tries for ever, or forgets a time-out', () => {
    const users = sources.filter(({ text }) =>
      /\bmkdir\w*\([^)]*recursive|AbortSignal\.any\(/.test(text),
    )
    expect(users.map(({ file }) => file)).toEqual([])
  })

  it('never starts a shell', () => {
    const shells = sources.filter(({ text }) =>
      /\bshell:|\bexecSync\b|\{ exec[ ,}]|'(?:sh|bash)'/.test(text),
    )
    expect(shells.map(({ file }) => file)).toEqual([])
  })

  it('exports no name twice, but for what each command and each toolset has', () => {
    const exported = /^export (?:async )?(?:function\*?|const|let|class|interface|type) (\w+)/gm
    const places = new Map<string, Set<string>>()
    // The page is a program of its own, for browsers.
    const programOf = (file: string) => (file.startsWith('page/') ? 'page ' : '')
    for (const { file, text } of sources) {
      for (const [, word = ''] of text.matchAll(exported)) {
        const name = programOf(file) + word
        places.set(name, (places.get(name) ?? new Set()).add(file))
      }
    }
    const twice = [...places].filter(([, found]) => found.size > 1).map(([name]) => name)
    expect(twice.sort()).toEqual(['command', 'tools'])
  })

  it('says at the top of each file what it is for', () => {
    const silent = sources.filter(({ text }) => !text.startsWith('/** '))
    expect(silent.map(({ file }) => file)).toEqual([])
  })
})

/** Files that are edited entry by entry, whatever they look like, and how a change is shown. */
import { describe, expect, it } from 'vitest'
import { unifiedDiff } from '../../src/setup/diff.ts'
import { JsonDocument } from '../../src/setup/json-document.ts'
import { withoutParagraph, withParagraph } from '../../src/setup/paragraph.ts'
import { TomlDocument } from '../../src/setup/toml-document.ts'
import { seededChoice } from '../support/seeded-random.ts'

/** JSON as no program writes it. */
function oddJson(choose: (below: number) => number, depth = 0): string {
  const gaps = ['', '', ' ', '\n', '\n\t', ' // a , } remark\n', '/* ] */', '\r\n  ']
  const gap = () => gaps[choose(gaps.length)] ?? ''
  const one = (): string => {
    const kind = depth > 3 ? 2 + choose(3) : choose(5)
    if (kind < 2) return oddJson(choose, depth + 1)
    return ['"a, \\" }//"', '-1.50e3', 'null'][kind - 2] ?? 'true'
  }
  const isList = depth > 0 && choose(2) === 0
  const items = Array.from({ length: choose(4) }, (_, index) =>
    isList ? `${gap()}${one()}${gap()}` : `${gap()}"k${index}"${gap()}:${gap()}${one()}${gap()}`,
  )
  const comma = items.length > 0 && choose(3) === 0 ? `,${gap()}` : gap()
  return `${isList ? '[' : '{'}${items.join(',')}${comma}${isList ? ']' : '}'}`
}

/** All but blanks and commas at an end. */
const essence = (text: string) => text.replaceAll(/\s/g, '').replaceAll(/,(?=[\]}])/g, '')

describe('a JSON document', () => {
  it('gets an entry and loses it, and is what it was but for blanks', () => {
    const choose = seededChoice()
    for (let round = 0; round < 500; round++) {
      const text = oddJson(choose)
      const document = new JsonDocument(text)
      const path = ['ours', 'k0', 'k1'].slice(choose(3)).filter((key) => key !== 'k0' || choose(2))
      const [first = ''] = path
      if (document.at([first]) !== undefined) continue
      document.set(path, { new: ['entry', { x: 1 }] })
      expect(document.at(path)).toEqual({ new: ['entry', { x: 1 }] })
      const comments = (all: string) => all.match(/\/\/ a , \} remark|\/\* \] \*\//g)
      expect(comments(document.text)).toEqual(comments(text))
      document.remove([first])
      expect(essence(document.text)).toBe(essence(text))
    }
  })

  it('is refused where a name stands in it twice, since it is not clear which one holds', () => {
    const document = new JsonDocument('{"a": {"x": 1}, "a": {"y": 2}}')
    expect(() => document.set(['a', 'z'], 3)).toThrow('cannot be changed safely')
    expect(document.text).toBe('{"a": {"x": 1}, "a": {"y": 2}}')
  })
})

describe('a TOML document', () => {
  it('gets, changes and loses a table, and every other byte stays', () => {
    const text = '[a.b] # x\nk = [\n "]", # [c]\n]\n\n[z]\ns = """\n[a.ours]\n"""'
    const document = new TomlDocument(text)
    document.set(['a', 'ours'], { one: 'x', two: ['y'] })
    document.set(['a', 'ours'], { two: ['z'], env: { V: '1' } })
    expect(document.text).toBe(`${text}\n\n[a.ours]\ntwo = [ "z" ]\nenv = { V = "1" }\n`)
    document.remove(['a', 'ours'])
    expect(document.text).toBe(`${text}\n`)
  })
})

describe('the paragraph', () => {
  it.each(['', '# Mine\n', '# Mine\r\n\r\nText\r\n', '\ufeff# Mine\n'])(
    'comes and goes: %j',
    (text) => {
      const after = withParagraph(text)
      expect(withParagraph(after)).toBe(after)
      expect(after.startsWith(text)).toBe(true)
      expect(withoutParagraph(after)).toBe(text)
      expect(withoutParagraph(after.replace('AgentMail', 'Older words'))).toBe(text)
    },
  )
})

describe('a diff', () => {
  it('is as diff -u writes it', () => {
    const lines = Array.from({ length: 20 }, (_, index) => `line ${index + 1}\n`)
    const after = lines.with(9, 'other\n').toSpliced(19, 0, 'more\n')
    expect(unifiedDiff('/f', lines.join(''), after.join('').trimEnd()).split('\n')).toEqual([
      ...['--- /f', '+++ /f', '@@ -7,7 +7,7 @@', ' line 7', ' line 8', ' line 9', '-line 10'],
      ...[
        '+other',
        ' line 11',
        ' line 12',
        ' line 13',
        '@@ -17,4 +17,5 @@',
        ' line 17',
        ' line 18',
      ],
      ...[' line 19', '-line 20', '+more', '+line 20', '\\ No newline at end of file'],
    ])
    expect(unifiedDiff('/f', 'a', 'a')).toBe('')
  })
  it('shows no secret of the neighbours, and our own lines as they are', () => {
    const secrets = [
      'sk-ant-api03-abcdefgh12345678',
      'plainword',
      'hunter2',
      'pa$word{1}',
      'ghp_0123456789abcdefghij',
      'in-the-environment',
      `Bearer \${A}leak`,
    ]
    const [sk, word, pg, odd, gh, env, half] = secrets
    const before = `{
  "args": ["--api-key", "${sk}", "--token",
    "${word}",
    "postgres://admin:${pg}@db/x", "--verbose"],
  "env": { "PGPASSWORD": "${odd}", "GIT": "${gh}", "PLACE": "${env}", "apiKey": "${half}" },
  "headers": { "Authorization": "Bearer $TOKEN", "x-api-key": "\${KEY}", "token": "{env:T}" },
  "last": "${gh}"
}
`
    const ours = '"mine": { "Authorization": "Bearer sk-ours-0123456789", "API_KEY": "own" }'
    const after = before.replace(`"last": "${gh}"`, `"last": "${gh}",\n  ${ours}`)
    const diff = unifiedDiff('/f', before, after)
    const onOneLine = unifiedDiff('/f', before.replaceAll('\n', ' '), after.replaceAll('\n', ' '))
    for (const shown of [diff, onOneLine, unifiedDiff('/f', before, undefined)]) {
      expect(secrets.filter((secret) => shown.includes(secret))).toEqual([])
      expect(shown).toContain(`"Authorization": "Bearer $TOKEN", "x-api-key": "\${KEY}"`)
      expect(shown).toContain('"token": "{env:T}"')
      expect(shown).toContain('"--verbose"')
    }
    expect(diff.split('\n')).toContain(`+  ${ours}`)
    expect(onOneLine).toContain(ours)
  })
})

/** The documents hold what they say: links, commands, flags and settings that there are. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type Command, commonOptions, helpOf } from '../src/cli/command.ts'
import { commands } from '../src/cli/commands.ts'
import { settings } from '../src/settings.ts'

const root = join(import.meta.dirname, '..')
const files = [
  'README.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  'CHANGELOG.md',
  'bench/README.md',
  ...readdirSync(join(root, 'docs'))
    .filter((file) => file.endsWith('.md'))
    .map((file) => `docs/${file}`),
]
const pages = files.map((file) => ({ file, text: textOf(file) }))

describe('the documents', () => {
  it('link to files and headings that there are', () => {
    const links = pages.flatMap(({ file, text }) =>
      [...withoutCode(text).matchAll(/\]\(([^)\s]+)\)/g)]
        .map(([, target = '']) => target)
        .filter((target) => !/^[a-z]+:/.test(target))
        .map((target) => ({ file, target })),
    )
    expect(links.length).toBeGreaterThan(30)
    expect(links.filter(({ file, target }) => !leadsSomewhere(file, target))).toEqual([])
    expect(leadsSomewhere('README.md', 'docs/nowhere.md')).toBe(false)
    expect(leadsSomewhere('README.md', 'docs/settings.md#nowhere')).toBe(false)
  })

  it('begin with a README of two screens', () => {
    expect(textOf('README.md').trimEnd().split('\n').length).toBeLessThanOrEqual(130)
  })

  it('name commands, subcommands and flags that there are', async () => {
    const calls = pages.flatMap(({ file, text }) => callsIn(text).map((call) => ({ file, call })))
    expect(calls.length).toBeGreaterThan(60)
    const untrue = []
    for (const { file, call } of calls) {
      const wrong = await whatIsWrong(call)
      if (wrong) untrue.push(`${file}: ${call}: ${wrong}`)
    }
    expect(untrue).toEqual([])
    expect(await whatIsWrong('agentmail frobnicate')).toBe('no such command')
    expect(await whatIsWrong('agentmail vault shred')).toBe('no such subcommand')
    expect(await whatIsWrong('agentmail vault ls --follow')).toBe('no --follow')
  })

  it('tell the exit codes that the help tells', async () => {
    const reference = textOf('docs/commands.md')
    for (const [name, load] of Object.entries(commands)) {
      const { command } = await load()
      for (const [code, meaning] of Object.entries(command.exitCodes ?? {})) {
        expect(helpOf(name, command)).toMatch(new RegExp(`^  ${code} +\\S`, 'm'))
        expect(helpOf(name, command)).toContain(meaning)
        expect(reference).toContain(`| ${code} | ${meaning} |`)
      }
    }
  })

  it('name settings that there are', () => {
    const known = new Set<string>(Object.values(settings).map(({ env }) => env))
    const named = pages.flatMap(({ file, text }) =>
      [...text.matchAll(/\b(?:AGENTMAIL_[A-Z_]+|[A-Z]+_MCP_SERVER)\b/g)].map(([env]) => ({
        file,
        env,
      })),
    )
    expect(named.length).toBeGreaterThan(50)
    expect(named.filter(({ env }) => !known.has(env))).toEqual([])
  })
})

function textOf(file: string): string {
  return readFileSync(join(root, file), 'utf8')
}

function withoutCode(text: string): string {
  return text.replace(/^```[\s\S]*?^```/gm, '').replace(/`[^`\n]*`/g, 'code')
}

function leadsSomewhere(file: string, target: string): boolean {
  const [path = '', anchor] = target.split('#')
  const place = path === '' ? file : join(dirname(file), path)
  if (!existsSync(join(root, place))) return false
  return anchor === undefined || anchorsOf(place).includes(anchor)
}

/** The headings of a page, as links name them. */
function anchorsOf(file: string): string[] {
  const text = textOf(file).replace(/^```[\s\S]*?^```/gm, '')
  return [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  )
}

/** Everything that a page writes as a call of the binary, up to its end, a pipe, or a comment. */
function callsIn(text: string): string[] {
  const blocks = text.match(/^```[\s\S]*?^```/gm) ?? []
  const spans = text.replace(/^```[\s\S]*?^```/gm, '').match(/`[^`\n]*`/g) ?? []
  return [...blocks, ...spans].flatMap((code) =>
    [...code.matchAll(/(?:^|`|&&|\||--|"|\$\(|\w=\S*)\s*(agentmail [a-z][^\n`#&]*)/gm)].map(
      ([, call = '']) => call.trim(),
    ),
  )
}

/** A call may name several subcommands at once, as in `mail list|show`. */
async function whatIsWrong(call: string): Promise<string | undefined> {
  const [, name = '', ...words] = call.replace(/'[^']*'|"[^"]*"/g, 'text').split(/\s+/)
  const load = Object.hasOwn(commands, name) ? commands[name] : undefined
  if (!load) return name === 'help' ? undefined : 'no such command'
  const { command } = await load()
  const forms = command.usage.split(' | ').map((form) => form.match(/^\[?([a-z]+)/)?.[1])
  if (forms.length > 1 && forms.every((form) => form !== undefined)) {
    const named = words[0]?.match(/^\[?([a-z|]+)/)?.[1]?.split('|') ?? []
    if (named.some((word) => !forms.includes(word))) return 'no such subcommand'
  }
  const options: NonNullable<Command['options']> = { ...command.options, ...commonOptions }
  const names = Object.entries(options).flatMap(([long, { short }]) => [`--${long}`, `-${short}`])
  const unknown = words
    .filter((word) => /^-{1,2}[a-z]/.test(word))
    .map((word) => word.replace(/[^a-z-].*$/, ''))
    .find((flag) => !names.includes(flag))
  return unknown && `no ${unknown}`
}

/** Whole notes made up at random, in the pieces they are made of. */
import { RandomYaml } from './random-yaml.ts'
import type { Pair } from './tricky-notes.ts'

export interface RandomNote {
  bom: '' | '\ufeff'
  open: string
  pieces: (string | Pair)[]
  close: string
  body: string
  /** For each key with an alias, the key with the anchor. */
  links: Map<string, string>
  isBraced: boolean
}

export function randomNote(random: () => number): RandomNote {
  const yaml = new RandomYaml(random)
  const isBraced = yaml.chance(0.1)
  const links = new Map<string, string>()
  const lineEnd = yaml.pick(['\n', '\n', '\r\n'])
  const pieces = isBraced ? braced(yaml) : lines(yaml, links)
  const ended = (text: string) => text.replaceAll(/\r?\n/g, lineEnd)
  return {
    bom: yaml.pick(['', '', '\ufeff']),
    open: ended(yaml.pick(['---\n', '--- \t\n'])),
    pieces: pieces.map((one) =>
      typeof one === 'string' ? ended(one) : { ...one, source: ended(one.source) },
    ),
    close: ended(yaml.pick(['---\n', '---  \n'])),
    body: yaml.pick(
      ['', 'Text.\n', '---\nx: 1\n---\n', '\r\ntext', `# Title\n\n${yaml.text()}`].map((one) =>
        one.replaceAll('\ud800', ''),
      ),
    ),
    links,
    isBraced,
  }
}

function keysOf(yaml: RandomYaml): [key: string, source: string][] {
  const keys = yaml.several(7, () => yaml.key()).map(({ key, source }) => [key, source] as const)
  return [...new Map(keys)]
}

function lines(yaml: RandomYaml, links: Map<string, string>): (string | Pair)[] {
  const indent = yaml.pick(['', '', '', '  '])
  const anchored: { key: string; name: string; value: unknown }[] = []
  const pieces = keysOf(yaml).flatMap(([key, keySource]): (string | Pair)[] => {
    const between = yaml.pick(['', '', '', '# above\n', '\n', `${indent}# x\n\n# y\n`])
    const loose = loosened(between)
    const target = anchored.length > 0 && yaml.chance(0.3) ? yaml.pick(anchored) : undefined
    if (target) {
      links.set(key, target.key)
      const source = `${indent}${keySource}: *${target.name}${yaml.pick(['', ' # c'])}\n`
      return [...loose, { key, source, value: target.value }]
    }
    const { source, value } = yaml.value(indent)
    const isExplicit = yaml.chance(0.1)
    const name = `a${anchored.length}`
    const canAnchor = yaml.chance(0.3) && !isExplicit && !/^[ \t]+!!|^\n\S| \|/.test(source)
    if (canAnchor) anchored.push({ key, name, value })
    const start = isExplicit ? `? ${keySource}\n${indent}:` : `${keySource}:`
    return [
      ...loose,
      { key, source: `${indent}${start}${canAnchor ? ` &${name}` : ''}${source}`, value },
    ]
  })
  return [...pieces, ...loosened(yaml.pick(['', '', '# last\n', '\n', '  \n']))]
}

/** A comment first, so that a block above does not take blanks for its own. */
const loosened = (text: string) => (text ? [text.startsWith('#') ? text : `#\n${text}`] : [])

function braced(yaml: RandomYaml): (string | Pair)[] {
  const comma = yaml.pick([', ', ',\n  ', ', # c\n  '])
  const pairs = keysOf(yaml).flatMap(([key]): (string | Pair)[] => {
    const { source, value } = yaml.inBrackets()
    return [comma, { key, source: `${JSON.stringify(key)}: ${source}`, value }]
  })
  return ['{', ...pairs.slice(1), yaml.pick(['', ',', '\n']), '}\n'].filter(
    (one, _, all) => one !== ',' || all.length > 3,
  )
}

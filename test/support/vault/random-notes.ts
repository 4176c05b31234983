/** Whole notes made up at random, in the pieces they are made of. */
import { type Pair, sourceOf } from './note-pieces.ts'
import { RandomYaml } from './random-yaml.ts'

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
  const anchored: (Pair & { name: string })[] = []
  const pieces: (string | Pair)[] = []
  const between = ['', '', '', '# above\n', '\n', `${indent}# x\n\n# y\n`, `\n${indent}   # deep\n`]
  for (const [key, keySource] of keysOf(yaml)) {
    pieces.push(...loose(yaml.pick(between), pieces))
    const target = anchored.length > 0 && yaml.chance(0.3) ? yaml.pick(anchored) : undefined
    const { source, value } = target
      ? { source: ` *${target.name}${yaml.pick(['', ' # c'])}\n`, value: target.value }
      : yaml.value(indent)
    if (target) links.set(key, target.key)
    const isExplicit = yaml.chance(0.1)
    const canAnchor = !target && !isExplicit && !/^[ \t]+!!|^\n\S| \|/.test(source)
    const name = canAnchor && yaml.chance(0.3) ? `a${anchored.length}` : ''
    const start = isExplicit ? `? ${keySource}\n${indent}:` : `${keySource}:`
    const pair = { key, source: `${indent}${start}${name && ` &${name}`}${source}`, value }
    if (name) anchored.push({ ...pair, name })
    pieces.push(pair)
  }
  return [...pieces, ...loose(yaml.pick(['', '', '# last\n', '\n', '  \n']), pieces)]
}

/** After a block, a comment first: the block would take blanks for its own. */
function loose(text: string, above: (string | Pair)[]): string[] {
  const isBelowBlock = /^[^#]/.test(text) && sourceOf(above.at(-1) ?? '').includes('|')
  return text ? [isBelowBlock ? `#\n${text}` : text] : []
}

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

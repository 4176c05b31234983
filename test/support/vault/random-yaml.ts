/** YAML in every style that people and programs write, made up at random, together with what it means. */

/** What follows a colon or a dash, up to and with its last line end. */
export interface Written {
  source: string
  value: unknown
}

const words = ['one', 'two words', 'b#c', 'a:b', "it's", 'x, y', '日本', '🎉', 'e\u0301', 'a-b']
const odd = ['', ' ', '#', ': ', ' #', '"', "'", '\\', '\t', '@', '%', '[', '}', '-', '---', '...']
const breaks = ['\r', '\n', '\n\n', '\u0085', '\u2028']
const rare = [...breaks, '\0', '\x1b', '\ufeff', '\ud800', '  ', '|', '>']
const texts = ['2026-01-01', '12:30', '1.2.3', '1_000', 'yes', '0o9', '-x', '.hidden', '__proto__']
const plainValues: [string, unknown][] = [
  ...[...words, ...texts].map((word): [string, unknown] => [word, word]),
  ['42', 42],
  ['-7', -7],
  ['01234', 1234],
  ['0x1F', 31],
  ['1.50', 1.5],
  ['-0', 0],
  ['.nan', null],
  ['1e400', null],
  ['9007199254740993', '9007199254740993'],
  ['true', true],
  ['False', false],
  ['null', null],
  ['~', null],
]

export class RandomYaml {
  readonly #random: () => number

  constructor(random: () => number) {
    this.#random = random
  }

  /** A whole number from 0 up to the limit. */
  below = (limit: number): number => Math.floor(this.#random() * limit)
  chance = (share: number): boolean => this.#random() < share
  several = <T>(limit: number, make: () => T, least = 0): T[] =>
    Array.from({ length: least + this.below(limit) }, make)

  pick<T>(from: readonly T[]): T {
    const one = from[this.below(from.length)]
    if (one === undefined) throw new Error('nothing to pick from')
    return one
  }

  /** Text that is hard to write. */
  text = (): string => this.several(5, () => this.pick([...words, ...odd, ...rare])).join('')

  json(depth = 0): unknown {
    const kind = this.below(depth > 2 ? 6 : 9)
    if (kind < 3) return this.text()
    if (kind === 3)
      return this.pick([...words, ...texts, '', 'null', '42', '[[X]]', 'a\nb', 'a\nb\n'])
    if (kind === 4) return this.pick([0, 1, -1.5, 1e21, 2 ** 53, 1e-7, 1e300, -42])
    if (kind === 5) return this.pick([null, true, false, [], {}])
    if (kind === 6) return this.several(4, () => this.json(depth + 1))
    return Object.fromEntries(this.several(4, () => [this.text(), this.json(depth + 1)]))
  }

  /** A value behind a key whose lines begin with this indentation. */
  value(indent: string, depth = 0): Written {
    const kind = this.below(depth > 2 ? 5 : 9)
    if (kind < 2) return this.#line(this.#scalar(), depth)
    if (kind === 2) return this.#block(indent, depth)
    if (kind === 3) return this.#overLines(indent)
    if (kind === 4) return { source: `${this.#comment()}\n`, value: null }
    if (kind === 5) return this.#line(this.#flow(depth), depth)
    return kind === 6 ? this.#map(indent, depth) : this.#list(indent, depth)
  }

  key(): { source: string; key: string } {
    const [plain] = this.pick(plainValues)
    const key = this.chance(0.5) ? plain : this.text()
    if (key === plain && !plain.includes('#') && this.chance(0.7)) return { source: plain, key }
    return { source: this.#quoted(key), key }
  }

  #comment = () => this.pick(['', '', '', ' # c', '\t# tab', '   #', '  ', '\t'])

  #line({ source, value }: Written, depth: number): Written {
    const gap = this.pick([' ', ' ', ' ', '   ', depth === 0 ? '\t' : ' '])
    const property = this.chance(0.1) && typeof value === 'string' ? '!!str ' : ''
    return { source: `${gap}${property}${source}${this.#comment()}\n`, value }
  }

  #scalar(): Written {
    if (this.chance(0.6)) {
      const [source, value] = this.pick(plainValues)
      return { source, value }
    }
    const value = this.text()
    return { source: this.#quoted(value), value }
  }

  #quoted(value: string): string {
    const isFit = !rare.some((one) => value.includes(one))
    if (isFit && this.chance(0.5)) return `'${value.replaceAll("'", "''")}'`
    return JSON.stringify(value)
  }

  #flow(depth: number): Written {
    const comma = this.pick([', ', ',', ' , '])
    if (this.chance(0.5)) {
      const items = this.several(4, () => this.inBrackets(depth))
      const source = items.map((item) => item.source).join(comma)
      return { source: `[${source}]`, value: items.map((item) => item.value) }
    }
    const items = new Map(this.several(4, () => [this.text(), this.inBrackets(depth)]))
    const pairs = [...items].map(([key, item]) => `${JSON.stringify(key)}: ${item.source}`)
    const values = [...items].map(([key, item]) => [key, item.value])
    return { source: `{${pairs.join(comma)}}`, value: Object.fromEntries(values) }
  }

  /** A value that can stand between brackets. */
  inBrackets(depth = 0): Written {
    if (depth < 2 && this.chance(0.3)) return this.#flow(depth + 1)
    const { source, value } = this.#scalar()
    return /^[^"'].*[,[\]{}]/.test(source)
      ? { source: JSON.stringify(source), value: source }
      : { source, value }
  }

  #list(indent: string, depth: number): Written {
    const inner = indent + this.pick(['', '  ', '    '])
    const items = this.several(3, () => this.value(`${inner}  `, depth + 1), 1)
    const source = items.map((item) => `${inner}-${item.source}`).join('')
    return { source: `${this.#comment()}\n${source}`, value: items.map((item) => item.value) }
  }

  #map(indent: string, depth: number): Written {
    const inner = indent + this.pick(['  ', '   '])
    const keys = new Map(this.several(3, () => this.key(), 1).map((one) => [one.key, one]))
    const pairs = [...keys.values()].map((one) => ({ ...one, item: this.value(inner, depth + 1) }))
    const lines = pairs.map(({ source, item }) => `${inner}${source}:${item.source}`).join('')
    const value = Object.fromEntries(pairs.map(({ key, item }) => [key, item.value]))
    return { source: `${this.#comment()}\n${lines}`, value }
  }

  /** A literal block: its text ends as its chomping says, its indicator counts from the key. */
  #block(indent: string, depth: number): Written {
    const inner = indent + this.pick([' ', '  ', '     '])
    const more = this.several(3, () =>
      this.pick(['', 'x', '  more', '# no comment', '- y', 'k: v']),
    )
    const last = ['first', ...more].join('\n').trimEnd()
    const chomping = this.pick(['', '-', '+'])
    const size = depth === 0 && this.chance(0.3) ? String(inner.length - indent.length) : ''
    const tail = chomping === '+' ? this.below(3) : 0
    const body = last
      .split('\n')
      .map((line) => (line ? inner + line : ''))
      .join('\n')
    const source = ` |${size}${chomping}${this.pick(['', ' # c'])}\n${body}\n${'\n'.repeat(tail)}`
    return { source, value: last + (chomping === '-' ? '' : '\n') + '\n'.repeat(tail) }
  }

  #overLines(indent: string): Written {
    const inner = `${indent}  `
    const quote = this.pick(['', '"', "'"])
    const source = `${this.pick([' ', `\n${inner}`])}${quote}one\n${inner}two\n\n${inner}three${quote}`
    return { source: `${source}${this.#comment()}\n`, value: 'one two\nthree' }
  }
}

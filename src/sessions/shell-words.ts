/** A shell command in words and operators, as far as they can be read without running anything. */

export type ShellToken =
  /** `isPlain`: it stands for itself, with no variable, pattern or command in it. */
  | { kind: 'word'; text: string; isPlain: boolean }
  /** What ends a command, or `(` and `)`. */
  | { kind: 'end'; text: string }
  /** `>`, whose target follows. */
  | { kind: 'redirect'; isOutput: boolean }

/** What is longer is not read to its end. */
const longest = 100_000

const blank = /[ \t]/
const ends = /[;&|()\n]/
/** In a word they stand for something else, unless they are quoted. */
const unplain = /[$`*?[\]{}~!]/

export function shellTokens(command: string): ShellToken[] {
  return new Tokens(command.slice(0, longest).replace(/\r\n/g, '\n')).read()
}

class Tokens {
  readonly #text: string
  readonly #found: ShellToken[] = []
  /** The words that end the texts which begin on the next line. */
  #textEnds: string[] = []
  #at = 0

  constructor(text: string) {
    this.#text = text
  }

  read(): ShellToken[] {
    while (this.#at < this.#text.length) this.#next()
    return this.#found
  }

  #next(): void {
    const character = this.#text[this.#at] ?? ''
    if (blank.test(character)) this.#at++
    else if (character === '#') this.#at = this.#lineEnd()
    else if (/\d/.test(character) && this.#numberedRedirect()) return
    else if (this.#starts('&>>') || this.#starts('&>')) {
      this.#at++
      this.#redirect()
    } else if (character === '>' || character === '<') this.#redirect()
    else if (ends.test(character)) this.#end(character)
    else this.#found.push(this.#word())
  }

  #numberedRedirect(): boolean {
    let at = this.#at
    while (/\d/.test(this.#text[at] ?? '')) at++
    if (this.#text[at] !== '>' && this.#text[at] !== '<') return false
    this.#at = at
    this.#redirect()
    return true
  }

  #redirect(): void {
    if (this.#starts('<<') && !this.#starts('<<<')) {
      this.#textBegins()
    } else if (this.#starts('<(') || this.#starts('>(')) {
      this.#at += 2 // a command in the place of a file
      this.#found.push({ kind: 'end', text: '(' })
    } else {
      const isOutput = this.#text[this.#at] === '>'
      const sign = ['<<<', '>>', '>|', '<>', '>&', '<&'].find((one) => this.#starts(one))
      this.#at += sign?.length ?? 1
      // `2>&1` names no file, `>& file` does.
      const isNumber = sign === '>&' && /[\d-]/.test(this.#text[this.#at] ?? '')
      this.#found.push({ kind: 'redirect', isOutput: isOutput && !isNumber })
    }
  }

  /** `<<EOF`: what follows on the next lines is no command. */
  #textBegins(): void {
    this.#at += 2
    if (this.#text[this.#at] === '-') this.#at++
    while (blank.test(this.#text[this.#at] ?? '')) this.#at++
    this.#textEnds.push(this.#word().text)
  }

  #end(character: string): void {
    this.#at++
    this.#found.push({ kind: 'end', text: character })
    if (character !== '\n') return
    for (const end of this.#textEnds.splice(0)) {
      while (this.#at < this.#text.length) {
        const lineEnd = this.#lineEnd()
        const line = this.#text.slice(this.#at, lineEnd)
        this.#at = lineEnd + 1
        if (line.replace(/^\t+/, '') === end) break
      }
    }
  }

  #word(): { kind: 'word'; text: string; isPlain: boolean } {
    let text = ''
    let isPlain = true
    for (; this.#at < this.#text.length; this.#at++) {
      const character = this.#text[this.#at] ?? ''
      if (blank.test(character) || ends.test(character) || /[<>]/.test(character)) break
      if (character === '\\') {
        this.#at++
        if (this.#text[this.#at] !== '\n') text += this.#text[this.#at] ?? ''
      } else if (character === "'") {
        const close = this.#text.indexOf("'", this.#at + 1)
        const end = close === -1 ? this.#text.length : close
        text += this.#text.slice(this.#at + 1, end)
        this.#at = end
      } else if (character === '"') {
        const quoted = this.#quoted()
        text += quoted.text
        isPlain &&= quoted.isPlain
      } else {
        if (unplain.test(character)) isPlain = false
        if (character === '$' && this.#text[this.#at + 1] === '(') this.#passCommand()
        else text += character
      }
    }
    return { kind: 'word', text, isPlain }
  }

  /** In double quotes, up to the last of which it goes. */
  #quoted(): { text: string; isPlain: boolean } {
    let text = ''
    let isPlain = true
    for (this.#at++; this.#at < this.#text.length; this.#at++) {
      const character = this.#text[this.#at] ?? ''
      if (character === '"') break
      if (character === '\\') {
        const next = this.#text[++this.#at] ?? ''
        text += /["\\$`]/.test(next) ? next : next === '\n' ? '' : `\\${next}`
        continue
      }
      if (character === '$' || character === '`') isPlain = false
      if (character === '$' && this.#text[this.#at + 1] === '(') this.#passCommand()
      else text += character
    }
    return { text, isPlain }
  }

  /** `$(…)` is passed over, up to its last character. */
  #passCommand(): void {
    let depth = 0
    for (; this.#at < this.#text.length; this.#at++) {
      const character = this.#text[this.#at]
      if (character === '(') depth++
      else if (character === ')' && --depth === 0) return
      else if (character === '\\') this.#at++
      else if (character === "'" || character === '"') {
        const close = this.#text.indexOf(character, this.#at + 1)
        this.#at = close === -1 ? this.#text.length : close
      }
    }
  }

  #lineEnd(): number {
    const end = this.#text.indexOf('\n', this.#at)
    return end === -1 ? this.#text.length : end
  }

  #starts(text: string): boolean {
    return this.#text.startsWith(text, this.#at)
  }
}

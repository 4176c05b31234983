/** Notes that must not be read, each with the line and column of the first thing that is wrong. */

export interface BrokenNote {
  name: string
  bytes: Buffer
  line: number
  column: number
}

const broken = (name: string, yaml: string, line: number, column: number): BrokenNote => ({
  name,
  bytes: Buffer.from(`---\n${yaml}---\nBody.\n`),
  line,
  column,
})

const whole = (name: string, text: string | Buffer, line: number, column: number): BrokenNote => ({
  name,
  bytes: Buffer.from(text),
  line,
  column,
})

/** Nine aliases for each one before: a thousand million values in ten lines. */
const bomb = Array.from(
  { length: 9 },
  (_, level) =>
    `${'bcdefghij'[level]}: &${'bcdefghij'[level]} [${`*${'abcdefghi'[level]}, `.repeat(9)}]\n`,
).join('')

export const brokenNotes: BrokenNote[] = [
  broken('a key twice', 'a: 1\nb: 2\na: 3\n', 4, 1),
  broken('a key twice, once in quotes', '"a": 1\na: 3\n', 3, 1),
  broken('a number as key beside its text', '1: x\n"1": y\n', 3, 1),
  broken('a nested key twice', 'a:\n  b: 1\n  b: 2\n', 4, 3),
  broken('a key twice in braces', 'x: {a: 1, b: 2, a: 3}\n', 2, 17),
  broken('a key twice after emoji', 'x: {😀: 1, a: 2, a: 3}\n', 2, 17),
  broken('a key twice as alias', '&k a: 1\n*k : 2\n', 3, 1),
  broken('__proto__ twice', '__proto__: 1\n__proto__: 2\n', 3, 1),
  broken('a value that opens with @', 'a: 1\nb: @value\n', 3, 4),
  broken('a value that opens with a backtick', 'a: `code`\n', 2, 4),
  broken('a value that opens with a percent sign', 'a: %x\n', 2, 4),
  broken('an unquoted colon', 'subject: Re: x\n', 2, 10),
  broken('a list at the root', '- a\n- b\n', 2, 1),
  broken('a list in brackets at the root', '[a, b]\n', 2, 1),
  broken('a word at the root', 'hello\n', 2, 1),
  broken('a number at the root', '# c\n42\n', 3, 1),
  broken('null at the root', '~\n', 2, 1),
  broken('an empty text at the root', '""\n', 2, 1),
  broken('an alias at the root', '*a\n', 2, 1),
  broken('a tab as indentation', 'a:\n\tb: 1\n', 3, 1),
  broken('an unknown alias', 'a: 1\nb: [x, *nobody]\n', 3, 8),
  broken('an alias before its anchor', 'a: *x\nb: &x 1\n', 2, 4),
  broken('an alias inside of its anchor', 'a: &x [1, *x]\n', 2, 11),
  broken('an alias of the root', '&x\na: *x\n', 3, 4),
  broken('a bomb of aliases', `a: &a [1, 2, 3, 4, 5, 6, 7, 8, 9]\n${bomb}`, 6, 8),
  broken('a bomb of text', `a: &a "${'x'.repeat(70_000)}"\nb: [${'*a, '.repeat(60)}]\n`, 3, 241),
  broken('a second document', 'a: 1\n--- # two\nb: 2\n', 3, 1),
  broken('something after the end of the document', 'a: 1\n...\nb: 2\n', 4, 1),
  broken('an unclosed double quote', 'a: "x\nb: 1\n', 2, 4),
  broken('an unclosed single quote', "a: 'x\n", 2, 4),
  broken('an unclosed bracket', 'a: [1, 2\nb: 3\n', 2, 4),
  broken('an unclosed brace', 'a: {b: [1]\n', 2, 4),
  broken('a closing bracket too many', 'a: 1]\nb: [1]]\n', 3, 7),
  broken('a line that is no pair', 'a: 1\nhello\nb: 2\n', 3, 1),
  broken('an indentation that fits nothing', 'a:\n    b: 1\n  c: 2\n', 4, 1),
  broken('an unknown escape', 'a: "\\q"\n', 2, 5),
  broken('two anchors for one value', 'a: &x &y 1\n', 2, 7),
  broken('an anchor for an alias', 'a: &x 1\nb: &y *x\n', 3, 7),
  broken('text behind a quote', 'a: "x" y\n', 2, 8),
  broken('nesting without end', `a: ${'['.repeat(10_000)}\n`, 2, 102),
  whole('an unclosed fence', '---\na: 1\n', 1, 1),
  whole('an unclosed fence after a BOM', '\ufeff---\r\na: 1\r\n--- x\r\n', 1, 1),
  whole('an error after a BOM', '\ufeff---\r\na: 1\r\nb: @x\r\n---\r\n', 3, 4),
  whole('a byte that is not UTF-8', Buffer.from('---\ntitle: caf\xe9\n---\n', 'latin1'), 2, 11),
  whole(
    'a bad byte after characters of several bytes, in the body',
    Buffer.concat([Buffer.from('---\na: 1\n---\nä😀\ufffd'), Buffer.from([0x80, 0x41])]),
    4,
    4,
  ),
  whole(
    'a bad byte on the first line after a BOM',
    Buffer.concat([Buffer.from('\ufeffab'), Buffer.from([0xff])]),
    1,
    3,
  ),
  whole(
    'a character cut short at the end',
    Buffer.concat([Buffer.from('---\na: 1\n---\nx'), Buffer.from([0xf0, 0x9f, 0x98])]),
    4,
    2,
  ),
]

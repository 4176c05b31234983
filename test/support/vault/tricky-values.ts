/** Notes whose values are easy to damage. */
import { note, pair, type TrickyNote } from './note-pieces.ts'

const long = 'word '.repeat(400).trim()

export const trickyValues: TrickyNote[] = [
  note('quotes of every style', [
    pair("single: 'it''s'\n", 'single', "it's"),
    pair('double: "a \\"b\\" \\u263a \\x41\\t"\n', 'double', 'a "b" ☺ A\t'),
    pair('plain: it\'s "so"\n', 'plain', 'it\'s "so"'),
    pair("number: '42'\n", 'number', '42'),
    pair('empty: ""\n', 'empty', ''),
    pair("none: ''  # two\n", 'none', ''),
  ]),
  note(
    'anchors and aliases',
    [
      pair('base: &base {x: 1}\n', 'base', { x: 1 }),
      pair('list:\n  - *base\n  - &two 2\n', 'list', [{ x: 1 }, 2]),
      pair('two: *two # same\n', 'two', 2),
      pair('other: 3\n', 'other', 3),
    ],
    {
      tied: new Map([
        ['base', ['list', 'two']],
        ['list', ['two']],
      ]),
    },
  ),
  note(
    'merge keys',
    [
      pair('base: &b\n  x: 1\n', 'base', { x: 1 }),
      pair('sub:\n  <<: *b\n  y: 2\n', 'sub', { '<<': { x: 1 }, y: 2 }),
      pair('<<: *b\n', '<<', { x: 1 }),
    ],
    { tied: new Map([['base', ['sub', '<<']]]) },
  ),
  note(
    'an anchor used twice',
    [
      pair('a: &x 1\n', 'a', 1),
      pair('b: *x\n', 'b', 1),
      pair('c: &x 2\n', 'c', 2),
      pair('d: *x\n', 'd', 2),
    ],
    {
      tied: new Map([
        ['a', ['b']],
        ['c', ['d']],
      ]),
    },
  ),
  note('literal blocks with every chomping', [
    pair('clip: |\n  x\n', 'clip', 'x\n'),
    '\n',
    pair('strip: |-\n  x\n', 'strip', 'x'),
    '\n',
    pair('keep: |+\n  x\n\n', 'keep', 'x\n\n'),
    pair('comment: | # c\n  # no comment\n  x\n', 'comment', '# no comment\nx\n'),
    '# comment\n',
    pair('nothing: |\n', 'nothing', ''),
  ]),
  note('indentation indicators', [
    pair('two: |2\n    x\n  y\n', 'two', '  x\ny\n'),
    pair('one: |1-\n  x\n', 'one', ' x'),
    pair('four: >4-\n    x\n     y\n    z\n', 'four', 'x\n y\nz'),
  ]),
  note('folded blocks', [
    pair('a: >\n  one\n  two\n\n  three\n', 'a', 'one two\nthree\n'),
    pair('b: >-\n  one\n   more\n  two\n', 'b', 'one\n more\ntwo'),
    pair('c: >+\n  one\n\n', 'c', 'one\n\n'),
  ]),
  note('dates', [
    pair('day: 2026-01-01\n', 'day', '2026-01-01'),
    pair('time: 2026-01-01T12:30:00Z\n', 'time', '2026-01-01T12:30:00Z'),
    pair('old: 2001-12-14 21:59:43.10 -5\n', 'old', '2001-12-14 21:59:43.10 -5'),
    pair('clock: 12:30\n', 'clock', '12:30'),
  ]),
  note('numbers as people write them', [
    pair('zip: 01234\n', 'zip', 1234),
    pair('octal: 0o17\n', 'octal', 15),
    pair('hex: 0x1F\n', 'hex', 31),
    pair('grouped: 1_000\n', 'grouped', '1_000'),
    pair('float: 1.50\n', 'float', 1.5),
    pair('exponent: 1e3\n', 'exponent', 1000),
    pair('plus: +5\n', 'plus', 5),
    pair('zero: -0\n', 'zero', 0),
    pair('version: 1.2.3\n', 'version', '1.2.3'),
  ]),
  note('numbers that JSON cannot carry', [
    pair('big: 12345678901234567890\n', 'big', '12345678901234567890'),
    pair('low: -9007199254740992\n', 'low', '-9007199254740992'),
    pair('safe: 9007199254740991\n', 'safe', 9007199254740991),
    pair('hex: 0xFFFFFFFFFFFFFFFF\n', 'hex', '18446744073709551615'),
    pair('nan: .nan\n', 'nan', null),
    pair('inf: -.inf\n', 'inf', null),
    pair('over: 1e400\n', 'over', null),
  ]),
  note('links to notes', [
    pair('bare: [[X]]\n', 'bare', [['X']]),
    pair('quoted: "[[X|shown]]"\n', 'quoted', '[[X|shown]]'),
    pair('list:\n  - "[[A]]"\n  - [[B]]\n', 'list', ['[[A]]', [['B']]]),
    pair('url: https://example.org/a#b?c=d\n', 'url', 'https://example.org/a#b?c=d'),
  ]),
  note('empty values', [
    pair('a:\n', 'a', null),
    pair('b: # why\n', 'b', null),
    '# about c\n',
    pair('c:   \n', 'c', null),
    '\n\n',
    pair('d: ~\n', 'd', null),
    pair('e: null\n', 'e', null),
    pair('f: []\n', 'f', []),
    pair('g: {}\n', 'g', {}),
    pair('h: !!str\n', 'h', ''),
    pair('i: &i\n', 'i', null),
    pair('j:\n', 'j', null),
  ]),
  note('long lines', [
    pair(`a: ${long}\n`, 'a', long),
    pair(`b: "${long}"\n`, 'b', long),
    pair(`c: [${'x, '.repeat(300)}y]\n`, 'c', [...Array.from({ length: 300 }, () => 'x'), 'y']),
  ]),
  note('lists of maps', [
    pair('a:\n  - k: 1\n    l: 2\n  -\n    k: 3\n  - - 1\n    - 2\n', 'a', [
      { k: 1, l: 2 },
      { k: 3 },
      [1, 2],
    ]),
    pair('b:\n- k:\n    - x\n- y\n', 'b', [{ k: ['x'] }, 'y']),
    pair('c: 1\n', 'c', 1),
  ]),
  note('values of several lines', [
    pair('plain: one\n  two\n\n  three\n', 'plain', 'one two\nthree'),
    pair('double: "one\n  two \\\n  three" # c\n', 'double', 'one two three'),
    pair("single: 'one\n\n  two'\n", 'single', 'one\ntwo'),
    pair('flow: [a, # c\n  b,\n  ]\n', 'flow', ['a', 'b']),
    pair('below:\n  text\n', 'below', 'text'),
  ]),
  note('tags', [
    pair('a: !!str 1\n', 'a', '1'),
    pair('b: !custom x\n', 'b', 'x'),
    pair('c: !!binary aGk=\n', 'c', 'aGk='),
    pair('d: !!set {x, y}\n', 'd', { x: null, y: null }),
    pair('e: !!js/function "x"\n', 'e', 'x'),
    pair('f: !!timestamp 2026-01-01\n', 'f', '2026-01-01'),
  ]),
  note('words of older YAML', [
    pair('a: yes\n', 'a', 'yes'),
    pair('b: Off\n', 'b', 'Off'),
    pair('c: True\n', 'c', true),
    pair('d: FALSE\n', 'd', false),
  ]),
  note('signs inside of words', [
    pair('a: b#c\n', 'a', 'b#c'),
    pair('d:e: f:g\n', 'd:e', 'f:g'),
    pair('h: a, b [c] {d}\n', 'h', 'a, b [c] {d}'),
    pair('-i: -x\n', '-i', '-x'),
    pair('j: \\n\n', 'j', '\\n'),
  ]),
  note('escapes', [
    pair('a: "\\ud83d\\ude00"\n', 'a', '😀'),
    pair('b: "\\0\\e\\L\\_"\n', 'b', '\0\x1b\u2028\u00a0'),
    pair('c: "\\ud800"\n', 'c', '\ud800'),
    pair('d: x\u2028y\u0085z\n', 'd', 'x\u2028y\u0085z'),
  ]),
]

/** Notes whose keys, comments, blanks and line ends are easy to damage. */
import { note, pair, type TrickyNote } from './note-pieces.ts'

const crlf = { open: '---\r\n', close: '---\r\n', body: 'One\r\ntwo\r\n' }

export const trickyLayouts: TrickyNote[] = [
  note('plain', [pair('title: A note\n', 'title', 'A note'), pair('n: 1\n', 'n', 1)]),
  note('one key', [pair('title: A note\n', 'title', 'A note')]),
  note('comments everywhere', [
    '# first\n\n  # indented\n',
    pair('a: 1 # behind a\n', 'a', 1),
    '# above b\n',
    pair('b: # behind the key\n  # above the list\n  - x # behind x\n  # between\n  - y\n', 'b', [
      'x',
      'y',
    ]),
    '  # below the list\n#\n#no blank\n',
    pair('c: two words   # three blanks\n', 'c', 'two words'),
    '# last\n',
  ]),
  note(
    'CRLF',
    [
      '# c\r\n',
      pair('a: 1\r\n', 'a', 1),
      pair('b:\r\n  - x\r\n  - y\r\n', 'b', ['x', 'y']),
      '\r\n',
      pair('c: "q" # d\r\n', 'c', 'q'),
    ],
    crlf,
  ),
  note('line ends of both kinds', [
    pair('a: 1\r\n', 'a', 1),
    pair('b: 2\n', 'b', 2),
    pair('c: |\r\n  x\n  y\r\n', 'c', 'x\ny\n'),
    pair('d: 4\n', 'd', 4),
  ]),
  note('BOM', [pair('a: 1\n', 'a', 1), pair('b: 2\n', 'b', 2)], { bom: '\ufeff' }),
  note('BOM and CRLF', [pair('a: 1\r\n', 'a', 1), pair('b: 2\r\n', 'b', 2)], {
    ...crlf,
    bom: '\ufeff',
  }),
  note(
    'literal blocks with CRLF',
    [
      pair('a: |-\r\n  x\r\n\r\n  y\r\n', 'a', 'x\n\ny'),
      pair('b: >\r\n  x\r\n  y\r\n', 'b', 'x y\n'),
    ],
    crlf,
  ),
  note('an indented map', [
    pair('  a: 1\n', 'a', 1),
    '# at the margin\n',
    pair('  b:\n    - x\n', 'b', ['x']),
    pair('  c:\n  - x\n', 'c', ['x']),
  ]),
  note('braces', [
    '{',
    pair('a: 1', 'a', 1),
    ', ',
    pair('"b":2', 'b', 2),
    ', ',
    pair('c', 'c', null),
    ', ',
    pair("d: [x, 'y']", 'd', ['x', 'y']),
    '}\n',
  ]),
  note('braces over lines', [
    '{ # open\n  ',
    pair('a: 1', 'a', 1),
    ', # one\n  # two\n  ',
    pair('b: {c: [1, 2]}', 'b', { c: [1, 2] }),
    ',\n',
    '}\n# end\n',
  ]),
  note('explicit keys', [
    pair('? a\n: 1\n', 'a', 1),
    pair('? b # k\n: - x\n  - y\n', 'b', ['x', 'y']),
    pair('? |\n  long\n  key\n: v\n', 'long\nkey\n', 'v'),
    pair('? alone\n', 'alone', null),
    pair('c: 3\n', 'c', 3),
  ]),
  note('keys of every script', [
    pair('日本語: 値\n', '日本語', '値'),
    pair('👩‍👩‍👧: 🎉 # 🎈\n', '👩‍👩‍👧', '🎉'),
    pair('ключ: значение\n', 'ключ', 'значение'),
    pair('مفتاح: قيمة\n', 'مفتاح', 'قيمة'),
    pair('e\u0301: composed\n', 'e\u0301', 'composed'),
  ]),
  note('blanks and tabs', [
    pair('a: 1   \n', 'a', 1),
    pair('b: 2\t\n', 'b', 2),
    pair('c:\t3\t# tab\n', 'c', 3),
    pair('d :    4\n', 'd', 4),
    '   \n\t\n',
    pair('e:     aligned\n', 'e', 'aligned'),
  ]),
  note('blank lines', ['\n\n', pair('a: 1\n', 'a', 1), '\n\n\n', pair('b: 2\n', 'b', 2), '\n']),
  note('a closing fence at the very end', [pair('a: 1\n', 'a', 1), pair('b: 2\n', 'b', 2)], {
    close: '---',
    body: '',
  }),
  note('no line end at the end', [pair('a: 1\n', 'a', 1)], { body: 'text' }),
  note('the same key at other depths', [
    pair('a:\n  a:\n    a: 1\n  b: 2\n', 'a', { a: { a: 1 }, b: 2 }),
    pair('b: {a: 1, b: {a: 2}}\n', 'b', { a: 1, b: { a: 2 } }),
  ]),
  note('keys that JavaScript has a meaning for', [
    pair('__proto__: 1\n', '__proto__', 1),
    pair(
      'constructor:\n  __proto__:\n    x: 1\n',
      'constructor',
      Object.fromEntries([['__proto__', { x: 1 }]]),
    ),
    pair('toString: x\n', 'toString', 'x'),
  ]),
  note('keys in quotes', [
    pair('"a b": 1\n', 'a b', 1),
    pair("'c: d': 2\n", 'c: d', 2),
    pair('"#e": 3\n', '#e', 3),
    pair('"": 4\n', '', 4),
    pair('"\\t": 5\n', '\t', 5),
  ]),
  note('keys that are no text', [
    pair('1: a\n', '1', 'a'),
    pair('true: b\n', 'true', 'b'),
    pair('~: c\n', '~', 'c'),
    pair('1.50: d\n', '1.50', 'd'),
    pair('[[X]]: e\n', '[[X]]', 'e'),
    pair('2026-01-01: f\n', '2026-01-01', 'f'),
  ]),
  note('fences in the body, and blanks behind fences', [pair('a: 1\n', 'a', 1)], {
    open: '--- \t\n',
    close: '---  \n',
    body: '---\nb: 2\n---\n...\n---js\n',
  }),
  note('an end of the document', [
    pair('a: 1\n', 'a', 1),
    pair('b: 2\n', 'b', 2),
    '...\n# after\n',
  ]),
  note('a start of the document', [
    '--- # start\n',
    pair('a: 1\n', 'a', 1),
    pair('b: 2\n', 'b', 2),
  ]),
  note(
    'a kept block above a pair',
    [
      pair('a: |+\n  x\n', 'a', 'x\n'),
      pair('b: 1\n', 'b', 1),
      '\n  # indented\n\n',
      pair('c: 2\n', 'c', 2),
    ],
    { swallowed: new Map([['b', '\n  # indented\n\n']]) },
  ),
  note('nothing but comments', ['# a\n\n# b\n']),
  note('an empty block', []),
]

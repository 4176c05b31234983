/** Words of a command, as a shell would split them. */
import { describe, expect, it } from 'vitest'
import { commandWords } from './command-words.ts'

const words = (text: string) => commandWords(text, 'GMAIL_MCP_SERVER')

describe('the words of a command', () => {
  it.each([
    ['node server.js', ['node', 'server.js']],
    ['  node\t a \n b  ', ['node', 'a', 'b']],
    [`node 'a b' "c d"`, ['node', 'a b', 'c d']],
    [`node --name='a b'c"d e"`, ['node', '--name=a bcd e']],
    [`node '' ""`, ['node', '', '']],
    ['node a\\ b \\"c\\\\', ['node', 'a b', '"c\\']],
    [`node "a\\"b\\\\c\\$d\\\`e\\nf"`, ['node', 'a"b\\c$d`e\\nf']],
    [`node 'a\\'`, ['node', 'a\\']],
    ['node a\\\nb "c\\\nd"', ['node', 'ab', 'cd']],
    [
      'node $HOME *.js ~ | cat; rm & `x` #y',
      ['node', '$HOME', '*.js', '~', '|', 'cat;', 'rm', '&', '`x`', '#y'],
    ],
    ['/öffentlich/プログラム 🦉', ['/öffentlich/プログラム', '🦉']],
    ['node \\', ['node', '\\']],
    ['node a\u00a0b', ['node', 'a\u00a0b']],
  ])('splits %j', (text, expected) => {
    expect(words(text)).toEqual(expected)
  })

  it.each(['', '  \n', `node 'a`, 'node "a', 'node "a\\"', `''`, '\\\n'])('refuses %j', (text) => {
    expect(() => words(text)).toThrow(
      expect.objectContaining({
        code: 'server_config',
        message: expect.stringMatching(/^GMAIL_MCP_SERVER /),
      }),
    )
  })
})

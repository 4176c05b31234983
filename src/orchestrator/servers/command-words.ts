/** Splits a command into its words as a shell would, without one: nothing in it is run or filled in. */
import { AgentMailError } from '../../errors.ts'

/** A quoted part, an escaped character, or what is neither. */
const parts = /'([^']*)'|"((?:[^"\\]|\\.)*)"|\\(.)|([^ \t\r\n'"\\]+|\\$)|([ \t\r\n]+)|(['"])/gs

/**
 * @param setting what the command was set with, for the error
 * @example commandWords("node 'my server.js' --name=\"a b\"", 'GMAIL_MCP_SERVER') // ['node', 'my server.js', '--name=a b']
 */
export function commandWords(text: string, setting: string): string[] {
  const words: string[] = []
  let word: string | undefined
  for (const [, single, double, escaped, plain, blank, unclosed] of text.matchAll(parts)) {
    if (unclosed !== undefined) throw refused(`${setting} has a ${unclosed} that is not closed`)
    if (blank === undefined) {
      const kept = double?.replace(/\\(["\\$`\n])/g, (_, sign) => (sign === '\n' ? '' : sign))
      const added = single ?? kept ?? plain ?? (escaped === '\n' ? undefined : escaped)
      if (added !== undefined) word = (word ?? '') + added
    } else if (word !== undefined) {
      words.push(word)
      word = undefined
    }
  }
  if (word !== undefined) words.push(word)
  if (!words[0]) throw refused(`${setting} names no program`)
  return words
}

const refused = (message: string) =>
  new AgentMailError(
    'server_config',
    message,
    'Set it to the command of an MCP server as you would type it, for example npx some-server --flag; no shell is run.',
  )

/** What a pane shows, and whether that is a place where a line may be typed. */

export interface Screen {
  rows: string[]
  /** Where the cursor is, in columns and rows from the upper left. */
  x: number
  y: number
  width: number
  height: number
  /** What runs there, as tmux calls it. */
  command: string
  isCursorShown: boolean
  /** Whether somebody scrolls or chooses there. */
  isInMode: boolean
  isDead: boolean
  /** Whether keys go elsewhere too, or nowhere. */
  isWired: boolean
}

const shells = new Set(
  'sh ash bash csh dash elvish es fish hush ion ksh ksh93 lksh mksh murex nu nushell oksh osh pdksh posh powershell pwsh rbash rc rksh rzsh sash tcsh xonsh yash ysh zsh'.split(
    ' ',
  ),
)

/** `-bash` is a login shell. */
const isShell = (command: string): boolean =>
  shells.has(command.replace(/^-|^.*\/|\.exe$/g, '').toLowerCase())

/** Whether nothing on it has changed. A cursor may blink, and whoever scrolls changes nothing. */
export const isSame = (one: Screen, other: Screen): boolean => contentOf(one) === contentOf(other)

const contentOf = (screen: Screen): string =>
  JSON.stringify({ ...screen, isCursorShown: undefined, isInMode: undefined })

/** Why nothing may be typed there now, given how it looked when it had settled; nothing when it may. */
export function whyNotType(now: Screen, settled: Screen, text: string): string | undefined {
  if (now.isDead) return 'its program has ended'
  if (now.isInMode) return 'its pane is in copy mode'
  if (now.isWired) return 'what is typed into its pane goes elsewhere'
  if (isShell(now.command)) return `${now.command} is a shell`
  if (!isSame(now, settled)) return 'its screen is not as it was when it said ready'
  if (now.x + text.length >= now.width) return 'there is no room behind its cursor'
  return isAtPrompt(now) ? undefined : 'its cursor is at no empty prompt'
}

/**
 * What coding agents put before the input. A line that ends in a letter is half typed, in a colon, a
 * question mark or a bracket it asks somebody, and in $, # or % it may be a shell within a program.
 * A star that stands alone is the prompt of Gemini CLI where it asks nobody before it acts.
 */
const promptEnd = /(?:[>❯›»⟩❱▶→│┃|]|^\s*\*)\s*$/

/** Programs that draw a cursor of their own leave the terminal's behind their prompt, and elsewhere when they ask. */
function isAtPrompt({ rows, x, y, isCursorShown }: Screen): boolean {
  return x === 0 ? isCursorShown : promptEnd.test((rows[y] ?? '').slice(0, x))
}

/**
 * Whether all that has come since is this text, at the cursor. Hints may go when somebody types, and
 * what is below them moves up; but every other word must have been there before, in this order.
 */
export function hasAppeared(text: string, before: Screen, after: Screen): boolean {
  if (after.isDead || after.isInMode || after.isWired) return false
  if (after.command !== before.command || after.width !== before.width) return false
  if (after.x !== before.x + text.length) return false
  const was = (before.rows[before.y] ?? '').padEnd(before.x)
  const is = after.rows[after.y] ?? ''
  const at = is.lastIndexOf(text, before.x)
  if (at === -1 || !was.startsWith(is.slice(0, at))) return false
  if (/[\p{L}\p{N}]/u.test(is.slice(at + text.length))) return false // it was not empty after all
  const others = after.rows.with(after.y, is.slice(0, at) + is.slice(at + text.length))
  return isPartOf(wordsOf(others), wordsOf(before.rows))
}

const wordsOf = (rows: string[]): string[] => rows.join(' ').split(/\s+/).filter(Boolean)

/** Whether all of these are in `whole`, in the same order. */
function isPartOf(words: string[], whole: string[]): boolean {
  let at = 0
  return words.every((word) => {
    at = whole.indexOf(word, at) + 1
    return at > 0
  })
}

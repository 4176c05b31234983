/** Which files a shell command plainly writes, moves or removes. What it would take a shell to know is not guessed at. */
import { posix } from 'node:path'
import { lookup } from '../system/text.ts'
import { type ShellToken, shellTokens } from './shell-words.ts'

type Word = Extract<ShellToken, { kind: 'word' }>

/** So many of one command are told. */
const mostFiles = 100
/** They run what follows them. */
const before = new Set([
  'sudo',
  'command',
  'time',
  'env',
  'nohup',
  'exec',
  'then',
  'do',
  'else',
  '!',
])

/**
 * @returns paths as they are written, below the folder that the command has gone to; each once.
 * @example writtenFiles('cd src && sed -i s/a/b/ a.ts > log') // ['src/log', 'src/a.ts']
 */
export function writtenFiles(command: string): string[] {
  const found = new Set<string>()
  for (const { words, targets, folder } of commandsIn(shellTokens(command))) {
    for (const word of [...targets, ...filesOf(words)]) {
      const path = pathIn(folder, word)
      if (path !== undefined && !path.startsWith('/dev/')) found.add(path)
      if (found.size >= mostFiles) return [...found]
    }
  }
  return [...found]
}

/** Nothing where it cannot be known. */
function pathIn(folder: string | undefined, { text, isPlain }: Word): string | undefined {
  if (!isPlain || text === '' || text === '-') return undefined
  if (text.startsWith('/')) return text
  return folder === undefined ? undefined : posix.join(folder, text)
}

interface SimpleCommand {
  words: Word[]
  /** Of its redirections. */
  targets: Word[]
  /** Where it runs, seen from where it all began; nothing where nobody can tell. */
  folder: string | undefined
}

function* commandsIn(tokens: ShellToken[]): Generator<SimpleCommand> {
  let folder: string | undefined = ''
  const outside: (string | undefined)[] = []
  let words: Word[] = []
  let targets: Word[] = []
  for (const [index, token] of tokens.entries()) {
    const last = tokens[index - 1]
    if (token.kind === 'word') {
      if (last?.kind !== 'redirect') words.push(token)
      else if (last.isOutput) targets.push(token)
    }
    if (token.kind !== 'end') continue
    yield { words, targets, folder }
    folder = folderAfter(words, folder)
    if (token.text === '(') outside.push(folder)
    if (token.text === ')' && outside.length > 0) folder = outside.pop()
    words = []
    targets = []
  }
  yield { words, targets, folder }
}

function folderAfter(words: Word[], folder: string | undefined): string | undefined {
  const [name, target, ...more] = withoutBeginning(words)
  if (name?.text !== 'cd' && name?.text !== 'pushd') return folder
  return target && more.length === 0 ? pathIn(folder, target) : undefined
}

/** Without what is set for it, and what runs it. */
function withoutBeginning(words: Word[]): Word[] {
  const start = words.findIndex(({ text }) => !before.has(text) && !/^\w+=/.test(text))
  return start === -1 ? [] : words.slice(start)
}

function filesOf(words: Word[]): Word[] {
  const [name, ...args] = withoutBeginning(words)
  if (!name?.isPlain) return []
  return writers[posix.basename(name.text)]?.(args) ?? []
}

/** By the name of the command: which of its arguments it writes. */
const writers = lookup<(args: Word[]) => Word[]>({
  tee: (args) => operands(args),
  rm: (args) => operands(args),
  unlink: (args) => operands(args),
  mv: (args) => moved(args, true),
  cp: (args) => moved(args, false),
  sed: editedInPlace,
  git: writtenByGit,
})

/** What is no option, or comes after `--`. */
function operands(args: Word[], withValue: string[] = []): Word[] {
  const found: Word[] = []
  for (let at = 0; at < args.length; at++) {
    const word = args[at]
    if (!word) break
    if (word.text === '--') return [...found, ...args.slice(at + 1)]
    if (withValue.includes(word.text)) at++
    else if (!word.text.startsWith('-') || word.text === '-') found.push(word)
  }
  return found
}

function moved(args: Word[], isGone: boolean): Word[] {
  const folderAt = args.findIndex(({ text }) => text === '-t' || text === '--target-directory')
  const named = operands(args, ['-t', '--target-directory', '-S', '--suffix'])
  const sources = folderAt === -1 ? named.slice(0, -1) : named
  const target = folderAt === -1 ? named.at(-1) : args[folderAt + 1]
  if (!target || sources.length === 0) return []
  const isFolder = folderAt !== -1 || sources.length > 1 || target.text.endsWith('/')
  const written = isFolder ? sources.map((source) => inFolder(target, source)) : [target]
  return isGone ? [...sources, ...written] : written
}

const inFolder = (folder: Word, file: Word): Word => ({
  kind: 'word',
  text: posix.join(folder.text, posix.basename(file.text)),
  isPlain: folder.isPlain && file.isPlain,
})

/** `sed -i`, with a script in its first argument unless an option gives it. */
function editedInPlace(args: Word[]): Word[] {
  const options = args.filter(({ text }) => text.startsWith('-'))
  const isInPlace = options.some(({ text }) => /^(?:-[a-zA-Z]*i|--in-place)/.test(text))
  if (!isInPlace) return []
  const withValue = ['-e', '--expression', '-f', '--file', '-l', '--line-length']
  const hasScript = options.some(({ text }) =>
    /^(?:-[a-zA-Z]*[ef]$|--expression|--file)/.test(text),
  )
  // On a Mac -i wants an ending, which is mostly empty.
  const named = operands(args, [...withValue, '-ne', '-Ee']).filter(({ text }) => text !== '')
  return hasScript ? named : named.slice(1)
}

/** What takes files back to how they were, or away. */
function writtenByGit(args: Word[]): Word[] {
  const [option, folder] = args
  if (option?.text === '-C' && folder) {
    return writtenByGit(args.slice(2)).map((file) =>
      file.text.startsWith('/') ? file : { ...file, text: posix.join(folder.text, file.text) },
    )
  }
  const [name, ...rest] = args
  switch (name?.text) {
    case 'checkout': {
      const at = rest.findIndex(({ text }) => text === '--')
      // Without it only what no branch can be called is plainly a file.
      const isPath = ({ text }: Word) => /^\.{1,2}(?:\/|$)/.test(text)
      return at === -1 ? operands(rest).filter(isPath) : rest.slice(at + 1)
    }
    case 'restore':
      return isOnlyStaged(rest) ? [] : operands(rest, ['-s', '--source'])
    case 'rm':
      return rest.some(({ text }) => text === '--cached') ? [] : operands(rest)
    case 'mv':
      return moved(rest, true)
    default:
      return []
  }
}

function isOnlyStaged(args: Word[]): boolean {
  const has = (...names: string[]) => args.some(({ text }) => names.includes(text))
  return has('--staged', '-S') && !has('--worktree', '-W', '-SW', '-WS')
}

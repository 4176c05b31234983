/** A real vault with everything awkward in it that a disk can hold. */
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { makePipe } from '../named-pipe.ts'

/** Composed, and as macOS stores it. */
export const composed = 'Caf\u00e9.md'
export const decomposed = 'Cafe\u0301.md'

/** Notes that can be read, by path: their bytes, and what they say. */
export const readable: Record<string, { text: string; frontmatter: object; body: string }> = {
  'plain.md': { text: 'Just text.\n', frontmatter: {}, body: 'Just text.\n' },
  'empty.md': { text: '', frontmatter: {}, body: '' },
  'bom.md': {
    text: '\ufeff---\ntitle: With a BOM\n---\nBody\n',
    frontmatter: { title: 'With a BOM' },
    body: 'Body\n',
  },
  'crlf.md': {
    text: '---\r\nstatus: pending # waits\r\nn: 1\r\n---\r\nLine\r\nLine\r\n',
    frontmatter: { status: 'pending', n: 1 },
    body: 'Line\r\nLine\r\n',
  },
  'script.md': {
    text: '---js\nglobalThis.wasRun = true\n---\nBody',
    frontmatter: {},
    body: '---js\nglobalThis.wasRun = true\n---\nBody',
  },
  [decomposed]: { text: 'Coffee', frontmatter: {}, body: 'Coffee' },
  'A note  with blanks.md': { text: 'x', frontmatter: {}, body: 'x' },
  'quote " and \' and $HOME and `id`.md': { text: 'x', frontmatter: {}, body: 'x' },
  '👩‍💻 می\u200cخواهم ශ්\u200dරී.md': { text: 'joined', frontmatter: {}, body: 'joined' },
  '..note.md': { text: 'dots', frontmatter: {}, body: 'dots' },
  '-rf.md': { text: 'dash', frontmatter: {}, body: 'dash' },
  '会議/メモ 🎉.md': { text: '東京で会議\n', frontmatter: {}, body: '東京で会議\n' },
  'x.md/inner.md': {
    text: 'In a folder named x.md',
    frontmatter: {},
    body: 'In a folder named x.md',
  },
  'nul-inside.md': { text: 'a\0b', frontmatter: {}, body: 'a\0b' },
  'control.md': { text: 'a\u0007\u2028\ufffe', frontmatter: {}, body: 'a\u0007\u2028\ufffe' },
  'a/deep/er/folder/note.md': { text: 'deep', frontmatter: {}, body: 'deep' },
  'Approved/ready.md': { text: '---\nstatus: x\n---\n', frontmatter: { status: 'x' }, body: '' },
}

/** Notes that are listed and cannot be read, with the code of the refusal. */
export const unreadable: Record<string, { bytes: Buffer; code: string }> = {
  'large.md': { bytes: Buffer.alloc(5 << 20, 'word '), code: 'invalid_request' },
  'binary.md': { bytes: Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 0xff, 0xfe]), code: 'parse_error' },
  'latin1.md': { bytes: Buffer.from('caf\u00e9', 'latin1'), code: 'parse_error' },
  'broken.md': { bytes: Buffer.from('---\na: b: c\n---\nBody'), code: 'parse_error' },
  'unclosed.md': { bytes: Buffer.from('---\na: 1\nBody'), code: 'parse_error' },
}

/** Notes whose names have something in them that nobody sees. */
const hidden = ['new\nline.md', 'pl\u200bain.md', 'plain\u202e.md', 'fol\u00adder/note.md']

/** What is there and is not of the vault. */
export const foreign = [
  ...hidden,
  'link.md',
  'link-out.md',
  'dangling.md',
  'linked/note.md',
  'out/secret.md',
  'pipe.md',
  'socket.md',
  'x.md',
  '.obsidian/app.md',
]

/** @param outside a folder beside the vault, which gets `secret.md`. */
export async function makeAwkwardVault(root: string, outside: string): Promise<void> {
  const put = (path: string, bytes: string | Buffer) => {
    mkdirSync(join(root, path, '..'), { recursive: true })
    writeFileSync(join(root, path), bytes)
  }
  for (const [path, { text }] of Object.entries(readable)) put(path, text)
  for (const [path, { bytes }] of Object.entries(unreadable)) put(path, bytes)
  for (const path of hidden) put(path, 'a hidden word: plugh')
  put('.obsidian/app.md', 'of Obsidian')
  put('picture.png', 'not a note')
  put('a/note.MD', 'not a note either')
  mkdirSync(join(root, 'empty folder'))
  mkdirSync(outside, { recursive: true })
  writeFileSync(join(outside, 'secret.md'), 'a secret word: xyzzy')
  symlinkSync('plain.md', join(root, 'link.md'))
  symlinkSync(join(outside, 'secret.md'), join(root, 'link-out.md'))
  symlinkSync(join(outside, 'nothing.md'), join(root, 'dangling.md'))
  symlinkSync('a/deep/er/folder', join(root, 'linked'))
  symlinkSync(outside, join(root, 'out'))
  symlinkSync('..', join(root, 'a/loop'))
  writeFileSync(
    Buffer.concat([Buffer.from(join(root, 'bad-')), Buffer.from([0xff]), Buffer.from('.md')]),
    'x',
  )
  makePipe(join(root, 'pipe.md'))
  const server = createServer().listen(join(root, 'socket.md'))
  await new Promise((resolve) => server.on('listening', resolve))
  server.unref()
  chmodSync(join(root, 'plain.md'), 0o640)
}

import { describe, expect, it } from 'vitest'
import { hostilePaths } from '../../test/support/hostile-paths.ts'
import { AgentMailError } from '../errors.ts'
import { refuseDecided } from './decided.ts'
import { folderPath, isFolderName, isNoteName, notePath, pathOf } from './note-path.ts'

const codeOf = (work: () => unknown): string => {
  try {
    work()
  } catch (error) {
    if (AgentMailError.is(error)) return error.code
    throw error
  }
  return 'accepted'
}

describe('the path of a note', () => {
  it.each([
    ['a.md', 'a.md'],
    ['./Inbox//a.md', 'Inbox/a.md'],
    ['Inbox/../a.md', 'a.md'],
    ['Inbox/./b/../a.md', 'Inbox/a.md'],
    ['..note.md', '..note.md'],
    ['...md', '...md'],
    ['a b/ü 会议.md', 'a b/ü 会议.md'],
    ['~/a.md', '~/a.md'],
    ['-rf.md', '-rf.md'],
    ['x.md/y.md', 'x.md/y.md'],
    ['$HOME/`id`.md', '$HOME/`id`.md'],
    ['👩‍💻/می\u200cخواهم ❤️.md', '👩‍💻/می\u200cخواهم ❤️.md'],
  ])('%j is %j', (path, expected) => {
    expect(pathOf(notePath(path))).toBe(expected)
  })

  it.each(hostilePaths())('%j is refused', (path) => {
    expect(codeOf(() => notePath(path))).toMatch(/^permission_denied$|^invalid_request$/)
  })

  it.each([
    ...['a\u200b.md', 'a\n.md', 'a\u202e.md', 'In\u00adbox/a.md', 'Appro\u200dved/a.md', 'ㅤ/a.md'],
    ...['\u2028/../a.md', 'a/\u{e0041}/b.md', '\u2800.md', 'x\ufe0f.md', 'a\u0085b.md'],
  ])('%j is refused for what cannot be seen, which is told', (path) => {
    const told = /^a name in it is one with a line break or an invisible character \(U\+\w{4,6}\): /
    expect(codeOf(() => notePath(path))).toBe('permission_denied')
    expect(() => notePath(path)).toThrow(told)
    expect(() => notePath(path)).not.toThrow(
      /[\p{Cc}\p{Default_Ignorable_Code_Point}\u2028\u2800]/u,
    )
    expect(codeOf(() => folderPath(path))).toBe('permission_denied')
    expect(isNoteName(path.split('/').at(-1) ?? '') && path.split('/').every(isFolderName)).toBe(
      false,
    )
  })

  it.each([
    'Approved/a.md',
    'approved/a.md',
    'x/../APPROVED/b/a.md',
    'Approved./a.md',
    'Ａpproved/a.md',
    'Appro\u200cved/a.md',
    'Rules.md',
    'x/../rules.md',
    'RULES.md',
    'Rule\u017f.md',
    'Rul\ufeffes.md',
    'Rules.md/a.md',
  ])('%j may not be written', (path) => {
    expect(codeOf(() => refuseDecided(notePath(path)))).toBe('permission_denied')
  })

  it.each([
    'Approved.md',
    'Projects/Approved/a.md',
    'Approved2/a.md',
    'Projects/Rules.md',
    'My Rules.md',
  ])('%j may', (path) => {
    expect(codeOf(() => refuseDecided(notePath(path)))).toBe('accepted')
  })
})

describe('the path of a folder', () => {
  it.each([
    ['', []],
    ['.', []],
    ['Inbox/', ['Inbox']],
    ['a/../b', ['b']],
  ])('%j is %j', (path, expected) => {
    expect(folderPath(path)).toEqual(expected)
  })

  it.each(['..', '/', '/etc', '.git', 'a/.b', 'a/.b/..', 'C:', 'a\\b', 'a\0', 'aux/x', '../x'])(
    '%j is refused',
    (path) => {
      expect(codeOf(() => folderPath(path))).toBe('permission_denied')
    },
  )
})

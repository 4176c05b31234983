import { describe, expect, it } from 'vitest'
import { hostilePaths } from '../../test/support/hostile-paths.ts'
import { AgentMailError } from '../errors.ts'
import { folderPath, notePath, pathOf, refuseApproved } from './note-path.ts'

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
  ])('%j is %j', (path, expected) => {
    expect(pathOf(notePath(path))).toBe(expected)
  })

  it.each(hostilePaths())('%j is refused', (path) => {
    expect(codeOf(() => notePath(path))).toMatch(/^permission_denied$|^invalid_request$/)
  })

  it.each([
    'Approved/a.md',
    'approved/a.md',
    'x/../APPROVED/b/a.md',
    'Approved./a.md',
    'Ａpproved/a.md',
  ])('%j may not be written', (path) => {
    expect(codeOf(() => refuseApproved(notePath(path)))).toBe('permission_denied')
  })

  it.each(['Approved.md', 'Projects/Approved/a.md', 'Approved2/a.md'])('%j may', (path) => {
    expect(codeOf(() => refuseApproved(notePath(path)))).toBe('accepted')
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

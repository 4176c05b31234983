/** The origin of a repository, read from git's own configuration without git. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { temporaryFolder } from '../../test/support/temporary-folder.ts'
import { originOf } from './repository.ts'

it.each([
  ['[remote "origin"]\n\turl = https://a/b.git\n\tfetch = x\n', 'https://a/b.git'],
  ['[Remote "origin"] URL=a:b ; a comment\n', 'a:b'],
  ['[remote.origin]\nurl = "a # b"  # a comment\n', 'a # b'],
  ['[remote "origin"]\nurl = "a\\"b"\\\\c\n', 'a"b\\c'],
  ['[remote "origin"]\n url = https:\\\n//a/b\n', 'https://a/b'],
  ['[remote "other"]\nurl = x\n[remote "origin"]\n# url = y\nurl = z\nurl = later\n', 'z'],
  ['[remote "Origin"]\nurl = x\n[branch "origin"]\nurl = y\n', undefined],
  ['[remote "origin"]\r\n\turl = https://a/b\r\n', 'https://a/b'],
  ['[remote "origin"]\npushurl = x\n[core]\nurl = y\n', undefined],
  ['', undefined],
])('is read from %j', (config, origin) => {
  const folder = temporaryFolder()
  writeFileSync(join(folder, 'config'), config)
  expect(originOf(folder)).toBe(origin)
})

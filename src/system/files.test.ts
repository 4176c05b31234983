import { closeSync, mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { temporaryFolder } from '../../test/support/temporary-folder.ts'
import {
  createIn,
  isNotRegular,
  makeFolder,
  openRegularFile,
  removeFolder,
  replaceFile,
  textOfFile,
} from './files.ts'
import { Folder } from './folder.ts'

const bytes = (...texts: string[]) => texts.map((text) => Buffer.from(text))

function* cutShort() {
  yield Buffer.from('half')
  throw new Error('no more')
}

function errorOf(work: () => unknown): unknown {
  try {
    work()
  } catch (error) {
    return error
  }
  return undefined
}

describe('openRegularFile', () => {
  it('opens a file, and tells where there is none', () => {
    const path = join(temporaryFolder(), 'file')
    expect(openRegularFile(path)).toBeUndefined()
    closeSync(openRegularFile(path, { create: true }))
    expect(statSync(path).mode & 0o777).toBe(0o600)
    expect(textOfFile(path)).toBe('')
  })

  it('neither follows a link nor takes anything else for a file', async () => {
    const folder = temporaryFolder()
    const at = (name: string) => join(folder, name)
    writeFileSync(at('file'), 'text')
    symlinkSync('file', at('link'))
    symlinkSync('nothing', at('dangling'))
    mkdirSync(at('folder'))
    const server = createServer()
    onTestFinished(() => void server.close())
    await new Promise<void>((resolve) => server.listen(at('socket'), resolve))
    for (const name of ['link', 'dangling', 'folder', 'socket']) {
      for (const options of [{ create: true }, { readOnly: true }]) {
        const error = errorOf(() => openRegularFile(at(name), options))
        expect([name, options, isNotRegular(error)]).toEqual([name, options, true])
      }
    }
    expect(readdirSync(folder)).not.toContain('nothing')
  })
})

describe('makeFolder', () => {
  it('makes those above it, for their owner alone if that is said', () => {
    const folder = temporaryFolder()
    makeFolder(join(folder, 'a/b'), 0o700)
    makeFolder(join(folder, 'a/b'))
    expect(statSync(join(folder, 'a')).mode & 0o777).toBe(0o700)
    expect(statSync(join(folder, 'a/b')).mode & 0o777).toBe(0o700)
  })

  it('fails where a file is in the way', () => {
    const path = join(temporaryFolder(), 'file')
    writeFileSync(path, '')
    expect(() => makeFolder(path)).toThrow('EEXIST')
    expect(() => makeFolder(join(path, 'a/b'))).toThrow('ENOTDIR')
  })
})

it('removes a folder with all that is in it', () => {
  const folder = temporaryFolder()
  makeFolder(join(folder, 'a/b'))
  removeFolder(join(folder, 'a'))
  expect(readdirSync(folder)).toEqual([])
})

describe('replaceFile', () => {
  it('leaves the old file where the new one could not be written', () => {
    const folder = temporaryFolder()
    const path = join(folder, 'file')
    replaceFile(path, bytes('o', 'ld'))
    expect(() => replaceFile(path, cutShort())).toThrow('no more')
    expect([textOfFile(path), readdirSync(folder)]).toEqual(['old', ['file']])
  })

  it('replaces what a killed writer left behind, and never writes through a link', () => {
    const folder = temporaryFolder()
    const path = join(folder, 'file')
    writeFileSync(join(folder, 'other'), 'other')
    symlinkSync('other', `${path}.new`)
    replaceFile(path, bytes('new'))
    expect(textOfFile(path)).toBe('new')
    expect(textOfFile(join(folder, 'other'))).toBe('other')
    expect(readdirSync(folder)).toEqual(['file', 'other'])
  })
})

describe.each([true, false])('createIn, with folders by descriptor: %s', (isByDescriptor) => {
  it('makes a file, but never over another', () => {
    const path = temporaryFolder()
    const folder = Folder.root(path, { isByDescriptor })
    try {
      const put = (text: string) =>
        createIn(folder, 'file', { content: bytes(text), temporary: '.new' })
      expect([put('one'), put('two')]).toEqual([true, false])
    } finally {
      folder.close()
    }
    expect(textOfFile(join(path, 'file'))).toBe('one')
    expect(readdirSync(path)).toEqual(['file'])
  })
})

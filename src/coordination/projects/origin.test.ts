/** Origins: what is the same repository however it is reached, and how its project is called. */
import { describe, expect, it } from 'vitest'
import { comparedOrigin, normalOrigin, projectNameOf } from './origin.ts'

const normal = (url: string) => normalOrigin(url, (path) => `/home/ann/${path}`.replace('//', '/'))

describe('an origin', () => {
  it.each([
    'https://github.com/shop/web.git',
    'https://github.com/shop/web',
    'https://GitHub.com/shop/web/',
    'http://ann:secret@github.com:8080/shop/web.git',
    'https://ann:p@ss:word@github.com/shop/web.git/',
    'https://token@github.com/shop/web?token=secret#x',
    'ssh://git@github.com/shop/web.git',
    'ssh://git@github.com:2222//shop//web.git',
    'git://github.com/shop/web.git',
    'git+ssh://git@github.com/shop/web',
    'git@github.com:shop/web.git',
    'github.com:shop/web',
    'git@github.com:/shop/web/',
    'ann:secret@github.com:shop/web.git',
  ])('is the same however it is reached: %s', (url) => {
    expect(normal(url)).toBe('github.com/shop/web')
  })

  it.each([
    ['ssh://git@[::1]:22/a/b.git', '[::1]/a/b'],
    ['git@[::1]:a/b.git', '[::1]/a/b'],
    ['/srv/git/web.git', '/home/ann/srv/git/web'],
    ['../web/.git', '/home/ann/../web/'],
    ['https://example.com/team/.git', 'example.com/team/'],
    ['https://example.com/.git', 'example.com/'],
    ['file:///srv/web.git', '/home/ann/srv/web'],
    ['file://host/srv/web.git', '/home/ann/srv/web'],
    ['./a:b', '/home/ann/./a:b'],
    ['https://github.com', 'github.com/'],
    ['https://ann:secret@', undefined],
    ['ext::ssh -i secret git@host %S web', undefined],
    ['', undefined],
  ])('%s is %s', (url, expected) => {
    expect(normal(url)).toBe(expected)
  })
})

it.each([
  ['example.com/team/', 'example.com/team'],
  ['/srv/web/', '/srv/web'],
  ['example.com/', 'example.com/'],
])('of %s is compared as %s', (origin, expected) => {
  expect(comparedOrigin(origin)).toBe(expected)
})

describe('the name of a project', () => {
  it.each([
    ['github.com/shop/web', 'folder', 'web'],
    ['/srv/git/My Shop', 'folder', 'My-Shop'],
    ['host/größe', 'folder', 'gr--e'],
    ['host/a😀b', 'folder', 'a-b'],
    ['github.com/', 'folder', 'folder'],
    ['example.com/team/', 'folder', 'folder'],
    ['host/..', 'folder', 'folder'],
    [undefined, 'web.d', 'web.d'],
    [undefined, '.', 'default'],
    [undefined, '', 'default'],
    [undefined, 'x'.repeat(300), 'x'.repeat(90)],
  ])('of %s in %s is %s', (origin, folder, name) => {
    expect(projectNameOf({ origin, folder })).toBe(name)
  })
})

/** agentmail guard install and uninstall: beside the hooks that are there, wherever git looks for them. */
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { Guarded } from '../support/setup/guarded.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const hookOf = (place: Guarded) => join(place.folder, '.git/hooks/pre-commit')
const beforeOf = (hook: string) => `${hook}.before-agentmail`

function putHook(hook: string, text: string, mode = 0o755): Buffer {
  mkdirSync(dirname(hook), { recursive: true })
  writeFileSync(hook, text)
  chmodSync(hook, mode)
  return readFileSync(hook)
}

const isGuarded = (place: Guarded) =>
  place.commit(['held.ts'], { AGENTMAIL_AGENT: 'anna' }).stderr.includes('held.ts is held by berta')

async function held(place: Guarded): Promise<Guarded> {
  await place.claim('berta', 'held.ts')
  return place
}

describe('agentmail guard install', () => {
  it('writes one hook, and nothing the second time', async () => {
    const place = await held(new Guarded())
    rmSync(join(place.folder, '.git/hooks'), { recursive: true })
    expect(isGuarded(place)).toBe(false)
    const first = await place.run(['guard', 'install'])
    expect(first).toMatchObject({ stderr: '', exitCode: 0 })
    expect(first.stdout).toContain('AGENTMAIL_GUARD=off git commit')
    const bytes = readFileSync(hookOf(place))
    const again = await place.run(['guard', 'install', '--json'])
    expect(JSON.parse(again.stdout)).toEqual({
      ...{ hook: hookOf(place), former: null, changed: false, note: null },
    })
    expect(readFileSync(hookOf(place))).toEqual(bytes)
    expect(isGuarded(place)).toBe(true)
    expect((await place.run(['guard', 'uninstall'])).stdout).toContain('Taken out')
    expect(existsSync(hookOf(place))).toBe(false)
    expect((await place.run(['guard', 'uninstall'])).stdout).toBe('There is no guard here\n')
    expect(isGuarded(place)).toBe(false)
  })

  it.each([
    ['sh', '#!/bin/sh\necho former ran in "$0" >&2\nexit $FORMER\n'],
    [
      'bash',
      '#!/usr/bin/env bash\nx=(former)\n[[ $x == former ]] && echo "$x ran" >&2\nexit $FORMER\n',
    ],
    [
      'node',
      `#!${process.execPath}\nconsole.error('former ran')\nprocess.exit(Number(process.env.FORMER ?? 0))\n`,
    ],
    ['no first line', 'echo former ran >&2\nexit $FORMER\n'],
  ])('runs a former hook in %s first, and uninstall restores it byte for byte', async (_, text) => {
    const place = await held(new Guarded())
    const bytes = putHook(hookOf(place), text, 0o750)
    const installed = await place.run(['guard', 'install', '--json'])
    expect(JSON.parse(installed.stdout)).toMatchObject({ former: beforeOf(hookOf(place)) })
    const refused = place.commit(['held.ts'], { AGENTMAIL_AGENT: 'anna' })
    expect(refused.stderr).toContain('former ran')
    expect(refused.stderr).toContain('held.ts is held by berta')
    const byFormer = place.commit(['free.ts'], { AGENTMAIL_GUARD: 'off', FORMER: '7' })
    expect(byFormer.exitCode).not.toBe(0)
    expect(byFormer.stderr).not.toContain('is held')
    await place.run(['guard', 'install'])
    const removed = await place.run(['guard', 'uninstall', '--json'])
    expect(JSON.parse(removed.stdout)).toEqual({
      removed: [{ hook: hookOf(place), restored: true }],
    })
    expect(readFileSync(hookOf(place))).toEqual(bytes)
    expect(statSync(hookOf(place)).mode & 0o777).toBe(0o750)
    expect(existsSync(beforeOf(hookOf(place)))).toBe(false)
  })

  it('leaves a former hook that is switched off, or a link, as it was', async () => {
    const place = await held(new Guarded())
    putHook(hookOf(place), '#!/bin/sh\necho former ran >&2\n', 0o644)
    await place.run(['guard', 'install'])
    const { stderr } = place.commit(['held.ts'], { AGENTMAIL_AGENT: 'anna' })
    expect(stderr).not.toContain('former ran')
    expect(stderr).toContain('is held by berta')
    await place.run(['guard', 'uninstall'])
    expect(statSync(hookOf(place)).mode & 0o777).toBe(0o644)
    rmSync(hookOf(place))
    const script = join(place.folder, 'hook.sh')
    putHook(script, '#!/bin/sh\necho linked hook ran as $(basename "$0") >&2\n')
    symlinkSync('../../hook.sh', hookOf(place))
    await place.run(['guard', 'install'])
    expect(place.commit(['held.ts'], {}).stderr).toContain('linked hook ran as pre-commit\n')
    expect(isGuarded(place)).toBe(true)
    expect(readFileSync(script, 'utf8')).toContain('linked hook ran')
    await place.run(['guard', 'uninstall'])
    expect(lstatSync(hookOf(place)).isSymbolicLink()).toBe(true)
    expect(readlinkSync(hookOf(place))).toBe('../../hook.sh')
  })

  it('refuses to go over lines of others in its own hook, and over a kept hook', async () => {
    const place = new Guarded()
    await place.run(['guard', 'install'])
    const mine = `${readFileSync(hookOf(place), 'utf8')}echo mine\n`
    putHook(hookOf(place), mine)
    for (const subcommand of ['install', 'uninstall']) {
      const ran = await place.run(['guard', subcommand])
      expect(ran).toMatchObject({ stdout: '', exitCode: 1 })
      expect(ran.stderr).toContain('was changed since')
    }
    putHook(hookOf(place), '#!/bin/sh\necho new\n')
    putHook(beforeOf(hookOf(place)), '#!/bin/sh\necho old\n')
    const ran = await place.run(['guard', 'install'])
    expect(ran.exitCode).toBe(1)
    expect(ran.stderr).toContain('is there already')
    expect(readFileSync(hookOf(place), 'utf8')).toContain('new')
  })

  it('passes where agentmail is gone, unless AGENTMAIL_GUARD is closed', async () => {
    const place = await held(await Guarded.install())
    const text = readFileSync(hookOf(place), 'utf8')
    putHook(hookOf(place), text.replace(/binary=\S+/, 'binary=/nowhere/agentmail.cjs'))
    expect(place.commit(['held.ts'], { AGENTMAIL_AGENT: 'anna' })).toMatchObject({
      ...{ exitCode: 0, stderr: '' },
    })
    const closed = { AGENTMAIL_AGENT: 'anna', AGENTMAIL_GUARD: 'closed' }
    expect(place.commit(['held.ts'], closed).exitCode).toBe(1)
  })

  it('calls agentmail from the path first', async () => {
    const place = await held(await Guarded.install())
    const bin = temporaryFolder()
    putHook(join(bin, 'agentmail'), '#!/bin/sh\necho "from the path: $*" >&2\nexit 1\n')
    const PATH = [bin, process.env.PATH].join(delimiter)
    const ran = place.commit(['a.ts'], { PATH })
    expect(ran.exitCode).toBe(1)
    expect(ran.stderr).toContain('from the path: guard check')
  })

  it('is told in words outside a repository', async () => {
    const folder = temporaryFolder()
    const ran = await new Guarded(folder).run(['guard', 'install'])
    expect(ran).toMatchObject({ stdout: '', exitCode: 1 })
    expect(ran.stderr).toContain('not in a git repository')
  })
})

describe('with core.hooksPath', () => {
  it('in the working tree it is put there, and says what that means', async () => {
    const place = await held(new Guarded())
    place.gitOk('config', 'core.hooksPath', '.husky')
    const hook = join(place.folder, '.husky/pre-commit')
    const bytes = putHook(hook, '#!/usr/bin/env sh\n. "$(dirname -- "$0")/_/husky.sh"\n')
    putHook(join(place.folder, '.husky/_/husky.sh'), 'echo "husky: $(basename "$0")" >&2\n')
    mkdirSync(join(place.folder, 'sub'))
    const ran = await place.run(['guard', 'install'], {}, join(place.folder, 'sub'))
    expect(ran.exitCode).toBe(0)
    expect(ran.stdout).toContain('core.hooksPath is .husky, in the working tree')
    const { stderr } = place.commit(['held.ts'], { AGENTMAIL_AGENT: 'anna' })
    expect(stderr).toContain('husky: pre-commit\n') // which it finds its script by
    expect(stderr).toContain('held.ts is held by berta')
    await place.run(['guard', 'uninstall'])
    expect(readFileSync(hook)).toEqual(bytes)
  })

  it('that git ignores is told to be made anew, and that is mended by another install', async () => {
    const place = await held(new Guarded())
    place.gitOk('config', 'core.hooksPath', '.husky/_')
    const hook = join(place.folder, '.husky/_/pre-commit')
    const stub = '#!/usr/bin/env sh\n. "$(dirname -- "$0")/h"\n'
    putHook(hook, stub)
    putHook(join(place.folder, '.husky/_/h'), 'echo "husky runs $(basename -- "$0")" >&2\n')
    writeFileSync(join(place.folder, '.husky/_/.gitignore'), '*')
    expect((await place.run(['guard', 'install'])).stdout).toContain('which git ignores')
    putHook(hook, stub)
    expect(isGuarded(place)).toBe(false)
    expect((await place.run(['guard', 'install'])).exitCode).toBe(0)
    const { stderr } = place.commit(['held.ts'], { AGENTMAIL_AGENT: 'anna' })
    expect(stderr).toContain('husky runs pre-commit\n')
    expect(stderr).toContain('is held by berta')
  })

  it('outside the repository it is said to be shared; where hooks are off, that it is of no use', async () => {
    const place = await held(new Guarded())
    const shared = temporaryFolder()
    place.gitOk('config', 'core.hooksPath', shared)
    const ran = await place.run(['guard', 'install', '--json'])
    expect(JSON.parse(ran.stdout)).toMatchObject({ hook: join(shared, 'pre-commit') })
    expect(JSON.parse(ran.stdout).note).toContain('every repository that uses it')
    expect(isGuarded(place)).toBe(true)
    place.gitOk('config', 'core.hooksPath', '/dev/null')
    const none = await place.run(['guard', 'install'])
    expect(none).toMatchObject({ stdout: '', exitCode: 1 })
    expect(none.stderr).toContain('git runs no hooks here')
  })

  it('that was set later, the guard of before is taken out too', async () => {
    const place = await Guarded.install()
    place.gitOk('config', 'core.hooksPath', 'hooks')
    await place.run(['guard', 'install'])
    const removed = await place.run(['guard', 'uninstall', '--json'])
    expect(JSON.parse(removed.stdout).removed).toHaveLength(2)
    expect(existsSync(hookOf(place))).toBe(false)
  })
})

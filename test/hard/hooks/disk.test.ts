/** Sessions on a full disk: hooks let their client go on in time, nobody who waits gives up, and all goes on when there is room. */
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { agentmail } from '../../support/agentmail.ts'
import { canMount, smallDisk } from '../../support/full-disk.ts'
import { type ClientWindow, openWindow } from '../../support/sessions/client-window.ts'

const limitMs = 3_000
/** To start a process and end it, on a busy machine. */
const startMs = 7_000

const moments: [event: string, more: object][] = [
  ['SessionStart', { source: 'startup' }],
  ['UserPromptSubmit', { prompt: 'go' }],
  ['PreToolUse', { tool_name: 'Edit', tool_input: { file_path: 'a.ts' } }],
  ['PostToolUse', { tool_name: 'Edit', tool_input: { file_path: 'a.ts' } }],
  ['Notification', { notification_type: 'permission_prompt' }],
  ['Stop', {}],
  ['SessionEnd', { reason: 'exit' }],
]

/** What a hook answers, whatever it says beside. */
async function hook(
  { folder, env, session }: ClientWindow,
  moment: (typeof moments)[number],
  guard = 'on',
) {
  const [hook_event_name, more] = moment
  const input = JSON.stringify({ session_id: session, cwd: folder, hook_event_name, ...more })
  const own = { ...env, AGENTMAIL_HOOK_MS: String(limitMs), AGENTMAIL_GUARD: guard }
  const begun = performance.now()
  const ran = await agentmail(['hook', 'claude'], { cwd: folder, env: own, input })
  const { stdout, exitCode } = ran
  return {
    answer: JSON.parse(stdout),
    exitCode,
    isInTime: performance.now() - begun < limitMs + startMs,
  }
}

describe.runIf(process.platform === 'linux' && canMount())('on a full disk', () => {
  describe.each(['on the database', 'through a server'])('%s', (way) => {
    async function open() {
      const disk = smallDisk()
      const window = openWindow({ AGENTMAIL_DB: join(disk.folder, 'agentmail.db') })
      const server = way === 'through a server' ? await window.serve() : undefined
      await window.tell('SessionStart', { source: 'startup' })
      /** A little may still fit into what was given to a file before. */
      const fill = async () => {
        disk.fill(server?.pid ?? 0)
        for (let posts = 0; posts < 40; posts++) {
          const { exitCode } = await window.as('bob', 'post', 'x', 'x'.repeat(20_000))
          if (exitCode !== 0) return
        }
        throw new Error('There is still room')
      }
      return { window, fill, free: () => disk.free(server?.pid ?? 0) }
    }

    it('hooks let their client go on in time, refuse edits where the guard is closed, and go on when there is room', async () => {
      const { window, fill, free } = await open()
      await fill()
      for (const moment of moments) {
        const heard = await hook(window, moment)
        expect([moment[0], heard]).toEqual([moment[0], { answer: {}, exitCode: 0, isInTime: true }])
      }
      const [, , edit] = moments
      if (!edit) throw new Error('There is no edit')
      expect(JSON.stringify((await hook(window, edit, 'closed')).answer)).toContain('"deny"')
      free()
      expect(
        JSON.stringify((await hook(window, ['SessionStart', { source: 'resume' }])).answer),
      ).toContain('ann')
      expect((await hook(window, edit)).answer).toEqual({})
      const { stdout } = await window.as('bob', 'claims')
      expect(stdout).toContain('a.ts')
      await window.as('bob', 'send', 'ann', 'the build is red')
      expect(JSON.stringify((await hook(window, ['Stop', {}])).answer)).toContain(
        'the build is red',
      )
    })

    it('who waits for mail of a session waits on, and wakes it when there is room', async () => {
      const { window, fill, free } = await open()
      const waiter = window.wait()
      await window.isWaitedFor()
      await fill()
      await pause(2_000)
      expect(waiter.child.exitCode).toBeNull()
      free()
      const posted = await window.as('bob', 'post', '--channel', '@ann', 'red', 'the build is red')
      expect([posted.stderr, posted.exitCode]).toEqual(['', 0])
      expect(await waiter.ended).toMatchObject({ exitCode: 2, stdout: '' })
    })
  })

  it('of the state folder keeps no hook from its answer, and nobody who waits from ending in order', async () => {
    const disk = smallDisk()
    const window = openWindow({ XDG_STATE_HOME: disk.folder, XDG_CACHE_HOME: disk.folder })
    disk.fill(0)
    await window.tell('SessionStart', { source: 'startup' })
    const waiter = window.wait()
    expect(await waiter.ended).toMatchObject({ exitCode: 0, stdout: '', stderr: '' })
    await window.as('bob', 'send', 'ann', 'the build is red')
    expect(JSON.stringify(await window.tell('UserPromptSubmit'))).toContain('the build is red')
    disk.free(0)
    const next = window.wait('Stop')
    await window.isWaitedFor()
    await window.tell('Stop')
    await window.as('bob', 'send', 'ann', 'again')
    expect(await next.ended).toMatchObject({ exitCode: 2 })
  })
})

/** The client of MCP servers: answers, fallbacks, and its own end. */
import { statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import * as z from 'zod'
import { AgentMailError } from '../../src/errors.ts'
import { binary } from '../support/agentmail.ts'
import { eventually } from '../support/eventually.ts'
import {
  atEnd,
  endScenes,
  failure,
  instead,
  isAlive,
  processOf,
  Scene,
  value,
} from '../support/orchestrator/server-scene.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { TestVault } from '../support/vault/vault.ts'

afterAll(endScenes)

describe('an answer', () => {
  const scene = new Scene('good')

  it.each(['good', 'text_only', 'second_text', 'slow', 'garbage', 'noise'])(
    'is read from %s',
    async (tool) => {
      expect(await scene.read(tool)).toEqual(value)
    },
  )

  it('comes from a server that knows no more of the environment than it was given', async () => {
    expect((await scene.read('env')).name).toBe('GIVEN')
  })

  it('and a question may have many megabytes', async () => {
    expect((await scene.read('big')).name).toHaveLength(9 << 20)
    expect((await scene.write('measure', { body: 'x'.repeat(20 << 20) })).count).toBe(20 << 20)
  })

  it.each(['wrong_shape', 'no_json', 'no_result', 'rpc_error'])(
    'that is %s is a failed call',
    async (tool) => {
      const before = scene.lines().length
      expect(await scene.withFallback(tool)).toEqual(instead)
      expect(scene.lines().slice(before)).toEqual([
        {
          event: 'mcp_fallback',
          timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
          server: 'obsidian',
          tool,
          error: 'mcp_unavailable',
          message: expect.not.stringContaining('private words'),
          severity: 'WARNING',
        },
      ])
      const error = await failure(scene.write(tool))
      expect(error.code).toBe('mcp_unavailable')
      expect(error.details).toEqual({ server: 'obsidian', tool, may_have_run: true })
      expect(scene.lines().slice(before + 1)).toEqual([
        expect.objectContaining({ event: 'mcp_escalation', tool, severity: 'ERROR' }),
      ])
    },
  )

  it.each([
    ['not_found', 'not_found'],
    ['rate_limited', 'rate_limited'],
    ['internal_error', 'internal'],
    ['toString', 'internal'],
  ])('that is the error %s of the tool itself gets no fallback', async (code, expected) => {
    const before = scene.lines().length
    const error = await failure(
      scene.read('error_json', { code }, { fallback: async () => instead }),
    )
    expect(error.code).toBe(expected)
    expect(error.message).toBe('it said: ******** and more')
    expect(error.details).toEqual({ path: 'a.md', hint: ['********'], tool_error: code })
    expect(scene.lines()).toHaveLength(before)
  })

  it('that is an error in plain text, or none at all, is told as internal', async () => {
    expect(await failure(scene.read('error_text'))).toMatchObject({
      code: 'internal',
      message: 'broken: ********',
    })
    expect(await failure(scene.read('error_empty'))).toMatchObject({
      code: 'internal',
      message: expect.stringContaining('error_empty'),
    })
  })

  it('tells which arguments a tool takes, from all pages and asked once', async () => {
    const asked = [
      ['good', 'first'],
      ['last', 'if_match'],
      ['good', 'if_match'],
      ['bare', 'x'],
      ['none', 'x'],
    ] as const
    const taken = await Promise.all(asked.map(([tool, name]) => scene.client.takes(tool, name)))
    expect(taken).toEqual([true, true, false, false, false])
    expect(scene.timesListed).toBe(2)
  })

  it('came from one process through all of this', () => {
    expect(scene.pids).toHaveLength(1)
  })
})

describe.concurrent('a fallback', () => {
  it.each([
    ['not_found', 'not_found', []],
    ['conflict', 'conflict', []],
    ['storage', 'mcp_unavailable', ['mcp_escalation good']],
  ] as const)('that fails with %s ends as %s', async (code, expected, escalated) => {
    const scene = new Scene('dies')
    const fallback = async () => {
      throw new AgentMailError(code, 'words of the fallback')
    }
    const error = await failure(scene.withFallback('good', { fallback }))
    expect(error.code).toBe(expected)
    expect(error.message).toContain('words of the fallback')
    expect(scene.events()).toEqual(['mcp_fallback good', ...escalated])
  })

  it('runs although the log cannot be written', async () => {
    const scene = new Scene('dies')
    writeFileSync(join(scene.vault.root, 'Logs'), 'in the way')
    expect(await scene.withFallback('good')).toEqual(instead)
  })

  it('is logged for the owner alone', async () => {
    const scene = new Scene('dies')
    await scene.withFallback('good')
    expect(statSync(scene.log).mode & 0o777).toBe(0o600)
  })
})

describe.concurrent('a client', () => {
  it('that is closed has no process, fails its calls, and can be closed again', async () => {
    const scene = new Scene('stubborn')
    await scene.read('good')
    const under = failure(scene.withFallback('hang'))
    await Promise.all([scene.client.close(), scene.client.close()])
    expect(scene.pids.map(isAlive)).toEqual([false])
    expect(await under).toMatchObject({ code: 'mcp_unavailable', details: { may_have_run: true } })
    expect(await failure(scene.withFallback('good'))).toMatchObject({
      details: { may_have_run: false },
    })
    expect(scene.lines()).toEqual([])
    expect(scene.pids).toHaveLength(1)
  })

  it('that is closed while the server starts leaves none behind', async () => {
    const scene = new Scene('hangs')
    const under = failure(scene.read('good'))
    await eventually('it is started', () => scene.pids.length === 1)
    await scene.client.close()
    expect((await under).code).toBe('mcp_unavailable')
    expect(scene.pids.map(isAlive)).toEqual([false])
  })

  it('speaks with a server that knows the revision of 2026 only', async () => {
    const scene = new Scene('modern')
    expect(await scene.read('good')).toEqual(value)
    expect(await scene.client.takes('last', 'if_match')).toBe(true)
    expect(scene.pids.map(isAlive)).toEqual([false, true])
  })

  it("speaks with AgentMail's own server", async () => {
    const vault = new TestVault(temporaryFolder(atEnd))
    vault.put('a.md', '---\nstatus: new\n---\nHello\n')
    const scene = new Scene('good', {
      start: processOf([process.execPath, binary, 'mcp', 'obsidian'], vault.env),
    })
    const note = z.object({ frontmatter: z.record(z.string(), z.unknown()), body: z.string() })
    const read = await scene.client.call(
      'read_note',
      { path: 'a.md' },
      { schema: note, isSafe: true },
    )
    expect(read).toEqual({ frontmatter: { status: 'new' }, body: 'Hello\n' })
    expect(await scene.client.takes('write_note', 'if_match')).toBe(true)
    expect(await failure(scene.read('read_note', { path: 'b.md' }))).toMatchObject({
      code: 'not_found',
      details: { tool_error: 'not_found' },
    })
  })
})

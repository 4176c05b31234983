/** The picture of two agents in the manual. */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { root } from '../support/agentmail.ts'

it('shows what happens when it is played again', () => {
  const script = join(root, 'scripts/record-scene.mjs')
  const { status, stderr } = spawnSync(process.execPath, [script, '--check'], { encoding: 'utf8' })
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
})

/** Decisions on drafts whose command is killed. */

import { describe, expect, it } from 'vitest'
import { Approvals } from '../../../src/orchestrator/approval/approvals.ts'
import { reject } from '../../../src/orchestrator/approval/reject.ts'
import { standingAt } from '../../../src/orchestrator/approval/standing.ts'
import { Vault } from '../../../src/vault/vault.ts'
import { agentmail } from '../../support/agentmail.ts'
import { loading } from '../../support/loading.ts'
import { filled, recorded, versionOf } from '../../support/orchestrator/drafts-to-decide.ts'
import { approveAsItIs, recordsIn } from '../../support/orchestrator/records-in.ts'
import type { TestVault } from '../../support/vault/vault.ts'

describe('a command that is killed', () => {
  /** Kills it at each of its calls in turn, and does the same again after each. */
  async function killEverywhere(
    args: string[],
    again: (vault: Vault) => Promise<unknown>,
    look: (test: TestVault, vault: Vault) => unknown,
  ) {
    for (let call = 1; call < 200; call++) {
      const { vault: test } = filled()
      const vault = new Vault(test.root)
      const env = { ...test.env, ...loading(['killed-call'], { KILL_AT: String(call) }) }
      const { signal, stdout } = await agentmail(['drafts', ...args], { env })
      // The answer is one write: who reads its first line alone must not make it fail.
      if (signal !== null) expect(stdout).toBe('')
      expect(await standingAt(recordsIn(vault), approved)).not.toMatchObject({
        is: 'by hand',
      })
      if (signal !== null) await again(vault)
      await look(test, vault)
      if (signal === null) return call
    }
    throw new Error('it never came to its end')
  }

  const approved = 'Approved/reply.md'
  const notesOf = (vault: TestVault) =>
    vault.files().filter((file) => /^(Drafts|Approved|Done)\/[^.].*md$/.test(file))

  it('completes an approval when it is run again', async () => {
    const again = (vault: Vault) =>
      approveAsItIs(recordsIn(vault), 'Drafts/reply.md', { by: 'anna' })
    const version = await versionOf(filled().drafts, 'reply')
    const calls = await killEverywhere(
      ['approve', 'Drafts/reply.md', '--version', version],
      again,
      async (test, vault) => {
        expect(notesOf(test)).toEqual([approved, 'Drafts/lunch.md'])
        const approvals = new Approvals(vault)
        expect((await standingAt(recordsIn(vault), approved)).is).toBe('approved')
        expect(await approvals.verdicts()).toHaveLength(1)
      },
    )
    expect(calls).toBeGreaterThan(5)
  })

  it('completes a rejection when it is run again', async () => {
    const again = (vault: Vault) => reject(recordsIn(vault), 'Drafts/reply.md', { by: 'anna' })
    const calls = await killEverywhere(['reject', 'Drafts/reply.md'], again, (test) => {
      expect(notesOf(test)).toEqual(['Done/reply.md', 'Drafts/lunch.md'])
      expect(test.text('Done/reply.md')).toContain('status: rejected')
      expect(test.text('Needs_Action/reply.md')).toContain('status: needs_info')
      expect(recorded(test)).toHaveLength(1)
    })
    expect(calls).toBeGreaterThan(5)
  })
})

/** agentmail drafts approve --agent: a mail that waits is given to an agent. */
import { spawnSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { filled, recorded } from '../support/orchestrator/drafts-to-decide.ts'
import { OrchestratorHome } from '../support/orchestrator/orchestrator-home.ts'
import { registeredAt } from '../support/orchestrator/registered.ts'

describe('a mail that a person gives to an agent by command', () => {
  it('goes to the agent exactly as it was read', async () => {
    const { vault, drafts } = filled()
    for (const status of ['pending', 'needs_info']) {
      const path = `Needs_Action/${status}.md`
      const text = `---\nstatus: ${status}\nmessage_id: ${status}\nfrom: jo@example.com\nsubject: Tea\nanswers: ann\n---\nAt five?\n`
      vault.put(path, text)
      const give = (...more: string[]) => drafts('approve', path, '--agent', 'ann', ...more)
      expect((await give()).stderr).toContain('give --version')
      const shown = JSON.parse((await drafts('show', path, '--json')).stdout)
      const { version, sha256 } = shown
      expect(shown).toMatchObject({ kind: 'received', status, asked_by: 'ann' })
      vault.put(path, text.replace('five', 'six'))
      expect(await give('--version', version)).toMatchObject({
        ...{ exitCode: 1, stderr: expect.stringContaining(`is not version ${version}: its`) },
      })
      vault.put(path, text)
      expect((await drafts('approve', path, '--version', version)).stderr).toMatch(
        /not a draft: .* is a mail that came in\n.*--agent <name>/,
      )
      expect(vault.files()).not.toContain(`Approved/${status}.md`)
      expect((await give('--version', version)).stdout).toMatch(/^Approved: .*\n {2}to @ann: Tea\n/)
      expect((await give('--version', version)).stdout).toMatch(/^Approved already: /)
      expect(vault.text(`Approved/${status}.md`)).toMatch(
        /^---\nstatus: pending_approval\n[\s\S]*\ntriage: delegate\ndelegate_to: ann\napproved_by: /,
      )
      expect(recorded(vault).at(-2)).toMatchObject({ seen: sha256, to: '@ann' })
    }
  })

  it('goes to nobody who is not there, as far as that can be known', async () => {
    const home = await OrchestratorHome.make([{ subject: 'Bill', decision: 'delegate' }])
    spawnSync('git', ['init', '-q'], { cwd: home.folder })
    await registeredAt(home, 'clerk', 'keeps the books')
    for (const subject of ['Bill', 'Question']) home.drop({ subject })
    await home.once()
    for (const subject of ['Bill', 'Question']) {
      const { path } = await home.noteOn('Needs_Action', subject)
      const { exitCode, stderr } = await home.approve(path, '--agent', 'clerck')
      expect([exitCode, stderr]).toEqual([
        1,
        expect.stringContaining('nobody is called "clerck". Did you mean clerk?'),
      ])
      expect(home.list('Approved')).toEqual([])
    }
    const { path } = await home.noteOn('Needs_Action', 'Bill')
    const { version } = JSON.parse((await home.run(['drafts', 'show', path, '--json'])).stdout)
    const approve = ['drafts', 'approve', path, '--version', version, '--agent', 'clerck']
    const unread = { AGENTMAIL_SERVER: 'http://127.0.0.1:9' } // nobody answers there
    expect(await home.run(approve, unread)).toMatchObject({ exitCode: 0 })
  })
})

/** A mail that may have left: what a person or an editor does to its note never sends it again. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { hashOf } from '../../../src/email/drafts/draft-note.ts'
import { keepSend } from '../../support/orchestrator/kept-sends.ts'
import { OrchestratorHome } from '../../support/orchestrator/orchestrator-home.ts'

const draft = { status: 'pending_approval', to: 'jane@example.com', subject: 'lunch' }

/** A run was killed when the ledger said this of the note. */
async function homeAfter(
  state: 'sending' | 'sent' | 'unknown',
  path: string,
): Promise<OrchestratorHome> {
  const home = await OrchestratorHome.make()
  home.draft(path, draft)
  const sha256 = await hashOf(home.vault, await home.note(path))
  const at = new Date(Date.now() - 60_000).toISOString()
  await keepSend(home.env, home.vault, state, { name: 'a.md', sha256, at })
  return home
}

const status = async (home: OrchestratorHome, path: string) =>
  (await home.note(path)).frontmatter.status

describe('a mail that may have left', () => {
  it('is not sent where its note was rejected meanwhile', async () => {
    const home = await homeAfter('sending', 'Approved/a.md')
    home.draft('Approved/a.md', { ...draft, status: 'rejected' })
    expect((await home.once()).exitCode).toBe(1)
    expect(await home.sent()).toEqual([])
    expect(await status(home, 'Approved/a.md')).toBe('rejected')
  })

  it('is marked in the note that was taken out of Approved/, so that nobody approves it unaware', async () => {
    const home = await homeAfter('sending', 'Drafts/a.md')
    await home.once()
    expect(await status(home, 'Drafts/a.md')).toBe('unknown')
    const { exitCode, stderr } = await home.approve('a.md')
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining('may have been sent')])
  })

  it('is not sent with another text, under its own name or another', async () => {
    const home = await homeAfter('unknown', 'Approved/a.md')
    home.draft('Approved/a.md', draft, 'Something else.\n')
    home.draft('Approved/a copy.md', draft)
    expect((await home.once()).exitCode).toBe(1)
    expect(await home.sent()).toEqual([])
    expect(await status(home, 'Approved/a.md')).toBe('unknown')
  })

  it('is looked for, and not given to a service that knows nothing of it', async () => {
    const home = await homeAfter('unknown', 'Approved/a.md')
    expect((await home.once()).exitCode).toBe(1)
    expect(await home.sent()).toEqual([])
    expect(await status(home, 'Approved/a.md')).toBe('unknown')
  })

  it('is sent once more when a person says so by command, and knows how it stood', async () => {
    const home = await homeAfter('unknown', 'Drafts/a.md')
    expect((await home.approve('a.md')).exitCode).toBe(0)
    expect((await home.once()).exitCode).toBe(0)
    expect(await home.sentSubjects()).toEqual(['lunch'])
  })
})

describe('a draft that was approved when another ledger was kept', () => {
  const homeWith = async (state: object, env = {}) => {
    const home = await OrchestratorHome.make([], env)
    home.put('Logs/orchestrator_state.json', JSON.stringify(state))
    return home
  }
  const sends = { 'a.md': { state: 'sending' } }

  it.each([
    ['that is lost', { ledger_id: 'lost', vault_id: 'vault' }],
    ['in the state itself, as versions before did', { sends }],
  ])('%s, is given to nobody, also when somebody has just saved it', async (_, state) => {
    const home = await homeWith(state, { AGENTMAIL_QUIET_SECONDS: '1' })
    home.draft('Approved/a.md', draft)
    expect((await home.run(['drafts', 'list'])).stderr).not.toMatch(/should not have happened/)
    expect((await home.once()).exitCode).toBe(1)
    expect((await home.once()).exitCode).toBe(1)
    expect(await home.sent()).toEqual([])
    expect(await status(home, 'Approved/a.md')).toBe('unknown')
  })

  it('is given to nobody when what it lacked has come', async () => {
    const home = await homeWith({ ledger_id: 'lost' })
    home.draft('Approved/a.md', { ...draft, attachments: ['Files/a.txt'] })
    expect((await home.once()).exitCode).toBe(1)
    mkdirSync(join(home.root, 'Files'))
    home.put('Files/a.txt', 'here')
    expect((await home.once()).exitCode).toBe(1)
    expect(await home.sent()).toEqual([])
    expect(await status(home, 'Approved/a.md')).toBe('unknown')
  })

  it('waits where nothing can be recorded of it', async () => {
    const home = await homeWith({ ledger_id: 'lost' })
    home.draft('Approved/a.md', draft)
    mkdirSync(join(home.folder, 'state/agentmail'), { recursive: true })
    writeFileSync(join(home.folder, 'state/agentmail/senders'), 'no folder')
    const worked = await home.once()
    expect([worked.exitCode, worked.told('blocked').length]).toEqual([1, 1])
    expect(await home.sent()).toEqual([])
  })

  it('keeps nothing from what is approved after that', async () => {
    const home = await homeWith({ ledger_id: 'lost' })
    home.draft('Drafts/by command.md', { ...draft, subject: 'by command' })
    home.draft('Drafts/by hand.md', { ...draft, subject: 'by hand' })
    await home.once()
    expect((await home.approve('by command.md')).exitCode).toBe(0)
    home.approveByHand('Drafts/by hand.md')
    expect((await home.once()).exitCode).toBe(0)
    expect(await home.sentSubjects()).toEqual(['by command', 'by hand'])
  })
})

describe('a mail that was sent and whose note was not put away', () => {
  it('is put away, and what it says now is not sent', async () => {
    const same = await homeAfter('sent', 'Approved/a.md')
    expect((await same.once()).exitCode).toBe(0)
    expect(await status(same, 'Done/a.md')).toBe('done')
    const changed = await homeAfter('sent', 'Approved/a.md')
    changed.draft('Approved/a.md', draft, 'Something else.\n')
    expect((await changed.once()).told('blocked')).toHaveLength(1)
    expect([await same.sent(), await changed.sent()]).toEqual([[], []])
  })
})

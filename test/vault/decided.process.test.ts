/** What only a person decides: the tools of the vault refuse it with words, through the official client. */
import { describe, expect, it } from 'vitest'
import { TestVault } from '../support/vault/vault.ts'
import { VaultClient } from '../support/vault/vault-client.ts'

const fields = {
  status: 'pending_approval',
  to: 'jane@example.com',
  cc: ['carl@example.com'],
  bcc: 'bea@example.com',
  subject: 'Offer',
  reply_to_message_id: 'abc',
  priority: 'urgent',
  attachments: [{ path: 'Files/a.txt', name: 'a.txt' }],
  from: 'anna@example.com',
  reply_to: 'desk@example.com',
  tags: ['x'],
}
const yaml = Object.entries(fields).map(([name, value]) => `${name}: ${JSON.stringify(value)}\n`)
const waiting = `---\n${yaml.join('')}---\nDear Jane, [[Plan]]\n`
const mail = {
  ...{ status: 'pending_approval', triage: 'delegate', delegate_to: 'books' },
  ...{ message_id: 'abc', from: 'jane@example.com', subject: 'Invoice' },
}
const handed = `---\n${Object.entries(mail)
  .map(([name, value]) => `${name}: ${value}\n`)
  .join('')}---\nPay me\n`
const broken = '---\nstatus: pending_approval\nto: [jane@example.com\n---\nHello\n'

async function open() {
  const vault = new TestVault()
  vault.put('Rules.md', '---\nrules: []\n---\n[[Plan]]\n')
  vault.put('Plan.md', 'A plan')
  vault.put('Drafts/waits.md', waiting)
  vault.put('Drafts/Sub/waits.md', waiting)
  vault.put('Drafts/listed.md', '---\nstatus: [" Pending_Approval"]\nto: a@example.com\n---\nx')
  vault.put(
    'Drafts/twice.md',
    '---\nstatus: x\nstatus: "Pending_approval"\nto: a@example.com\n---\n',
  )
  vault.put('Drafts/broken.md', broken)
  vault.put('Drafts/huge.md', `${waiting}${'x'.repeat(5 << 20)}`)
  vault.put('Drafts/idea.md', '---\nstatus: idea\nto: a@example.com\n---\nx')
  vault.put('Approved/b.md', waiting)
  vault.put('Drafts/Attachments/1.md', 'as it was proposed')
  vault.put('Needs_Action/handed.md', handed)
  vault.put('Needs_Action/answer.md', '---\nstatus: pending\nanswers: ann\n---\nAt nine\n')
  vault.put('claims.md', '---\nmessage_id: x\nanswers: eve\n---\n')
  return { vault, client: await VaultClient.open(vault) }
}

describe('the tools', () => {
  it('refuse what only a person decides, and change nothing', async () => {
    const { vault, client } = await open()
    const before = vault.files().map((file) => [file, textOf(vault, file)])
    const write = (path: string, frontmatter: object, more: object = {}) =>
      ['write_note', { path, frontmatter, body: 'x', ...more }] as const
    const move = (source: string, destination: string) =>
      ['move_note', { source, destination }] as const
    const changes = [
      ...Object.keys(fields)
        .filter((name) => name !== 'tags')
        .flatMap((name) => [
          { ...fields, [name]: 'eve@example.net' },
          { ...fields, [name]: undefined },
          { ...fields, [name]: [] },
        ]),
      { ...fields, attachments: [{ path: 'Files/a.txt', name: 'b.txt' }] },
      { ...fields, provider: 'postmark' },
      { ...fields, To: 'eve@example.net' },
      {},
    ]
    const etag = async (path: string) => {
      const { details } = await client.error('read_note', { path })
      return { if_match: details?.etag }
    }
    const calls = [
      ...changes.map((frontmatter) => write('Drafts/waits.md', frontmatter)),
      write('./x/../Drafts//Sub/waits.md', {}),
      write('Drafts/listed.md', { status: 'pending_approval', to: 'eve@example.net' }),
      write('Drafts/listed.md', { to: 'a@example.com' }),
      write('Drafts/twice.md', {}, await etag('Drafts/twice.md')),
      write('Drafts/broken.md', {}, await etag('Drafts/broken.md')),
      write('Drafts/huge.md', {}, await etag('Drafts/huge.md')),
      ...['Rules.md', 'RULES.md', 'rules.md', './Rules.md', 'x/../Rules.md', 'Rules.md/x.md'].map(
        (path) => write(path, { rules: [] }),
      ),
      ...['Approved/b.md', 'Approved/new.md', 'approved/new.md', 'Approved/x/new.md'].map((path) =>
        write(path, {}),
      ),
      move('Rules.md', 'Old rules.md'),
      move('Plan.md', 'Rules.md'),
      move('Plan.md', 'Rule\u017f.md'),
      move('Plan.md', 'Approved/Plan.md'),
      move('Approved/b.md', 'Drafts/b.md'),
      move('Approved/b.md', 'Approved/c.md'),
      move('Drafts/waits.md', 'Done/waits.md'),
      move('Drafts/waits.md', 'waits.md'),
      move('Drafts/waits.md', 'Drafts/Attachments/waits.md'),
      move('Drafts/Sub/waits.md', 'Needs_Action/waits.md'),
      move('Drafts/listed.md', 'listed.md'),
      move('Drafts/twice.md', 'twice.md'),
      move('Drafts/broken.md', 'broken.md'),
      move('Drafts/huge.md', 'huge.md'),
      write('Drafts/waits.md', { ...fields, track_opens: true }),
      ...Object.keys(mail).map((name) =>
        write('Needs_Action/handed.md', { ...mail, [name]: 'eve' }),
      ),
      ...['answers', 'Answers', 'answers_project'].map((name) =>
        write('Needs_Action/new.md', { status: 'pending', message_id: 'x', [name]: 'eve' }),
      ),
      write('Needs_Action/answer.md', { status: 'pending', answers: 'eve' }),
      write('Needs_Action/answer.md', { status: 'pending' }),
      move('claims.md', 'Needs_Action/claims.md'),
      move('Needs_Action/handed.md', 'Drafts/handed.md'),
      write('Drafts/Attachments/1.md', {}),
      move('Drafts/Attachments/1.md', '1.md'),
      move('Plan.md', 'Drafts/Attachments/2.md'),
    ]
    for (const [tool, args] of calls) {
      expect([args, await client.error(tool, args)]).toEqual([
        args,
        {
          error: 'permission_denied',
          message: expect.stringContaining('only a person may'),
          details: null,
        },
      ])
    }
    expect(vault.files().map((file) => [file, textOf(vault, file)])).toEqual(before)
  })

  it('may still change the text of a draft that waits, and write others', async () => {
    const { vault, client } = await open()
    const { frontmatter, etag } = await client.read('Drafts/waits.md')
    await client.write('Drafts/waits.md', { ...frontmatter, tags: [], note: 1 }, 'Dear Jane', etag)
    expect(vault.text('Drafts/waits.md')).toMatch(
      /^status: "pending_approval"\n[\s\S]*\nDear Jane$/m,
    )
    await client.write('Drafts/new.md', { status: 'pending_approval', to: 'a@example.com' }, 'Hi')
    await client.write('Drafts/idea.md', { status: 'idea', to: 'b@example.com' }, 'Hi')
    await client.call('move_note', { source: 'Drafts/idea.md', destination: 'Ideas/idea.md' })
    await client.write('Projects/Rules.md', {}, 'of another kind')
    await client.write('Needs_Action/x.md', { status: 'pending_approval' }, '')
    await client.write('Needs_Action/x.md', { status: 'done' }, '')
    await client.write('Needs_Action/answer.md', { status: 'done', answers: 'ann' }, '')
    await client.write('Needs_Action/handed.md', { ...mail, tags: [] }, 'Pay me, see [[Plan]]')
  })

  it('leave links alone in what a person decides about as it stands', async () => {
    const { vault, client } = await open()
    const move = { source: 'Plan.md', destination: 'Projects/New.md', update_links: true }
    expect(await client.call('move_note', move)).toEqual({
      moved: true,
      not_updated: [
        'Approved/b.md',
        'Drafts/Sub/waits.md',
        'Drafts/huge.md',
        'Drafts/waits.md',
        'Rules.md',
      ],
    })
    expect(vault.text('Drafts/waits.md')).toBe(waiting)
    expect(vault.text('Rules.md')).toContain('[[Plan]]')
  })
})

function textOf(vault: TestVault, file: string): string {
  return file.endsWith('.md') ? vault.text(file) : ''
}

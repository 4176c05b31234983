/** A hostile vault: nothing outside it is read or written, what is healthy goes out once, and what is not is told of. */
import { mkdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { State } from '../../../src/orchestrator/state.ts'
import { jsonOf } from '../../../src/system/text.ts'
import { Vault } from '../../../src/vault/vault.ts'
import { makePipe } from '../../support/named-pipe.ts'
import { draft } from '../../support/orchestrator/clerk.ts'
import { mail } from '../../support/providers/local-folder.ts'
import { HostileVault } from '../../support/vault/hostile-vault.ts'

const evils = {
  'a link elsewhere': (vault: HostileVault, name: string) => vault.link(name, ''),
  'a file': (vault: HostileVault, name: string) => vault.put(name, 'no folder'),
}
const places: { place: string; how: keyof typeof evils }[] = [
  { place: 'Needs_Action', how: 'a link elsewhere' },
  { place: 'Drafts', how: 'a link elsewhere' },
  { place: 'Drafts', how: 'a file' },
  { place: 'Done', how: 'a link elsewhere' },
  { place: 'Approved', how: 'a link elsewhere' },
  { place: 'Logs', how: 'a link elsewhere' },
  { place: 'Logs', how: 'a file' },
]

describe('a vault', () => {
  it.each(places)(
    'whose $place is $how is left alone, and that is told',
    async ({ place, how }) => {
      const vault = new HostileVault()
      rmSync(join(vault.vault, place), { recursive: true, force: true })
      evils[how](vault, place)
      vault.add(mail({ Subject: 'new' }))
      if (place !== 'Approved') vault.put('Approved/well.md', draft('bob@example.com'))
      for (const _ of place === 'Done' ? [1, 2] : [1]) {
        const { exitCode, stderr, stdout } = await vault.works()
        if (place === 'Logs')
          expect([stdout, stderr]).toEqual(['', expect.stringContaining('Logs')])
        if (how === 'a file' && place === 'Approved') expect(exitCode).toBe(0)
        else {
          expect(exitCode).not.toBe(0)
          expect(stdout + stderr).toMatch(/not followed|not a folder/)
        }
      }
      const isSending = !['Approved', 'Logs'].includes(place)
      expect(await vault.recipients()).toEqual(isSending ? [['bob@example.com']] : [])
    },
  )

  it('sends what is well in Approved/ once, whatever lies beside it', async () => {
    const vault = new HostileVault()
    const healthy = [
      'plain.md',
      'U\u0308mla\u0308ut.md',
      'sub/folder/deep.md',
      `${'long'.repeat(62)}.md`,
      'Re: b*c?"<>|.md',
      "it's #1 [x] ^y.md",
      ' two  blanks .md',
    ]
    for (const [index, name] of healthy.entries())
      vault.put(`Approved/${name}`, draft(`well${index}@example.com`))
    vault.put('Approved/c:drive.md', draft('evil@example.net'))
    vault.link('Approved/linked.md', 'note.md')
    vault.link('Approved/linked', '')
    makePipe(join(vault.vault, 'Approved/pipe.md'))
    mkdirSync(join(vault.vault, 'Approved/folder.md'))
    vault.put('Approved/.hidden.md', draft('evil@example.net'))
    const ill: Record<string, string | Buffer> = {
      large: draft('evil@example.net', 'x'.repeat(5 << 20)),
      latin1: Buffer.from(draft('evil@example.net', 'caf\u00e9'), 'latin1'),
      corrupt: '---\nto: [evil@example.net\n---\nx\n',
      unclosed: '---\nto: evil@example.net\n',
      twice: '---\nto: evil@example.net\nto: evil@example.net\n---\nx\n',
      bomb: `---\na: &a [x,x,x,x,x,x,x,x,x]\n${[...'bcdefghi'].map((one, at) => `${one}: &${one} [${Array(9).fill(`*${'abcdefgh'[at]}`)}]`).join('\n')}\nto: evil@example.net\n---\nx\n`,
      nobody: '---\nsubject: x\n---\nx\n',
      empty: '',
      silent: draft('evil@example.net', ''),
      'no-address': draft('not an address'),
      approved: draft('evil@example.net', 'x', 'approved_by: anna\n'),
      rejected: draft('evil@example.net').replace('pending_approval', 'rejected'),
      done: draft('evil@example.net').replace('pending_approval', 'done'),
    }
    const files = {
      up: '../outside/note.md',
      absolute: join(vault.outside, 'note.md'),
      linked: 'Files/linked.md',
      'in-link': 'Approved/linked/note.md',
      dot: '.obsidian/app.json',
      missing: 'Files/none.pdf',
      pipe: 'Approved/pipe.md',
      folder: 'Files',
    }
    vault.put('Files/ok.txt', 'ok')
    vault.put('.obsidian/app.json', 'stolenword')
    vault.link('Files/linked.md', 'note.md')
    for (const [name, path] of Object.entries(files))
      ill[`file-${name}`] = draft(
        'evil@example.net',
        'x',
        `attachments: [${JSON.stringify(path)}]\n`,
      )
    for (const [name, text] of Object.entries(ill)) vault.put(`Approved/ill-${name}.md`, text)
    const { events, exitCode } = await vault.works()
    expect(exitCode).toBe(1)
    const wanted = healthy.map((_, index) => `well${index}@example.com`)
    expect((await vault.recipients()).flat().sort()).toEqual(wanted)
    const told = events.filter(({ event }) => event === 'blocked').map(({ note }) => note)
    const strays = ['c:drive', 'linked', 'pipe']
    const notSent = [...strays, ...Object.keys(ill).map((name) => `ill-${name}`)]
    expect(told.sort()).toEqual(notSent.map((name) => `Approved/${name}.md`).sort())
    await vault.works()
    expect((await vault.recipients()).flat().sort()).toEqual(wanted)
  })
})

describe('what the orchestrator remembers', () => {
  const state = 'Logs/orchestrator_state.json'
  const lock = 'Logs/.orchestrator.lock'

  it.each<[string, string, (vault: HostileVault) => void]>([
    ['is a folder', state, (vault) => mkdirSync(join(vault.vault, state), { recursive: true })],
    ['is a link', state, (vault) => vault.link(state, 'state.json')],
    ['is of another kind', state, (vault) => vault.put(state, '{"ingested": {"a": 1}}')],
    ['is locked by a link', lock, (vault) => vault.link(lock, 'state.json')],
  ])('is neither overwritten nor done without where it %s', async (_, path, make) => {
    const vault = new HostileVault()
    make(vault)
    vault.add(mail({ Subject: 'new' }))
    vault.put('Approved/well.md', draft('bob@example.com'))
    const { exitCode, stderr } = await vault.works()
    expect(exitCode).toBeGreaterThan(0)
    expect(jsonOf(stderr)).toMatchObject({ message: expect.stringContaining(path) })
    expect(await vault.sent()).toEqual([])
    expect(await vault.notes('Needs_Action')).toEqual([])
  })

  it.each(['', '{"sends": ', '[]', '{"ingested": "x"}', '{"version": 2}', '\0'])(
    'is refused as %j',
    (text) => {
      const vault = new HostileVault()
      vault.put(state, text)
      expect(() => State.load(new Vault(vault.vault))).toThrow('cannot be understood')
      expect(vault.text(state)).toBe(text)
    },
  )

  it('is kept beside what others keep there', async () => {
    const vault = new HostileVault()
    const others = { last_seen: 3, constructor: 'x', notes: 'y'.repeat(1 << 20) }
    vault.put(state, `{"__proto__": {"sends": {}}, ${JSON.stringify(others).slice(1)}`)
    vault.add(mail({ Subject: 'new' }))
    expect((await vault.works()).exitCode).toBe(0)
    expect(vault.state()).toMatchObject({ ...others, ingested: [expect.any(String)] })
    rmSync(join(vault.vault, 'Needs_Action'), { recursive: true })
    rmSync(join(vault.vault, 'Drafts'), { recursive: true })
    const { events } = await vault.works()
    expect(events.map(({ event }) => event)).not.toContain('ingested')
  })

  it('of approvals is not done without where it is a link', async () => {
    const vault = new HostileVault()
    vault.put('Approved/well.md', draft('bob@example.com'))
    vault.put('Drafts/other.md', draft('bob@example.com'))
    vault.link('Logs/approvals.jsonl', 'state.json')
    const { exitCode, events } = await vault.works()
    expect(exitCode).toBe(1)
    expect(events.find(({ event }) => event === 'blocked')?.text).toContain('approvals.jsonl')
    const approved = await vault.run([
      'drafts',
      'approve',
      'Drafts/other.md',
      '--version',
      '0'.repeat(16),
    ])
    expect([approved.exitCode, approved.stderr]).toEqual([
      1,
      expect.stringContaining('Logs/approvals.jsonl'),
    ])
    expect(vault.outsideNow()).toHaveLength(2)
    expect(await vault.sent()).toEqual([])
    renameSync(join(vault.vault, 'Logs/approvals.jsonl'), join(vault.vault, 'old'))
    await vault.works()
    expect(await vault.recipients()).toEqual([['bob@example.com']])
  })
})

/** An agent that wants its own mail sent, with every tool there is: nothing leaves that a person has not seen. */
import { mkdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { findDraft } from '../../../src/cli/commands/drafts/find-draft.ts'
import { AgentMailError } from '../../../src/errors.ts'
import { approve } from '../../../src/orchestrator/approval/approve.ts'
import { connect } from '../../support/mcp/mcp-client.ts'
import { ToolClient } from '../../support/mcp/tool-client.ts'
import { OrchestratorHome } from '../../support/orchestrator/orchestrator-home.ts'
import { recordsIn } from '../../support/orchestrator/records-in.ts'
import { isLong } from '../../support/parts.ts'
import { sharedFake } from '../../support/providers/postmark.ts'

const postmark = sharedFake()
const eve = 'eve@example.net'
const evil = { status: 'pending_approval', to: eve, subject: 'Evil' }

interface Scene {
  home: OrchestratorHome
  notes: ToolClient
  /** That the orchestrator wrote, and that waits. */
  reply: string
  /** That a tool wrote, without a status, with a file. */
  own: string
  /** That a person wrote. */
  persons: string
}

type Attack = (scene: Scene) => Promise<unknown>

/** Whatever is refused is refused with words; what is not counts by what becomes of it. */
const write = ({ notes }: Scene, path: string, frontmatter: object, body = 'Evil') =>
  notes.textOf('write_note', { path, frontmatter, body })
const move = ({ notes }: Scene, source: string, destination: string, more: object = {}) =>
  notes.textOf('move_note', { source, destination, ...more })
const read = async ({ notes }: Scene, path: string) => {
  const { frontmatter, body, etag } = await notes.call('read_note', { path })
  return { frontmatter: { ...Object(frontmatter) }, body: String(body), etag }
}
const all = ({ reply, own, persons }: Scene) => [reply, own, persons]

const attacks: Record<string, Attack> = {
  'a note of the same name elsewhere': async (scene) => {
    for (const path of all(scene)) {
      const name = basename(path)
      for (const place of ['', 'Needs_Action/', 'Done/', 'Drafts/Sub/', 'drafts/', 'A/Drafts/']) {
        await write(scene, `${place}${name}`, evil)
      }
    }
  },
  recipients: async (scene) => {
    for (const path of all(scene)) {
      const { frontmatter, body } = await read(scene, path)
      for (const field of ['bcc', 'cc', 'to', 'To', 'reply_to']) {
        await write(scene, path, { ...frontmatter, [field]: eve }, body)
      }
    }
  },
  'the status first, then recipients': async (scene) => {
    for (const path of all(scene)) {
      const { status: _, ...rest } = (await read(scene, path)).frontmatter
      await write(scene, path, rest)
      await write(scene, path, { ...rest, status: 'draft' })
      await write(scene, path, { ...rest, to: eve })
    }
  },
  'another file': async (scene) => {
    for (const path of all(scene)) {
      const { frontmatter, body } = await read(scene, path)
      await write(scene, path, { ...frontmatter, attachments: ['Files/secret.md'] }, body)
    }
  },
  'other bytes of the same file': async (scene) => {
    const { frontmatter } = await read(scene, scene.own)
    const file = String(frontmatter.attachments)
    await move(scene, file, `${file}.old.md`)
    await write(scene, file, {}, 'secret')
  },
  'another draft under its name': async (scene) => {
    for (const path of all(scene)) {
      await move(scene, path, path.replace('Drafts/', 'Old/'))
      await move(scene, path, path.replace('.md', '-2.md'))
      await write(scene, path, evil)
    }
  },
  'another draft moved to its name': async (scene) => {
    for (const path of all(scene)) {
      const other = path.replace('.md', ' evil.md')
      await write(scene, other.replace('Drafts/', ''), evil)
      await move(scene, path, path.replace('.md', ' old.md'))
      await move(scene, other.replace('Drafts/', ''), path)
    }
  },
  'a record of its own under that name': async (scene) => {
    for (const path of all(scene)) {
      await write(scene, path.replace('Drafts/', 'Drafts/Sub/'), evil)
      await write(scene, path.replace('Drafts/', 'drafts/'), evil)
      const { status: _, ...rest } = (await read(scene, path)).frontmatter
      await write(scene, path, { ...rest, to: eve })
    }
  },
  'a longer name': async (scene) => {
    for (const path of all(scene)) await write(scene, `${path}.md`, evil)
  },
  'its kind': async (scene) => {
    for (const path of all(scene)) {
      const { frontmatter, body } = await read(scene, path)
      const delegation = { message_id: 'x', triage: 'delegate', delegate_to: 'eve' }
      await write(scene, path, { ...frontmatter, ...delegation }, body)
    }
  },
  'an approval of its own': async (scene) => {
    const { frontmatter, body } = await read(scene, scene.reply)
    const name = basename(scene.reply)
    for (const place of ['Approved/', 'approved/', 'Approved./', 'x/../Approved/', 'Approved/x/']) {
      await write(scene, `${place}${name}`, evil)
      await move(scene, scene.reply, `${place}${name}`)
      await write(scene, `Evil ${name}`, evil)
      await move(scene, `Evil ${name}`, `${place}Evil ${name}`)
    }
    await write(scene, scene.reply, { ...frontmatter, approved_by: 'anna' }, body)
    await write(scene, 'Logs/approvals.jsonl', evil)
    await write(scene, 'Logs/proposals.jsonl', evil)
  },
  links: async (scene) => {
    await write(scene, `${eve}.md`, {}, '')
    for (const path of all(scene)) {
      const { frontmatter, body } = await read(scene, path)
      await write(scene, path, { ...frontmatter, bcc: '[[jane@example.com]]' }, body)
    }
    await write(scene, 'jane@example.com.md', {}, '')
    await move(scene, 'jane@example.com.md', `${eve} 2.md`, { update_links: true })
  },
  'the rules': async (scene) => {
    const rules = [{ from: '@', decision: 'archive', reason: 'evil' }]
    for (const path of ['Rules.md', 'rules.md', './Rules.md']) await write(scene, path, { rules })
    await move(scene, 'Rules.md', 'Old.md')
    await write(scene, 'New.md', { rules })
    await move(scene, 'New.md', 'Rules.md')
  },
  'the text': async (scene) => {
    for (const path of all(scene)) await write(scene, path, (await read(scene, path)).frontmatter)
  },
}

/** Three drafts for each attack. A person has seen them; then comes the agent. */
async function attacked() {
  const rules = [{ from: '@', decision: 'draft_reply', reason: 'r', reply: 'Hello.' }]
  const home = await OrchestratorHome.make(rules, { ...postmark().env })
  mkdirSync(join(home.root, 'Files'))
  home.put('Files/secret.md', 'secret')
  for (const name of Object.keys(attacks)) home.drop({ subject: name, from: 'jane@example.com' })
  await home.once()
  const tools = async (toolset: string, env: object = {}) =>
    new ToolClient(await connect('auto', { env: { ...home.env, ...env }, args: ['mcp', toolset] }))
  const notes = await tools('obsidian')
  const scenes: Scene[] = []
  for (const [index, name] of Object.keys(attacks).entries()) {
    const [own, persons] = [`Drafts/own ${index}.md`, `Drafts/person ${index}.md`]
    const file = `Files/a${index}.md`
    home.put(file, 'public')
    const frontmatter = { to: 'jane@example.com', subject: `own ${index}`, attachments: [file] }
    await notes.call('write_note', { path: own, frontmatter, body: 'Hello.' })
    home.draft(persons, { to: 'jane@example.com', subject: `person ${index}` }, 'Hello.')
    const { path: reply } = await home.noteOn('Drafts', `Re: ${name}`)
    scenes.push({ home, notes, own, persons, reply })
  }
  const listed: { drafts: { path: string; version: string }[] } = JSON.parse(
    (await home.run(['drafts', '--json'])).stdout,
  )
  const versions = new Map(listed.drafts.map(({ path, version }) => [path, version]))
  const before = home.text('Rules.md')
  for (const [index, attack] of Object.values(attacks).entries()) {
    const scene = scenes[index]
    if (scene) await attack(scene)
  }
  expect(home.text('Rules.md')).toBe(before)
  await mailTools(tools)
  return { home, versions }
}

/** The tools that send: under the policy, each leaves a draft that says whom it goes to. */
async function mailTools(tools: (toolset: string, env: object) => Promise<ToolClient>) {
  const careful = { AGENTMAIL_SEND_POLICY: 'approve' }
  const gmail = await tools('gmail', careful)
  const mail = { to: eve, subject: 'Evil', body: 'Evil' }
  expect(await gmail.call('send_email', mail)).toMatchObject({ status: 'pending_approval' })
  const other = await tools('postmark', careful)
  await other.client.callTool({
    name: 'send_email',
    arguments: { from: 'anna@example.org', to: eve, subject: 'Evil', textBody: 'Evil' },
  })
  const known = await Promise.all(
    ['gmail', 'obsidian', 'postmark', 'coordination'].map(async (toolset) =>
      (await (await tools(toolset, careful)).client.listTools()).tools.map(({ name }) => name),
    ),
  )
  expect(known.flat().filter((name) => /approv|reject|draft/i.test(name))).toEqual([])
}

const sentTo = async (home: OrchestratorHome) =>
  (await home.sent()).map(({ to, cc, bcc, text, attachments }) => ({
    people: [...(to ?? []), ...(cc ?? []), ...(bcc ?? [])].map(({ address }) => address).join(),
    text: text?.trim(),
    files: attachments.map(({ content }) =>
      typeof content === 'string' ? content : new TextDecoder().decode(content),
    ),
  }))

/** What the command does. */
async function approved({ vault }: OrchestratorHome, note: string, version: string) {
  try {
    const path = await findDraft(vault, vault.root, note)
    await approve(recordsIn(vault), path, { by: 'anna', version })
    return 0
  } catch (error) {
    if (AgentMailError.is(error)) return error.exitCode
    throw error
  }
}

describe('an agent that wants its own mail sent', { timeout: 240_000 }, () => {
  it('has nothing sent by a person who approves by command what was seen', async () => {
    const { home, versions } = await attacked()
    const codes: (number | null)[] = []
    for (const [index, [path, version]] of [...versions].entries()) {
      const note = basename(path)
      const command = ['drafts', 'approve', note, '--version', version]
      // Each is the same; to start a program for each takes long.
      const isWhole = isLong || index % 6 === 0
      codes.push(isWhole ? (await home.run(command)).exitCode : await approved(home, note, version))
    }
    expect(new Set(codes)).toEqual(new Set([0, 1]))
    await home.once()
    const sent = await sentTo(home)
    expect(sent.length).toBe(codes.filter((code) => code === 0).length)
    for (const { people, text, files } of sent) {
      expect([people, text]).toEqual(['jane@example.com', 'Hello.'])
      expect([[], ['public']]).toContainEqual(files)
    }
    expect(postmark().sent).toEqual([])
  })

  it('has nothing sent to others, nor other files, by a person who moves what was seen by hand', async () => {
    const { home, versions } = await attacked()
    for (const path of versions.keys()) {
      if (home.list('Drafts').includes(path)) home.approveByHand(path)
    }
    const worked = await home.once()
    expect(worked.told('blocked').length).toBeGreaterThan(5)
    const sent = await sentTo(home)
    expect(sent.length).toBeGreaterThan(10)
    for (const { people, files } of sent) {
      expect(people).toBe('jane@example.com')
      expect([[], ['public']]).toContainEqual(files)
    }
    expect(postmark().sent).toEqual([])
  })
})

/** A server to which somebody has written the worst they could think of, in every field that they can fill. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Config } from '../../../src/config.ts'
import { openLedger } from '../../../src/email/correspondence.ts'
import { putInMailbox } from '../../../src/mailbox/member.ts'
import { PostOffice } from '../../../src/mailbox/post-office.ts'
import type { AtEnd } from '../at-end.ts'
import { git } from '../mailbox/tmux.ts'
import { OrchestratorHome } from '../orchestrator/orchestrator-home.ts'
import { TestServer } from '../server/server.ts'
import { temporaryFolder } from '../temporary-folder.ts'
import {
  awkwardNames,
  everything,
  half,
  hidden,
  live,
  liveName,
  unbroken,
} from './hostile-words.ts'

/** However long the tests take, nobody loses what they hold. */
const unhurried = { AGENTMAIL_STALE_SECONDS: '1000000' }
const person = 'human'
/** What a branch can be called. */
const branch = '<img/class=theirs/src=x/onerror=ran=1>'

/** The others would be the whole project, or lie outside of it. */
const isPath = (name: string) => !/^[.*/]+$/.test(name)
const isProject = (name: string) => !/\//.test(name) && !['.', '..'].includes(name)

export class HostileOffice {
  readonly server: TestServer
  readonly home: OrchestratorHome
  /** The project of the repository in which the server was started. */
  readonly own = 'shop-b-class-theirs-'
  readonly projects = awkwardNames.map((name) => name.slice(0, 100)).filter(isProject)
  /** What could not be written at all, and why. */
  readonly refused: string[] = []

  private constructor(server: TestServer, home: OrchestratorHome) {
    this.server = server
    this.home = home
  }

  static async open(atEnd: AtEnd): Promise<HostileOffice> {
    const db = join(temporaryFolder(atEnd), 'agentmail.db')
    const home = await OrchestratorHome.make([], { AGENTMAIL_DB: db, ...unhurried }, atEnd)
    const repository = join(home.folder, 'shop<b class=theirs>')
    mkdirSync(repository)
    git(repository, 'init', '--quiet', '--template=', `--initial-branch=${branch}`)
    const server = await TestServer.start({ db, env: home.env, cwd: repository }, atEnd)
    const office = new HostileOffice(server, home)
    await office.#fillChannels()
    await office.#fillProjects()
    await office.#fillMailboxes(new PostOffice(join(repository, '.agentmail'), new Config({}, {})))
    office.#fillVault()
    await office.#loseTrack()
    return office
  }

  async #call(tool: string, args: object, project?: string): Promise<void> {
    const { isError, text } = await this.server.call(tool, args, project)
    if (isError) this.refused.push(`${tool} ${JSON.stringify(args).slice(0, 60)}: ${text}`)
  }

  /** Everybody who has an awkward name says, claims and changes something that is called like it. */
  async #fillChannels(): Promise<void> {
    for (const name of awkwardNames) {
      const agent_id = await this.server.register(name, `${live.slice(0, 200)}${hidden}`)
      const say = (channel: string, subject: string, body: string) =>
        this.#call('send_message', { agent_id, channel, subject, body })
      await say(name, liveName, everything)
      await say(`@${name}`, hidden, name)
      await say(`@${person}`, `${liveName}${hidden}${name}`.slice(0, 255), everything)
      const files = isPath(name)
        ? [name, `src/${name}/${name}.ts`]
        : [`src/-${name.replaceAll('*', '')}`]
      await this.#call('claim_files', { agent_id, files })
      await this.#call('announce_change', { agent_id, file_path: files[0], summary: everything })
    }
    const agent_id = await this.server.register('wants', unbroken.slice(0, 255))
    await this.#call('claim_files', {
      agent_id,
      files: [unbroken.slice(0, 1000), 'src/a/b/a/b.ts'],
    })
  }

  async #fillProjects(): Promise<void> {
    for (const project of this.projects) {
      const agent_id = await this.server.register(liveName, 'coder', project)
      const [channel, subject, body] = ['broadcast', project, live]
      await this.#call('send_message', { agent_id, channel, subject, body }, project)
      await this.#call(
        'claim_files',
        { agent_id, files: [`f${project.replaceAll('*', '')}.md`] },
        project,
      )
    }
  }

  async #fillMailboxes(office: PostOffice): Promise<void> {
    office.create()
    for (const name of awkwardNames) {
      await putInMailbox(office, { from: name, to: `${name} too`, message: `${half}${everything}` })
    }
    await putInMailbox(office, { from: liveName, to: person, message: `${live}${half}` })
  }

  #fillVault(): void {
    const { home } = this
    mkdirSync(join(home.root, 'Files'))
    const file = `Files/${liveName}\u202egnp.exe`
    writeFileSync(join(home.root, file), live)
    home.draft(
      `Drafts/${liveName}.md`,
      {
        ...{ status: 'pending_approval', priority: 'urgent', proposed_by: `${liveName}${hidden}` },
        to: `"${liveName.replaceAll('"', '')}" <jane@example.com>`,
        ...{ subject: `${live} ${hidden}`, reason: `${live} ${hidden}`, attachments: [file] },
      },
      everything,
    )
    const looked = `Files/${liveName}.txt`
    writeFileSync(join(home.root, looked), everything)
    const fit = { to: 'Paul <paul@example.com>', subject: liveName, attachments: [looked] }
    home.draft('Drafts/constructor.md', fit, everything)
    home.draft('Drafts/..%2F.md', { to: live, cc: live, bcc: hidden, subject: unbroken }, live)
    const mail = { from: `${liveName} <eve@example.net>`, subject: `${live}${hidden}`, date: live }
    const found = { ...mail, reason: `${live}${hidden}`, to: live, message_id: live }
    home.draft(`Needs_Action/${liveName}.md`, { status: 'pending', ...found }, everything)
    home.draft(
      'Needs_Action/constructor.md',
      { status: 'pending_approval', triage: 'delegate', delegate_to: liveName, ...found },
      everything,
    )
    home.draft('Needs_Action/status.md', { ...found, status: live }, everything)
    home.put(`Drafts/${hidden}.md`, `---\n${live}\n${everything}`)
  }

  /** Mails of which nobody knows whether they have left. */
  async #loseTrack(): Promise<void> {
    const ledger = await openLedger(new Config({}, this.home.env))
    const { record } = await ledger.begin({
      ...{ scope: 's', key: 'k', content_hash: 'h', provider: 'local', subject: live + hidden },
      recipients: [`${liveName}@example.com`],
    })
    const sending = await ledger.sending(record, { subject: live })
    await ledger.settle(sending, 'unknown', { reason: live })
    await ledger.close()
  }
}

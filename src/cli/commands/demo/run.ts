/** The demo: an orchestrator on a folder of its own, and a person who approves. */
import { readdirSync, readFileSync } from 'node:fs'
import { userInfo } from 'node:os'
import { basename, join } from 'node:path'
import { createInterface } from 'node:readline'
import { approve } from '../../../orchestrator/approval/approve.ts'
import { shownDraft } from '../../../orchestrator/approval/drafts.ts'
import { recordsOf } from '../../../orchestrator/approval/records.ts'
import type { Event } from '../../../orchestrator/events.ts'
import { shellWord } from '../../../system/text.ts'
import { readNote } from '../../../vault/notes.ts'
import { Vault } from '../../../vault/vault.ts'
import type { Call } from '../../command.ts'
import { print, printJson } from '../../output.ts'
import { line, plain } from '../../table.ts'
import { demoConfig, makeDemoFolder } from './folder.ts'

/** Without a terminal nobody may be there to approve. */
const patienceMs = 60_000
/** Who presses Enter sooner has not read what it is for. */
const readingMs = 500

export async function runDemo({ flags, json }: Call): Promise<number> {
  const folder = await makeDemoFolder()
  return new Demo(folder, { isJson: json, isYes: flags.yes === true }).run()
}

interface Wishes {
  isJson: boolean
  /** Nobody is asked. */
  isYes: boolean
}

class Demo {
  readonly #folder: string
  readonly #vault: Vault
  readonly #wishes: Wishes
  readonly #ending = new AbortController()
  #patience: NodeJS.Timeout | undefined
  #draft: { note: string; version: string; shownAt: number } | undefined
  #isSent = false

  constructor(folder: string, wishes: Wishes) {
    this.#folder = folder
    this.#vault = new Vault(join(folder, 'vault'))
    this.#wishes = wishes
  }

  async run(): Promise<number> {
    this.#say(`Three mails are in ${line(join(this.#folder, 'mail/inbox'))}. To work:\n\n`)
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
      process.on(signal, () => (this.#ending.signal.aborted ? process.exit(1) : this.#stop()))
    }
    const terminal = this.#isAsking ? this.#listen() : undefined
    if (!terminal) this.#patience = setTimeout(() => this.#stop(), patienceMs)
    const { runOrchestrator } = await import('../../../orchestrator/run-orchestrator.ts')
    await runOrchestrator(demoConfig(this.#folder), {
      isOnce: false,
      signal: this.#ending.signal,
      onEvent: (event) => this.#show(event),
    })
    clearTimeout(this.#patience)
    terminal?.close()
    this.#end()
    return this.#isSent ? 0 : 1
  }

  #stop(): void {
    this.#ending.abort()
  }

  /** Whether Enter is for us. */
  get #isAsking(): boolean {
    return !this.#wishes.isYes && !this.#wishes.isJson && process.stdin.isTTY === true
  }

  /** From the start, so that what is typed ahead is read, and thrown away. */
  #listen() {
    return createInterface(process.stdin)
      .on('line', (answer) => {
        if (!this.#draft || performance.now() - this.#draft.shownAt < readingMs) return
        if (/^(y|yes)?$/i.test(answer.trim())) {
          void this.#approve(this.#draft.note, this.#draft.version)
        } else this.#say('Not approved. Enter approves it, Ctrl-C ends the demo.')
      })
      .on('close', () => this.#stop())
      .on('error', () => this.#stop())
  }

  #show(event: Event): void {
    if (this.#wishes.isJson) printJson(event)
    else if (shown.has(event.event)) this.#print(event)
    if (event.event === 'drafted' && typeof event.note === 'string') void this.#ask(event.note)
    if (event.event === 'sent') {
      this.#isSent = true
      this.#stop()
    }
  }

  #print({ event, text }: Event): void {
    if (event === 'sent' && this.#draft) print('\n') // it was approved elsewhere
    print(`  ${event.padEnd(9)} ${line(text.replace(new RegExp(`^${event} `), ''))}`)
  }

  async #ask(note: string): Promise<void> {
    const draft = readFileSync(join(this.#vault.root, note), 'utf8')
    const seen = await shownDraft(this.#records, await readNote(this.#vault, note))
    const version = seen.version ?? ''
    const indented = plain(draft)
      .trimEnd()
      .replaceAll(/^(?=.)/gm, '    ')
    this.#say(`\nThe reply waits for you, as a note in the vault:\n\n${indented}\n\n`)
    if (this.#wishes.isYes) {
      void this.#approve(note, version)
      return
    }
    const command = `${program()} drafts approve ${shellWord(note)} --version ${version} --vault ${shellWord(this.#vault.root)}`
    if (this.#wishes.isJson) printJson({ event: 'approve', note, command })
    const how = this.#isAsking ? 'Press Enter to approve it, or say' : 'Approve it'
    this.#say(`${how} in another terminal:\n\n  ${command}`)
    if (this.#patience) this.#say('\nIt waits a minute for that.')
    this.#patience?.refresh()
    this.#draft = { note, version, shownAt: performance.now() }
  }

  get #records() {
    return recordsOf(demoConfig(this.#folder), this.#vault)
  }

  async #approve(note: string, version: string): Promise<void> {
    const draft = this.#draft
    this.#draft = undefined // Enter may be pressed twice
    try {
      await approve(this.#records, note, { by: userInfo().username, version })
      this.#say(this.#wishes.isYes ? 'Approved by --yes.\n\n' : 'Approved.\n\n')
    } catch (error) {
      this.#draft = draft
      this.#say(`${error instanceof Error ? error.message : error}`) // the command was faster
    }
  }

  #end(): void {
    const sent = readdirSync(join(this.#folder, 'mail')).includes('sent')
      ? readdirSync(join(this.#folder, 'mail/sent')).map((name) =>
          join(this.#folder, 'mail/sent', name),
        )
      : []
    if (this.#wishes.isJson) printJson({ folder: this.#folder, sent })
    if (this.#isSent) {
      this.#say(
        `\nIt went out, as a mail that any mail program opens:\n\n  ${sent.join('\n  ')}\n\n`,
      )
      this.#say('The newsletter is in Done/; the mail that no rule fits waits in Needs_Action/.')
    } else {
      this.#say('\nNothing was sent. What was made is still there.')
    }
    this.#say(`Look around, and remove the folder when you have seen enough:\n\n`)
    this.#say(`  ${program()} vault ls --vault ${shellWord(this.#vault.root)}`)
    this.#say(`  rm -r ${shellWord(this.#folder)}\n\nWith your own mail: see the README.`)
  }

  #say(text: string): void {
    if (!this.#wishes.isJson) print(text)
  }
}

const shown = new Set(['ingested', 'triaged', 'drafted', 'undecided', 'sent', 'failed', 'trouble'])

/** How this program was called. */
function program(): string {
  const path = process.argv[1] ?? 'agentmail'
  return basename(path) === 'agentmail' ? 'agentmail' : `node ${shellWord(path)}`
}

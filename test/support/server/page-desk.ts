/** A person's vault and mail with a server beside them, and what the page asks of it about drafts and mails. */
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type {
  ApprovedView,
  DraftsPage,
  DraftView,
  MailView,
} from '../../../src/person/mail-shapes.ts'
import type { AtEnd } from '../at-end.ts'
import { OrchestratorHome } from '../orchestrator/orchestrator-home.ts'
import { temporaryFolder } from '../temporary-folder.ts'
import type { Reply } from './http.ts'
import { PageVisitor } from './page-visitor.ts'
import { TestServer } from './server.ts'

/** What the page is told where something is refused. */
export interface PageRefusal {
  status: number
  message: string
  data: Record<string, unknown>
}

const enter = ({ url }: TestServer, token: string | undefined): Promise<PageVisitor> =>
  PageVisitor.enter(url, token === undefined ? undefined : { token })

export class PageDesk {
  readonly home: OrchestratorHome
  readonly server: TestServer
  readonly #visitor: PageVisitor

  private constructor(home: OrchestratorHome, server: TestServer, visitor: PageVisitor) {
    this.home = home
    this.server = server
    this.#visitor = visitor
  }

  static async open(
    rules: object[] = [],
    env: Record<string, string> = {},
    atEnd: AtEnd = onTestFinished,
  ): Promise<PageDesk> {
    const db = join(temporaryFolder(atEnd), 'agentmail.db')
    const home = await OrchestratorHome.make(rules, { AGENTMAIL_DB: db, ...env }, atEnd)
    const server = await TestServer.start({ db, env: home.env, cwd: home.folder }, atEnd)
    return new PageDesk(home, server, await enter(server, env.AGENTMAIL_TOKEN))
  }

  /** The same with another server at the same address, which knows nobody. */
  async restart(atEnd: AtEnd = onTestFinished): Promise<PageDesk> {
    const { url, database: db } = this.server
    await this.server.stop()
    const { env, folder: cwd } = this.home
    const args = ['--port', new URL(url).port]
    const server = await TestServer.start({ db, env, cwd, args }, atEnd)
    return new PageDesk(this.home, server, await enter(server, env.AGENTMAIL_TOKEN))
  }

  call(method: 'GET' | 'POST', path: string, body: object = {}): Promise<Reply> {
    return method === 'GET' ? this.#visitor.get(path) : this.#visitor.post(path, body)
  }

  async #answered<T>(reply: Promise<Reply>): Promise<T> {
    const { status, text } = await reply
    if (status !== 200) throw new Error(`${status}: ${text}`)
    return JSON.parse(text)
  }

  get<T>(path: string): Promise<T> {
    return this.#answered<T>(this.call('GET', path))
  }

  post<T = ApprovedView>(path: string, body: object): Promise<T> {
    return this.#answered<T>(this.call('POST', path, body))
  }

  async refusal(method: 'GET' | 'POST', path: string, body?: object): Promise<PageRefusal> {
    const { status, text } = await this.call(method, path, body)
    if (status === 200) throw new Error(`It was not refused: ${text}`)
    const { message, data } = JSON.parse(text).error
    return { status, message, data }
  }

  drafts(): Promise<DraftsPage> {
    return this.get('/drafts')
  }

  draft(path: string): Promise<DraftView> {
    return this.get(`/draft?path=${encodeURIComponent(path)}`)
  }

  async mails(): Promise<MailView[]> {
    return (await this.get<{ mails: MailView[] }>('/mail')).mails
  }

  /** As a person who sees what is there now. */
  async approve(path: string): Promise<ApprovedView> {
    return this.post('/approve', { path, sha256: (await this.draft(path)).sha256 })
  }

  attachment(path: string, index: number, sha256: string | null): Promise<Reply> {
    const query = new URLSearchParams({ path, index: String(index), sha256: sha256 ?? '' })
    return this.call('GET', `/attachment?${query}`)
  }

  /** What was recorded of decisions. */
  verdicts(): Record<string, unknown>[] {
    return this.home.log('approvals').filter(({ event }) => event !== 'placed')
  }
}

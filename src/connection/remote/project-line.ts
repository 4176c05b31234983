/** Questions to a server about one project: the first finds out which, and whether there is a server at all. */
import { type HttpReply, NoReply, wholeReply } from '../../system/http-request.ts'
import { jsonOf } from '../../system/text.ts'
import type { Here } from '../here.ts'
import { reasonOf, refusal, unreachable } from './remote-errors.ts'
import {
  hereHeader,
  projectHeader,
  type Question,
  type ServerLine,
  unknownHeader,
} from './server-line.ts'

const answerMs = 20_000
const helloMs = 2_000
const linesMs = 300_000
const maxRefusalBytes = 1 << 20
/** A server takes no longer head of a request than four of these. */
const maxHereLength = 4096

export class ProjectLine {
  /** Its name, once it is found. */
  project = ''
  /** That nobody has used it, in words. */
  unknown: string | undefined
  readonly server: ServerLine
  readonly #here: Here | undefined
  #entering: Promise<void> | undefined
  #isEntered = false

  /** @param here that of the folder in which the server was started, where nothing is said. */
  constructor(server: ServerLine, here: Here | undefined) {
    this.server = server
    this.#here = here
  }

  /** Whether any question was answered; before that nothing was done. */
  get isEntered(): boolean {
    return this.#isEntered
  }

  /** Finds the project, once. */
  async enter(): Promise<void> {
    if (this.#isEntered) return
    this.#entering ??= this.#findProject().finally(() => {
      this.#entering = undefined
    })
    await this.#entering
  }

  async #findProject(): Promise<void> {
    const here = this.#here
    const greeting = { limit: helloMs, isGreeting: true }
    if (here && !('project' in here)) {
      const body = JSON.stringify(here)
      const { project } = Object(await this.ask('/api/project', { ...greeting, body }))
      this.project = String(project)
    } else {
      this.project = here?.project ?? ''
      await this.ask(this.#path('/api/agents', { limit: 1 }), greeting)
    }
    this.#isEntered = true
  }

  /**
   * Asks something harmless as the first question of all, with where this process stands, which
   * spares the question for the project. Nothing where that is known, or the server is an older one.
   */
  async carried(path: string, asked: Question): Promise<{ answer: unknown } | undefined> {
    const here = Buffer.from(JSON.stringify(this.#here ?? {})).toString('base64url')
    if (this.#isEntered || this.#entering || here.length > maxHereLength) return undefined
    const headers = { ...asked.headers, [hereHeader]: here }
    const reply = await this.server.ask(path, { ...asked, headers, isGreeting: true })
    const project = reply.headers[projectHeader]
    if (typeof project !== 'string') return undefined
    this.project = decodeURIComponent(project)
    this.#isEntered = true
    return { answer: this.#answerOf(reply) }
  }

  // What a server of ours answers has the shape that its own code gives it.

  async get<T>(path: string, query: object): Promise<T> {
    const bounds = { limit: answerMs }
    const carried = await this.carried(this.#path(path, query), bounds)
    return (carried ? carried.answer : await this.getThere(path, query, bounds)) as T
  }

  /** Of what not everybody may hear, or what may take long. */
  async getThere<T>(path: string, query: object, bounds: Question): Promise<T> {
    await this.enter()
    return (await this.ask(this.#path(path, query), bounds)) as T
  }

  async post<T>(path: string, json: object, bounds: Question = { limit: answerMs }): Promise<T> {
    await this.enter()
    return (await this.ask(this.#path(path, {}), { ...bounds, body: JSON.stringify(json) })) as T
  }

  #path(path: string, query: object): string {
    const given = new URLSearchParams()
    for (const [name, value] of Object.entries({ ...query, project: this.project || undefined })) {
      const values = Array.isArray(value) ? value : [value]
      for (const one of values) if (one !== undefined) given.append(name, String(one))
    }
    return `${path}?${given}`
  }

  async ask(path: string, asked: Question): Promise<unknown> {
    return this.#answerOf(await this.server.ask(path, asked))
  }

  #answerOf(reply: HttpReply): unknown {
    const { url } = this.server
    if (!isOk(reply)) throw refusal(reply, url)
    const answer = jsonOf(reply.body ?? '')
    if (answer === undefined) throw unreachable(url, 'it gave an answer that is no JSON')
    const { [unknownHeader]: unknown } = reply.headers
    if (typeof unknown === 'string') this.unknown = decodeURIComponent(unknown)
    return answer
  }

  /** What a server of the same version sends, one JSON text a line. */
  async *lines<T>(path: string, query: object): AsyncGenerator<T> {
    await this.enter()
    const { url } = this.server
    try {
      const reply = await this.server.open(this.#path(path, query), linesMs)
      if (!isOk(reply)) throw refusal(await wholeReply(reply, maxRefusalBytes), url)
      let rest = ''
      const decoder = new TextDecoder()
      for await (const chunk of reply.chunks) {
        const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n')
        rest = lines.pop() ?? ''
        for (const line of lines) yield JSON.parse(line)
      }
    } catch (error) {
      throw error instanceof NoReply ? unreachable(url, reasonOf(error)) : error
    }
  }
}

const isOk = ({ status }: { status: number }): boolean => status >= 200 && status < 300

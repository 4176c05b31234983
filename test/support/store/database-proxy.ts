/** Stands between AgentMail and its database, and cuts or holds their connections when it is told to. */
import { type Pair, Passage } from '../system/passage.ts'

/** How a statement goes over the wire that commits: its kind and its text. */
const commit = Buffer.from('\x03COMMIT')

/** What a node says that lost its cluster during a commit, whether the others have it or not: error 1180. */
const doubt = Buffer.from('\xff\x9c\x04#HY000Got error 6 during COMMIT', 'latin1')
const doubtful = Buffer.concat([Buffer.from([doubt.length, 0, 0, 1]), doubt])

/**
 * When the connection is cut: before the database hears of a commit, while it works on it, or
 * after it has said that it is done. Denied: it is done, and an error is told instead.
 */
export type Cut = 'before' | 'meanwhile' | 'after' | 'denied'
export const cuts: Cut[] = ['before', 'meanwhile', 'after', 'denied']

export class DatabaseProxy extends Passage {
  /** How many commits were cut. */
  cut = 0
  readonly #target: URL
  #choose: () => Cut | undefined = () => undefined

  private constructor(target: URL) {
    super({ host: target.hostname, port: Number(target.port) })
    this.#target = target
  }

  /** @param target the address of a database. */
  static async start(target: string): Promise<DatabaseProxy> {
    const proxy = new DatabaseProxy(new URL(target))
    await proxy.listen()
    return proxy
  }

  /** The address of the same database, through the proxy. */
  get url(): string {
    const url = new URL(this.#target)
    url.port = String(this.port)
    return url.href
  }

  /** At each commit from now on it is asked whether to cut, and how. */
  cutCommits(choose: () => Cut | undefined): void {
    this.#choose = choose
  }

  protected override between({ client, server, end }: Pair): void {
    let answer: Cut | undefined
    client.on('data', (chunk: Buffer) => {
      const cut = chunk.includes(commit) ? this.#choose() : undefined
      if (cut) this.cut++
      if (cut === 'before') return end()
      answer = cut
      server.write(chunk, () => {
        if (cut === 'meanwhile') end()
      })
    })
    server.on('data', (chunk) => {
      if (answer === 'after') end()
      else client.write(answer === 'denied' ? doubtful : chunk)
      answer = undefined
    })
  }
}

/** Stands between AgentMail and a mail server, and cuts the connection at the line that it is told to. */
import type { AtEnd } from '../at-end.ts'
import { type Pair, Passage } from '../system/passage.ts'

/**
 * Where the connection is cut, at the n-th line counted from now on, over all connections: a line of the client that
 * the server never hears; one that it does as told, with its answer lost; or a line of the server that is lost.
 */
export type CutPlace = 'before command' | 'after command' | 'at answer'
export const cutPlaces: CutPlace[] = ['before command', 'after command', 'at answer']

export class CuttingProxy extends Passage {
  /** Whether the line came at which to cut. */
  hasCut = false
  #cut: { place: CutPlace; lines: number; onCut: () => void } | undefined

  static async start(target: number, atEnd?: AtEnd): Promise<CuttingProxy> {
    const proxy = new CuttingProxy({ host: '127.0.0.1', port: target })
    await proxy.listen(atEnd)
    return proxy
  }

  /** Once; all that comes after it passes. */
  cutAt(place: CutPlace, line: number, onCut = () => {}): void {
    this.hasCut = false
    this.#cut = { place, lines: line, onCut }
  }

  /** Passes everything again. */
  heal(): void {
    this.#cut = undefined
    this.release()
  }

  protected override between({ client, server, end }: Pair): void {
    let losesAnswer = false
    client.on('data', (chunk: Buffer) => {
      const place = this.#placeIn(chunk, 'command')
      if (place === undefined) server.write(chunk)
      else if (place.isHeard) {
        losesAnswer = true
        server.write(chunk)
      } else server.end(chunk.subarray(0, place.start), end)
    })
    server.on('data', (chunk: Buffer) => {
      const place = losesAnswer ? { start: 0 } : this.#placeIn(chunk, 'answer')
      if (place === undefined) client.write(chunk)
      else client.end(chunk.subarray(0, place.start), end)
    })
  }

  /** Where to cut in a chunk, if the line is in it. */
  #placeIn(chunk: Buffer, what: 'command' | 'answer') {
    const cut = this.#cut?.place.endsWith(what) ? this.#cut : undefined
    if (!cut) return undefined
    const start = startOfLine(chunk, cut.lines)
    if (start === undefined) {
      cut.lines -= chunk.filter((byte) => byte === newline).length
      return undefined
    }
    this.#cut = undefined
    this.hasCut = true
    cut.onCut()
    return { start, isHeard: cut.place === 'after command' }
  }
}

const newline = 10

/** Where the n-th line of a chunk begins, if so many end in it. */
function startOfLine(chunk: Buffer, number: number): number | undefined {
  let start = 0
  for (let line = 1; ; line++) {
    const end = chunk.indexOf(newline, start) + 1
    if (end === 0) return undefined
    if (line === number) return start
    start = end
  }
}

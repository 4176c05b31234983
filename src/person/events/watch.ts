/** Tells those who look at the page what happens in all projects. While nobody looks, nothing is read or watched. */

import type { Hint } from '../shapes.ts'
import { cursorText, positionsIn } from './cursor.ts'
import { Vigil, type VigilOptions } from './vigil.ts'
import type { Viewer } from './watch-edge.ts'

export class Watch {
  readonly #options: VigilOptions & { instance: string }
  readonly #viewers = new Set<Viewer>()
  /** Those who know whom they listen to. */
  readonly #greeted = new Set<Viewer>()
  #vigil: Vigil | undefined

  constructor(options: VigilOptions & { instance: string }) {
    this.#options = options
  }

  /**
   * Tells a viewer what happens, until it leaves.
   * @param cursor where it goes on; nothing: from now on.
   */
  async open(viewer: Viewer, cursor: string | undefined): Promise<void> {
    this.#viewers.add(viewer)
    this.#vigil ??= new Vigil(this.#options, (event) => {
      for (const each of this.#greeted) each.tell(event)
    })
    const edge = await this.#vigil.edge
    if (!this.#viewers.has(viewer)) return
    const { instance } = this.#options
    const from = cursor === undefined ? undefined : positionsIn(cursor)
    const start = from ? cursorText(from) : edge.cursor
    viewer.tell({ name: 'hello', data: { instance, cursor: start }, cursor: start })
    this.#greeted.add(viewer)
    if (cursor === undefined) edge.join(viewer)
    else await edge.comeBack(viewer, from)
  }

  leave(viewer: Viewer): void {
    this.#viewers.delete(viewer)
    this.#greeted.delete(viewer)
    const vigil = this.#vigil
    vigil?.edge.then((edge) => edge.leave(viewer)).catch(() => {}) // nobody could come, either
    if (this.#viewers.size > 0) return
    vigil?.close()
    this.#vigil = undefined
  }

  /** Tells all viewers. @param key of the project, where it is one's. */
  hint(about: Hint['about'], key?: string): void {
    this.#vigil?.hint(about, key)
  }
}

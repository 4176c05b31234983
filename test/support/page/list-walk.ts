/** What a person finds who scrolls through a long list of the page, and what the browser needs for it. */
import type { CDPSession, Page } from 'playwright-core'
import * as z from 'zod'
import { eventually } from '../eventually.ts'

/** Nothing new for so long is an end. */
const patienceMs = 20_000
const pixelsAFrame = 120

/** The ids at the end of the addresses of the rows that are there, or the words of one without; nothing for one that is still fetched. */
const rowsScript = `[...document.querySelectorAll('.rows li.line')].map((row) => {
  const address = row.querySelector('a')?.getAttribute('href')
  if (!address) return row.textContent || null
  return decodeURIComponent(address.split('?')[0].split('/').slice(3).join('/'))
})`

export const rowsOf = async (page: Page): Promise<(string | null)[]> =>
  z.array(z.string().nullable()).parse(await page.evaluate(rowsScript))

export const topOf = async (page: Page): Promise<number> =>
  Number(await page.evaluate(`document.querySelector('.rows')?.scrollTop ?? 0`))

/** Whether rows fill the frame of the list, and none of them is still fetched. */
const wholeScript = `(() => {
  const box = document.querySelector('.rows')
  const rows = [...box.querySelectorAll('li.line')]
  const end = Math.min(box.scrollTop + box.clientHeight, box.scrollHeight)
  return rows.length > 0 && rows[0].offsetTop <= box.scrollTop + 1 &&
    rows.at(-1).offsetTop + rows.at(-1).offsetHeight >= end - 1 &&
    !(${rowsScript}).includes(null)
})()`

/** Scrolls there, as far as the list goes, and waits until all is there that one sees. */
export async function scrollTo(page: Page, top: number | string): Promise<void> {
  await page.evaluate(`document.querySelector('.rows').scrollTop = ${top}`)
  await eventually(
    'the frame of the list is full',
    async () => !!(await page.evaluate(wholeScript)),
  )
}

/** The first row within the frame of the list, and how many pixels it is below its edge. */
export async function firstSeen(page: Page): Promise<{ id: string | null; offset: number }> {
  const found = await page.evaluate(`(() => {
    const edge = document.querySelector('.rows').getBoundingClientRect().top
    const rows = [...document.querySelectorAll('.rows li.line')]
    const first = rows.findIndex((row) => row.getBoundingClientRect().bottom > edge)
    const offset = rows[first].getBoundingClientRect().top - edge
    return { id: (${rowsScript})[first], offset: Math.round(offset) }
  })()`)
  return z.object({ id: z.string().nullable(), offset: z.number() }).parse(found)
}

interface Walk {
  /** So many more. */
  count: number
  /** Back to the start. */
  isUp?: boolean
  /** What was seen last before, where it goes on. */
  known?: string[]
}

/**
 * Scrolls on from where the list is, by less than its frame each time and only when all of it is there, and gives the
 * rows in the order in which they were seen. One that comes again later is told again.
 */
export async function walkList(
  page: Page,
  { count, isUp = false, known = [] }: Walk,
): Promise<string[]> {
  const ids = await page.evaluate(`(async () => {
    const box = document.querySelector('.rows')
    const frame = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done)))
    const found = []
    let last = ${JSON.stringify(known.slice(-200))}
    for (let since = performance.now(); ; await frame()) {
      if (performance.now() - since > ${patienceMs}) break
      if (!${wholeScript}) continue
      const rows = ${rowsScript}
      if (${isUp}) rows.reverse()
      const known = new Set(last)
      const fresh = rows.filter((id) => !known.has(id))
      if (fresh.length > 0) since = performance.now()
      found.push(...fresh)
      if (found.length >= ${count}) break // where it is: what is seen beyond belongs to the next walk
      last = rows
      box.scrollTop += ${isUp ? -0.9 : 0.9} * box.clientHeight
    }
    return found
  })()`)
  return z.array(z.string()).parse(ids).slice(0, count)
}

/** Frames that the browser draws while something is scrolled for a while, always by as much a frame. */
export async function framesOf(page: Page, selector: string, ms: number): Promise<number> {
  const frames = await page.evaluate(`new Promise((done) => {
    const box = document.querySelector(${JSON.stringify(selector)})
    const start = performance.now()
    let frames = 0
    const next = () => {
      if (performance.now() - start > ${ms}) return done(frames)
      frames++
      box.scrollTop += ${pixelsAFrame}
      requestAnimationFrame(next)
    }
    requestAnimationFrame(next)
  })`)
  return Number(frames)
}

/** What the page keeps in memory, in MiB, and how many elements it has. */
export async function weightOf(page: Page): Promise<{ heap: number; nodes: number }> {
  const session = await page.context().newCDPSession(page)
  try {
    await session.send('HeapProfiler.collectGarbage')
    const { usedSize } = await session.send('Runtime.getHeapUsage')
    return { heap: usedSize / 2 ** 20, nodes: await nodesOf(page) }
  } finally {
    await detach(session)
  }
}

const detach = (session: CDPSession): Promise<void> => session.detach().catch(() => {})

const nodesOf = async (page: Page): Promise<number> =>
  Number(await page.evaluate(`document.querySelectorAll('*').length`))

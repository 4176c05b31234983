/** A long list of which only what is visible is there: rows of one height, however many. */
import type { ComponentChildren, JSX } from 'preact'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'

interface RowsProps {
  count: number
  rowHeight: number
  label: string
  /** Grows when rows are put before the first: what is looked at stays where it is. */
  before?: number
  row(index: number): ComponentChildren
  /** What is on the screen now. */
  onVisible?(first: number, last: number): void
}

/** So many rows beyond the edges are there, so that the keyboard finds the next one. */
const overscan = 8

export function Rows({
  count,
  rowHeight,
  label,
  before = 0,
  row,
  onVisible,
}: RowsProps): JSX.Element {
  const box = useRef<HTMLDivElement>(null)
  const [view, setView] = useState({ top: 0, height: 800 })
  const known = useRef(before)
  useLayoutEffect(() => {
    const element = box.current
    if (!element) return
    const added = before - known.current
    known.current = before
    // At the top one wants to see what is new.
    if (added === 0 || element.scrollTop === 0) return
    element.scrollTop += added * rowHeight
    setView({ top: element.scrollTop, height: element.clientHeight })
  }, [before, rowHeight])
  useLayoutEffect(() => {
    const element = box.current
    if (!element) return
    const look = () => setView({ top: element.scrollTop, height: element.clientHeight })
    look()
    const sizes = new ResizeObserver(look)
    sizes.observe(element)
    element.addEventListener('scroll', look, { passive: true })
    return () => {
      sizes.disconnect()
      element.removeEventListener('scroll', look)
    }
  }, [])
  const first = Math.max(0, Math.min(count, Math.floor(view.top / rowHeight) - overscan))
  const last = Math.min(count, Math.ceil((view.top + view.height) / rowHeight) + overscan)
  useLayoutEffect(() => onVisible?.(first, last), [first, last, count, before])
  const rows = []
  for (let index = first; index < last; index++) rows.push(row(index))
  return (
    <div class="rows" ref={box}>
      <ul aria-label={label} style={{ height: `${count * rowHeight}px` }}>
        <li class="spacer" aria-hidden="true" style={{ height: `${first * rowHeight}px` }} />
        {rows}
      </ul>
    </div>
  )
}

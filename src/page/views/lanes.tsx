/** The lanes of the time line, in plain SVG: a claim is a bar, a message a dot, a change a tick; to drag is to zoom. */
import type { JSX } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { clock, Words } from '../parts/words.tsx'
import type { Lane } from '../state/day.ts'
import { addressOfView } from '../state/route.ts'

export interface Span {
  from: number
  to: number
}

const laneHeight = 34
const axisHeight = 22
/** So many pixels are meant as a drag. */
const dragPixels = 6

interface LanesProps {
  lanes: Lane[]
  span: Span
  moment: number | undefined
  onMoment(at: number): void
  onZoom(span: Span): void
}

export function Lanes({ lanes, span, moment, onMoment, onZoom }: LanesProps): JSX.Element {
  const box = useRef<HTMLDivElement>(null)
  const [width, setWidth] = useState(800)
  const [drag, setDrag] = useState<{ start: number; now: number } | undefined>(undefined)
  useEffect(() => {
    const element = box.current
    if (!element) return
    const sizes = new ResizeObserver(() => setWidth(Math.max(200, element.clientWidth)))
    sizes.observe(element)
    return () => sizes.disconnect()
  }, [])
  const length = Math.max(1, span.to - span.from)
  const x = (at: number) =>
    Math.round(Math.max(-2, Math.min(width + 2, ((at - span.from) / length) * width)) * 10) / 10
  const timeAt = (pixels: number) =>
    span.from + (Math.max(0, Math.min(width, pixels)) / width) * length
  const height = axisHeight + lanes.length * laneHeight
  const place = (event: PointerEvent) =>
    event.clientX - (box.current?.getBoundingClientRect().left ?? 0)
  const end = (event: PointerEvent) => {
    if (!drag) return
    setDrag(undefined)
    const now = place(event)
    if (Math.abs(now - drag.start) < dragPixels) onMoment(timeAt(now))
    else onZoom({ from: timeAt(Math.min(now, drag.start)), to: timeAt(Math.max(now, drag.start)) })
  }
  return (
    <div class="lanes">
      <ul class="names" aria-label="Agents">
        {lanes.map(({ key, agent, project }) => (
          <li key={key}>
            <a href={addressOfView({ project, view: 'agents', id: agent })}>
              <Words text={agent} />
            </a>
          </li>
        ))}
      </ul>
      <div
        class="plot"
        ref={box}
        onPointerDown={(event) => {
          event.currentTarget.setPointerCapture(event.pointerId)
          setDrag({ start: place(event), now: place(event) })
        }}
        onPointerMove={(event) => drag && setDrag({ ...drag, now: place(event) })}
        onPointerUp={end}
        onPointerCancel={() => setDrag(undefined)}
      >
        <svg
          width={width}
          height={height}
          role="img"
          aria-label={`What ${lanes.length} agents held, said and changed`}
        >
          {ticksOf(span, width).map((at) => (
            <g key={at}>
              <line class="grid" x1={x(at)} x2={x(at)} y1={axisHeight - 4} y2={height} />
              <text x={x(at) + 3} y={14}>
                {clock(at)}
              </text>
            </g>
          ))}
          {lanes.map((lane, index) => (
            <LaneShape
              key={lane.key}
              lane={lane}
              span={span}
              y={axisHeight + index * laneHeight}
              x={x}
            />
          ))}
          {moment !== undefined && (
            <line class="moment" x1={x(moment)} x2={x(moment)} y1={0} y2={height} />
          )}
          {drag && (
            <rect
              class="drag"
              x={Math.min(drag.start, drag.now)}
              width={Math.abs(drag.now - drag.start)}
              y={0}
              height={height}
            />
          )}
        </svg>
      </div>
    </div>
  )
}

interface LaneShapeProps {
  lane: Lane
  span: Span
  y: number
  x(at: number): number
}

/** One path a kind: thousands of events are a handful of elements. */
function LaneShape({ lane, span, y, x }: LaneShapeProps): JSX.Element {
  const isIn = ({ from, to }: Span) => from <= span.to && to >= span.from
  const stretch = (row: number) => (bar: Span) =>
    `M${x(bar.from)} ${row}H${Math.max(x(bar.to), x(bar.from) + 1.5)}`
  const seen = (at: number) => at >= span.from && at <= span.to
  const here = lane.here.filter(isIn).map(stretch(y + 17))
  const bars = lane.bars.filter(isIn).map(stretch(y + 17))
  const dots = lane.dots.filter(({ at }) => seen(at)).map(({ at }) => `M${x(at)} ${y + 8}h0`)
  const ticks = lane.ticks.filter(({ at }) => seen(at)).map(({ at }) => `M${x(at)} ${y + 23}v7`)
  return (
    <g>
      <path class="here" d={here.join('')} />
      <path class="bar" d={bars.join('')} />
      <path class="dot" d={dots.join('')} />
      <path class="tick" d={ticks.join('')} />
    </g>
  )
}

const steps = [1, 5, 10, 15, 30, 60, 120, 180, 360, 720, 1440, 2880, 10_080].map(
  (minutes) => minutes * 60_000,
)

/** At round times, as many as there is room for. */
function ticksOf({ from, to }: Span, width: number): number[] {
  const room = Math.max(2, Math.floor(width / 110))
  const step = steps.find((one) => (to - from) / one <= room) ?? Math.ceil((to - from) / room)
  const zone = new Date(from).getTimezoneOffset() * 60_000
  const found: number[] = []
  for (let at = Math.ceil((from - zone) / step) * step + zone; at < to; at += step) found.push(at)
  // What is written beside the last one must have room, too.
  return found.filter((at) => ((to - at) / (to - from)) * width > 50)
}

/** Reads a PNG as Chromium writes it: eight bits a channel, not interlaced. */
import { inflateSync } from 'node:zlib'

export interface Picture {
  width: number
  height: number
  /** Red, green and blue of each pixel, line by line. */
  colours: Uint8Array
}

export function readPng(bytes: Buffer): Picture {
  const width = bytes.readUInt32BE(16)
  const height = bytes.readUInt32BE(20)
  const channels = bytes[25] === 6 ? 4 : 3
  const parts: Buffer[] = []
  for (let at = 8; at < bytes.length; ) {
    const length = bytes.readUInt32BE(at)
    if (bytes.toString('latin1', at + 4, at + 8) === 'IDAT')
      parts.push(bytes.subarray(at + 8, at + 8 + length))
    at += length + 12
  }
  const raw = inflateSync(Buffer.concat(parts))
  const line = width * channels
  const rows = new Uint8Array(height * line)
  for (let y = 0; y < height; y++) unfilter(raw, rows, { y, line, channels })
  if (channels === 3) return { width, height, colours: rows }
  const colours = new Uint8Array(width * height * 3)
  for (let pixel = 0; pixel < width * height; pixel++)
    for (let channel = 0; channel < 3; channel++)
      colours[pixel * 3 + channel] = rows[pixel * 4 + channel] ?? 0
  return { width, height, colours }
}

interface Line {
  y: number
  line: number
  channels: number
}

/** Each line says by which of five ways it was made smaller. */
function unfilter(raw: Uint8Array, rows: Uint8Array, { y, line, channels }: Line): void {
  const filter = raw[y * (line + 1)]
  const from = y * (line + 1) + 1
  const to = y * line
  for (let x = 0; x < line; x++) {
    const left = x < channels ? 0 : (rows[to + x - channels] ?? 0)
    const up = y === 0 ? 0 : (rows[to + x - line] ?? 0)
    const corner = x < channels || y === 0 ? 0 : (rows[to + x - line - channels] ?? 0)
    let guess = 0
    if (filter === 1) guess = left
    else if (filter === 2) guess = up
    else if (filter === 3) guess = (left + up) >> 1
    else if (filter === 4) guess = nearest(left, up, corner)
    rows[to + x] = (raw[from + x] ?? 0) + guess
  }
}

function nearest(left: number, up: number, corner: number): number {
  const sum = left + up - corner
  const [toLeft, toUp, toCorner] = [sum - left, sum - up, sum - corner].map(Math.abs) as [
    number,
    number,
    number,
  ]
  if (toLeft <= toUp && toLeft <= toCorner) return left
  return toUp <= toCorner ? up : corner
}

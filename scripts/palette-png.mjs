/** A picture with at most 256 colours as a small PNG: each pixel is a byte. */
import { crc32, deflateSync } from 'node:zlib'

const mostColours = 256

/** @param pixels red, green, blue and alpha of each, row by row; alpha is left out. */
export function palettePng(pixels, width, height) {
  const places = placesOf(pixels)
  const colours = Buffer.alloc(places.colours.length * 3)
  for (const [index, colour] of places.colours.entries()) colours.writeUIntBE(colour, index * 3, 3)
  const rows = Buffer.alloc((width + 1) * height) // each begins with a 0: bytes as they are
  for (let pixel = 0; pixel < width * height; pixel++) {
    const row = Math.floor(pixel / width)
    rows[row * (width + 1) + 1 + (pixel % width)] = places.of(colourAt(pixels, pixel))
  }
  const head = Buffer.alloc(13)
  head.writeUInt32BE(width, 0)
  head.writeUInt32BE(height, 4)
  head.set([8, 3], 8) // eight bits a pixel, which are a place in the palette
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', head),
    chunk('PLTE', colours),
    chunk('IDAT', deflateSync(rows, { level: 9, memLevel: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

const colourAt = (pixels, pixel) =>
  (pixels[pixel * 4] << 16) | (pixels[pixel * 4 + 1] << 8) | pixels[pixel * 4 + 2]

/** The colours that are seen most, and those that would be changed most; each other is the nearest of them. */
function placesOf(pixels) {
  const counts = new Map()
  for (let pixel = 0; pixel < pixels.length / 4; pixel++) {
    const colour = colourAt(pixels, pixel)
    counts.set(colour, (counts.get(colour) ?? 0) + 1)
  }
  const all = [...counts.keys()].sort((one, other) => counts.get(other) - counts.get(one))
  const colours = all.slice(0, mostColours / 2)
  const far = all.map((colour) => Math.min(...colours.map((one) => distance(colour, one))))
  while (colours.length < Math.min(mostColours, all.length)) {
    const losses = all.map((colour, index) => far[index] * counts.get(colour))
    const worst = all[losses.indexOf(Math.max(...losses))]
    colours.push(worst)
    for (const [index, colour] of all.entries()) {
      far[index] = Math.min(far[index], distance(colour, worst))
    }
  }
  const places = new Map(all.map((colour) => [colour, nearest(colour, colours)]))
  return { colours, of: (colour) => places.get(colour) }
}

function nearest(colour, colours) {
  const far = colours.map((one) => distance(colour, one))
  return far.indexOf(Math.min(...far))
}

const distance = (one, other) =>
  [16, 8, 0].reduce((sum, by) => sum + (((one >> by) & 255) - ((other >> by) & 255)) ** 2, 0)

function chunk(type, data) {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const length = Buffer.alloc(4)
  length.writeUInt32BE(data.length)
  const sum = Buffer.alloc(4)
  sum.writeUInt32BE(crc32(body))
  return Buffer.concat([length, body, sum])
}

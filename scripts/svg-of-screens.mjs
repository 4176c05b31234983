/** Draws what stands on screens side by side as an SVG: plain text, no font of its own, dark on any page. */

const [width, gap, rowHeight, left, top] = [470, 20, 19, 14, 50]
const letters = 56

const colours = {
  person: '#7ee787',
  agent: '#e6edf3',
  told: '#8b949e',
  refused: '#ff7b72',
  mail: '#f2cc60',
}

/** @param rows in the order in which they came: which screen, what kind of words, and the words. */
export function svgOfScreens({ title, names, rows }) {
  const texts = names.map(() => [])
  let line = 0
  let last
  for (const { column, kind, text } of rows) {
    // Whoever goes on after another is told apart from what came before.
    if (last !== undefined && last !== column) line++
    last = column
    for (const part of text.split('\n').flatMap(wrapped)) {
      texts[column].push(textAt(line, colours[kind], part))
      line++
    }
  }
  const height = top + line * rowHeight
  const screens = names.map((name, column) => screenOf(name, column, height, texts[column]))
  const all = names.length * (width + gap) - gap
  const font =
    'font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, monospace" font-size="13"'
  const size = `width="${all}" height="${height + 2}" viewBox="-1 -1 ${all + 2} ${height + 2}"`
  return `<svg xmlns="http://www.w3.org/2000/svg" ${size} ${font}><title>${escaped(title)}</title>${screens.join('')}</svg>\n`
}

function screenOf(name, column, height, texts) {
  const dots = ['#f85149', '#f2cc60', '#3fb950'].map(
    (colour, index) => `<circle cx="${16 + 18 * index}" cy="14" r="5" fill="${colour}"/>`,
  )
  return [
    `<g transform="translate(${column * (width + gap)},0)">`,
    `<rect x="0" y="0" width="${width}" height="${height}" rx="8" fill="#0d1117" stroke="#30363d"/>`,
    `<rect x="0" y="0" width="${width}" height="28" rx="8" fill="#161b22"/>`,
    ...dots,
    `<text x="${width / 2}" y="19" fill="#8b949e" text-anchor="middle">${escaped(name)}</text>`,
    ...texts,
    '</g>',
  ].join('')
}

const textAt = (line, colour, text) =>
  `<text x="${left}" y="${top + line * rowHeight}" fill="${colour}" xml:space="preserve">${escaped(text)}</text>`

/** At blanks; what follows stands as far to the right as the beginning. */
function wrapped(text) {
  const indent = /^(?:> | *)/.exec(text)[0].replace(/./g, ' ')
  const lines = ['']
  for (const word of text.trimStart().split(/ +/)) {
    const line = lines.at(-1)
    if (line !== '' && indent.length + line.length + 1 + word.length > letters) lines.push(word)
    else lines[lines.length - 1] = line === '' ? word : `${line} ${word}`
  }
  const start = text.length - text.trimStart().length
  return lines.map((line, index) => (index === 0 ? ' '.repeat(start) : indent) + line)
}

const escaped = (text) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

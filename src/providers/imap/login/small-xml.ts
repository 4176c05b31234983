/** Reads a small XML file as a tree: elements, attributes, text, and nothing that could reach beyond the file. */

export interface Element {
  name: string
  attributes: Map<string, string>
  children: Element[]
  text: string
}

const deepest = 16
const mostElements = 2000

const attribute = String.raw`\s+[A-Za-z_][\w:.-]*\s*=\s*(?:"[^"<]*"|'[^'<]*')`
/** A tag, a comment, an instruction, or text. No DOCTYPE, so no entities of its own, and no CDATA. */
const token = new RegExp(
  [
    String.raw`<(?<close>/?)(?<name>[A-Za-z_][\w:.-]*)(?<attributes>(?:${attribute})*)\s*(?<empty>/?)>`,
    '<!--[^]*?-->',
    String.raw`<\?[^]*?\?>`,
    '(?<text>[^<]+)',
  ].join('|'),
  'y',
)

const named: Record<string, string> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" }

/** Nothing where it is not well formed, or holds what such a file has no need of. */
export function readXml(source: string): Element | undefined {
  const top: Element = { name: '', attributes: new Map(), children: [], text: '' }
  const open: Element[] = [top]
  let elements = 0
  const text = source.replace(/^\ufeff/, '')
  for (token.lastIndex = 0; token.lastIndex < text.length; ) {
    const groups = token.exec(text)?.groups
    const inner = open.at(-1)
    if (!groups || !inner) return undefined
    if (groups.text !== undefined) {
      const plain = decoded(groups.text)
      if (plain === undefined) return undefined
      inner.text += plain
    } else if (groups.close === '/') {
      if (open.length < 2 || inner.name !== groups.name || groups.attributes) return undefined
      open.pop()
    } else if (groups.name !== undefined) {
      const attributes = attributesOf(groups.attributes ?? '')
      if (!attributes || ++elements > mostElements || open.length > deepest) return undefined
      const element = { name: groups.name, attributes, children: [], text: '' }
      inner.children.push(element)
      if (groups.empty !== '/') open.push(element)
    }
  }
  const isWhole = open.length === 1 && top.children.length === 1 && top.text.trim() === ''
  return isWhole ? top.children[0] : undefined
}

function attributesOf(text: string): Map<string, string> | undefined {
  const found = new Map<string, string>()
  for (const [, name = '', , quoted = ''] of text.matchAll(/([\w:.-]+)\s*=\s*(["'])(.*?)\2/gs)) {
    const value = decoded(quoted)
    if (value === undefined || found.has(name)) return undefined
    found.set(name, value)
  }
  return found
}

/** Nothing where there is an entity that XML itself does not have. */
function decoded(text: string): string | undefined {
  let isKnown = true
  const plain = text.replace(/&([^;&]{0,10});?/g, (whole, name: string) => {
    const code = /^#(?:x([\da-f]{1,6})|(\d{1,7}))$/i.exec(name)
    const point = code ? Number.parseInt(code[1] ?? code[2] ?? '', code[1] ? 16 : 10) : undefined
    const isPoint = point !== undefined && point > 31 && point <= 0x10ffff
    if (whole.endsWith(';') && Object.hasOwn(named, name)) return named[name] ?? ''
    if (whole.endsWith(';') && isPoint) return String.fromCodePoint(point)
    isKnown = false
    return ''
  })
  return isKnown ? plain : undefined
}

/** The values of front matter that is as simple as most: words and lists of words, read a hundred times as fast as by a parser. */

/** Letters first, and none of the signs that mean something to YAML: it can be nothing but text. */
const word = /^(?!(?:null|true|false)$)[a-z\u00c0-\u024f][\w\u00c0-\u024f ./()+-]*$/i
const date = /^\d{4}-\d\d-\d\d$/
const pairLine = /^([a-z][\w-]*):(?: +(\S(?:.*\S)?))? *$/i
const itemLine = /^( *)- +(\S(?:.*\S)?) *$/

const isText = (value: string): boolean => word.test(value) || date.test(value)

/** Nothing where a block has more to it; then only the parser knows what it says. */
export function simpleValues(yaml: string): Record<string, unknown> | undefined {
  const values = new Map<string, string | string[] | null>()
  let list: { key: string; indent: string; items: string[] } | undefined
  for (const line of yaml.split(/\r?\n/)) {
    if (line === '') continue
    const [, indent, item] = itemLine.exec(line) ?? []
    if (indent !== undefined && item !== undefined) {
      if (!list || !isText(item) || (list.items.length > 0 && list.indent !== indent))
        return undefined
      list.indent = indent
      list.items.push(item)
      values.set(list.key, list.items)
      continue
    }
    const [, key, value] = pairLine.exec(line) ?? []
    if (key === undefined || values.has(key) || !isText(key)) return undefined
    if (value !== undefined && !isText(value)) return undefined
    values.set(key, value ?? null)
    list = value === undefined ? { key, indent: '', items: [] } : undefined
  }
  return Object.fromEntries(values)
}

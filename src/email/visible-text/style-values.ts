/** The values in force on an element: long forms, with the mail's own variables put in. */
import type { Declaration } from './css-scan.ts'
import { find } from './css-scan.ts'
import { longForms } from './properties.ts'
import type { Work } from './work.ts'

/** The variables that an element sets, and below them those it inherits. */
export interface Variables {
  own: ReadonlyMap<string, string>
  outer: Variables | undefined
}

export type Values = ReadonlyMap<string, string>

export function variablesOf(
  list: Declaration[],
  outer: Variables | undefined,
): Variables | undefined {
  const own = list.filter(({ property }) => property.startsWith('--'))
  if (own.length === 0) return outer
  return { own: new Map(own.map(({ property, value }) => [property.toLowerCase(), value])), outer }
}

/** The declarations come weakest first, so that a later one overrides. */
export function valuesOf(
  list: Declaration[],
  variables: Variables | undefined,
  work: Work,
): Values {
  const values = new Map<string, string>()
  for (const { property, value } of list) {
    if (property.startsWith('--')) continue
    work.spend(8 * Math.max(0, value.length - 40)) // what is long takes long, for each element anew
    const plain = value.includes('var(') ? substituted(value, variables, work) : value
    if (plain === undefined) continue
    for (const [name, part] of longForms(property, plain)) values.set(name, part)
  }
  return values
}

/** Nothing where a variable is set nowhere, or where it takes too many steps to tell. */
function substituted(
  value: string,
  variables: Variables | undefined,
  work: Work,
): string | undefined {
  let text = value
  for (let steps = 0; steps < 20 && text.length < 2000; steps++) {
    // The innermost first, so that a fallback holds no other variable.
    const start = text.lastIndexOf('var(')
    if (start === -1) return text.trim().replace(/\s+/g, ' ')
    const end = find(text, start + 4, ')')
    const inner = text.slice(start + 4, end)
    const comma = inner.indexOf(',')
    const name = (comma === -1 ? inner : inner.slice(0, comma)).trim()
    const found =
      lookUp(name, variables, work) ?? (comma === -1 ? undefined : inner.slice(comma + 1))
    if (found === undefined) return undefined
    text = text.slice(0, start) + found + text.slice(end + 1)
  }
  return undefined
}

function lookUp(name: string, variables: Variables | undefined, work: Work): string | undefined {
  for (let scope = variables; scope && !work.isSpent; scope = scope.outer) {
    work.spend(1)
    const value = scope.own.get(name)
    if (value !== undefined) return value === 'initial' ? undefined : value
  }
  return undefined
}

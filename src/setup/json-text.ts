/** How a value is written into a JSON file of somebody else: with its line ends, its indentation, and on one line where that is how it is written. */
import { isRecord } from '../system/text.ts'

export interface JsonStyle {
  eol: '\n' | '\r\n'
  /** One step of indentation. */
  unit: string
}

/** As the first line that is indented has it. */
export function styleOf(text: string): JsonStyle {
  const [, indented] = /\n([ \t]+)["{[]/.exec(text) ?? []
  return { eol: /\r\n/.test(text) ? '\r\n' : '\n', unit: indented ?? '  ' }
}

/** @param indent of the line that it begins on. */
export const written = (value: unknown, { eol, unit }: JsonStyle, indent: string): string =>
  JSON.stringify(value, null, unit).replaceAll('\n', `${eol}${indent}`)

/** On one line, as `{"a": 1, "b": [2]}`, or without blanks. */
export function writtenInline(value: unknown, blank: '' | ' '): string {
  const list = (parts: string[]) => parts.join(`,${blank}`)
  if (Array.isArray(value)) return `[${list(value.map((item) => writtenInline(item, blank)))}]`
  if (!isRecord(value)) return JSON.stringify(value)
  const entries = Object.entries(value).map(
    ([key, item]) => `${JSON.stringify(key)}:${blank}${writtenInline(item, blank)}`,
  )
  return `{${list(entries)}}`
}

/** The blanks at the beginning of the line that this place is on. */
export function indentAt(text: string, offset: number): string {
  const start = text.lastIndexOf('\n', offset - 1) + 1
  return /^[ \t]*/.exec(text.slice(start, offset))?.[0] ?? ''
}

export const isFirstOnLine = (text: string, offset: number): boolean =>
  text.slice(text.lastIndexOf('\n', offset - 1) + 1, offset).trim() === ''

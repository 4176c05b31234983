/** What is wrong with Rules.md, in words that begin with where in the file it stands. */
import { AgentMailError } from '../../errors.ts'
import { type FieldPlace, placesIn } from '../../vault/front-matter/places.ts'
import type { Position } from '../../vault/front-matter/unreadable.ts'
import { readParts, unlessMissing } from '../../vault/notes.ts'
import type { Vault } from '../../vault/vault.ts'
import { rulesName } from './init-mail-vault.ts'
import type { RuleFault } from './read-rules.ts'

export type PlaceOf = (place: FieldPlace) => Position

/** By the file itself; nothing where it cannot be read any more. */
export async function rulePlaces(vault: Vault): Promise<PlaceOf | undefined> {
  try {
    const read = await unlessMissing(() => readParts(vault, rulesName))
    return read && placesIn(read.parts)
  } catch (error) {
    if (AgentMailError.is(error)) return undefined
    throw error
  }
}

/** @example `Rules.md:7:5: rule 2: decision must be one of …` */
export function faultText(fault: RuleFault, placeOf: PlaceOf | undefined): string {
  const { rule, message } = fault
  return told(placeOf?.(fault), rule === undefined ? message : `rule ${rule}: ${message}`)
}

const told = (at: Position | undefined, what: string): string =>
  at ? `${rulesName}:${at.line}:${at.column}: ${what}` : `${rulesName}: ${what}`

/** A note that is no YAML says itself where. */
export function unreadableText({ message, details = {} }: AgentMailError): string {
  const { line, column, reason } = details
  return typeof line === 'number' && typeof column === 'number' && typeof reason === 'string'
    ? told({ line, column }, reason)
    : told(undefined, message)
}

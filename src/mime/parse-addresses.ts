/** Reads the addresses of a header field as people and agents write them, strictly: never what was not meant. */
import { AgentMailError } from '../errors.ts'
import { checkAddress } from './address.ts'
import { hasEncodedWord, hasHidden, inSight, refuseControls } from './header-text.ts'
import type { Address } from './mail.ts'

const mostCharacters = 100_000
const mostAddresses = 1000

/**
 * One address or several, comma-separated.
 *
 * @example parseAddresses('to', '"Doe, Jane" <jane@example.com>, joe@example.com')
 */
export function parseAddresses(field: string, text: string): Address[] {
  refuseControls(field, text)
  if (text.length > mostCharacters) {
    throw refusal(`${field} is longer than ${mostCharacters} characters`)
  }
  if (text.trim() === '') throw refusal(`${field} needs an address`)
  const entries = split(field, text)
  if (entries.length > mostAddresses) {
    throw refusal(`${field} has more than ${mostAddresses} addresses`)
  }
  return entries.map((entry) => parseEntry(field, entry))
}

/** At the commas that stand neither in quotes nor in angle brackets. */
function split(field: string, text: string): string[] {
  // Quoted text, an address in brackets, or anything that ends neither.
  const piece = /"(?:[^"\\]|\\.)*"|<[^<>"]*>|[^,"<]/suy
  const entries = ['']
  while (piece.lastIndex < text.length) {
    const start = piece.lastIndex
    const found = piece.exec(text)
    if (found) entries.push(entries.pop() + found[0])
    else if (text[start] === ',') {
      entries.push('')
      piece.lastIndex = start + 1
    } else {
      const open = text[start] === '"' ? 'quote' : 'bracket'
      throw refused(field, text.slice(start), `has a ${open} that is never closed`)
    }
  }
  return entries
}

function parseEntry(field: string, untrimmed: string): Address {
  const entry = untrimmed.trim()
  const refuse = (wrong: string) => refused(field, entry, wrong)
  if (entry === '') throw refusal(`${field} has a comma with no address beside it`)
  if (hasHidden(untrimmed)) throw refuse('has an invisible character')
  if (/[\uff20\ufe6b]/u.test(entry)) throw refuse('has a sign that only looks like an @')
  if (hasEncodedWord(entry)) throw refuse('has encoded text: write the name as it is')

  const bracketed = /^(?<name>.*)<(?<address>[^<>]*)>$/su.exec(entry)?.groups
  const name = readName(bracketed?.name?.trim() ?? '')
  if (typeof name !== 'string') throw refuse(name.wrong)
  if (name.length > 500) throw refuse('has a name of more than 500 characters')
  const address = bracketed?.address ?? entry
  const wrong = wrongForm(address)
  if (wrong) throw refuse(wrong)
  const checked = checkAddress(address)
  if ('wrong' in checked) throw refuse(checked.wrong)
  return { name, address: checked.address }
}

function readName(text: string): string | { wrong: string } {
  const quoted = /^"(?<inside>(?:[^"\\]|\\.)*)"$/su.exec(text)?.groups?.inside
  if (quoted !== undefined) return quoted.replace(/\\(.)/gsu, '$1').trim()
  const wrong = wrongForm(text)
  if (wrong) return { wrong }
  if (/["\\]/.test(text)) return { wrong: 'has a name that must be in quotes as a whole' }
  return text.replace(/ +/g, ' ').trim()
}

/** Syntax of the RFCs that an address here does not have. */
function wrongForm(text: string): string | undefined {
  if (/[<>]/.test(text)) return 'has angle brackets in the wrong place'
  if (text.includes(';')) return 'has a semicolon: separate addresses with commas'
  if (/[()]/.test(text)) return 'has parentheses: put a name with them in quotes'
  if (text.includes(':')) return 'has a colon: groups and routes are not taken'
  return undefined
}

const refused = (field: string, piece: string, wrong: string) =>
  refusal(`${field}: ${inSight(piece.trim())} ${wrong}`)

const refusal = (message: string) =>
  new AgentMailError(
    'invalid_request',
    message,
    'Write addresses as name@example.com or "Name" <name@example.com>, separated by commas.',
  )

/** By which a note in the vault is known as that of a mail: a hash of the mail's id, at the end of its name. */
import { sha256 } from '../../system/text.ts'

export const noteHashDigits = 10

export const noteHash = (id: string): string => sha256(id).slice(0, noteHashDigits)

/** Also where it has a number, since another had the name. */
export const noteHashIn = (name: string): string | undefined =>
  /-([0-9a-f]{10})(?:-\d{1,3})?\.md$/.exec(name)?.[1]

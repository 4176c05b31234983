/** The last door before a mail is written: what could end a header line, or be read as something else, stays out. */

import { notSent } from '../errors.ts'
import { checkAddress } from './address.ts'
import { hasControls, hasEncodedWord, inSight, noControls } from './header-text.ts'
import type { Mail } from './mail.ts'

/** A line must not be longer than 998, and some of these cannot be folded. */
const longestWord = 700

export function checkHeaders(mail: Mail): void {
  const { from, to, cc, bcc, reply_to } = mail
  for (const [field, list] of Object.entries({ from: from ? [from] : [], to, cc, bcc, reply_to })) {
    for (const { name, address } of list) {
      checkWords(field, name)
      checkControls(field, address)
      const checked = checkAddress(address)
      const isWritten = 'address' in checked && checked.address === address
      if (!isWritten) throw refusal(`${field}: ${inSight(address)} cannot be written as an address`)
    }
  }
  for (const { name, contentType } of mail.attachments) {
    checkWords('attachments', name)
    checkWords('attachments', contentType)
  }
  checkControls('subject', mail.subject)
  checkControls('key', mail.key ?? '')
}

function checkWords(field: string, text: string): void {
  checkControls(field, text)
  if (hasEncodedWord(text)) throw refusal(`${field} has encoded text: write names as they are`)
  if (text.split(' ').some((word) => word.length > longestWord)) {
    throw refusal(`${field} has a word of more than ${longestWord} characters`)
  }
}

function checkControls(field: string, text: string): void {
  if (hasControls(text)) throw refusal(noControls(field))
}

const refusal = (message: string) => notSent('invalid_request', message)

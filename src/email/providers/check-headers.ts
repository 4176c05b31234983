/** The last door before a mail is written: what could end a header line, or be read as something else, stays out. */
import { hasControls, hasEncodedWord, noControls } from './header-text.ts'
import { type Address, notSent, type OutgoingMail } from './provider.ts'

/** A line must not be longer than 998, and some of these cannot be folded. */
const longestWord = 700

export function checkHeaders(mail: OutgoingMail): void {
  const words = {
    from: textsOf(mail.from ? [mail.from] : []),
    to: textsOf(mail.to),
    cc: textsOf(mail.cc),
    bcc: textsOf(mail.bcc),
    reply_to: textsOf(mail.reply_to),
    attachments: mail.attachments.flatMap(({ name, contentType }) => [name, contentType]),
  }
  for (const [field, texts] of Object.entries({
    ...words,
    subject: [mail.subject],
    key: [mail.key ?? ''],
  })) {
    if (texts.some(hasControls)) throw notSent('invalid_request', noControls(field))
  }
  for (const [field, texts] of Object.entries(words)) {
    if (texts.some(hasEncodedWord)) {
      throw notSent('invalid_request', `${field} has encoded text: write names as they are`)
    }
    if (texts.some((text) => text.split(' ').some((word) => word.length > longestWord))) {
      throw notSent('invalid_request', `${field} has a word of more than ${longestWord} characters`)
    }
  }
}

const textsOf = (addresses: Address[]) => addresses.flatMap(({ name, address }) => [name, address])

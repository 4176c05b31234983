/** Lines of people's own files as they are shown: what may be a secret is masked, what names a variable holds none. */
import { mask, withoutSecretLooks } from '../system/redact.ts'

const strings = /(["'])((?:(?!\1)[^\\]|\\.)*)\1/g
const secretName = /key|token|secret|pass|pwd|auth|credential|bearer|cookie|dsn|(?:^|[_-])pat$/i
/** Whose values are those of an environment. */
const variableName = /^[A-Z][A-Z\d_]+$/
const namesVariable =
  /^(?:Bearer )?(?:\$\w+|\$\{\w+\}|\{env:\w+\})$|^(?:AGENTMAIL_TOKEN|AGENTMAIL_SERVER)$/

/** Goes through the lines of a text one after another: what stands in one may say what the next holds. */
export class MaskedLines {
  /** The last string, where it may name what comes next, as `"--api-key"` does in a list. */
  #name = ''

  /** @param isOurs which strings are our own, and stay as they are. */
  shown(line: string, isOurs: (text: string) => boolean = () => false): string {
    let end = 0
    let shown = ''
    const plain = (text: string) => (isOurs(text) ? text : withoutSecretLooks(text))
    for (const found of line.matchAll(strings)) {
      const [whole, quote = '', value = ''] = found
      const before = line.slice(end, found.index)
      end = found.index + whole.length
      const isKey = /^\s*[:=]/.test(line.slice(end))
      const [, key = this.#name] = /([\w.-]+)\s*[:=]\s*$/.exec(before) ?? []
      const isHidden = !isKey && !isOurs(value) && mayBeSecret(key, value)
      shown += plain(before) + quote + (isHidden ? mask : isKey ? value : plain(value)) + quote
      this.#name = isKey || /^--?[a-z]/i.test(value) ? value : ''
    }
    return shown + plain(line.slice(end))
  }
}

const mayBeSecret = (name: string, value: string): boolean =>
  value !== '' &&
  (secretName.test(name) || variableName.test(name)) &&
  !namesVariable.test(value) &&
  !(name.startsWith('-') && value.startsWith('--'))

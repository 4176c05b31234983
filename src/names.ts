/** What can be the name of an agent or a project. */

/** File systems allow 255 bytes; this leaves room for the endings of a mailbox. */
const longestFileName = 224

/** Why nobody can be called so; nothing where one can. */
export function wrongAgentName(name: string): string | undefined {
  if (name.trim() === '') return 'is empty'
  if (/[\0\r\n]/.test(name)) return 'contains a line break or NUL'
  if (!name.isWellFormed()) return 'is not valid Unicode'
  return asFileName(name).length > longestFileName ? 'is too long' : undefined
}

/**
 * Letters, digits, `_`, `-` and inner dots stay; every other byte is percent-encoded, so that no name
 * can leave a folder or hide in it.
 *
 * @example asFileName('../x') // '%2E%2E%2Fx'
 */
export function asFileName(name: string): string {
  const percentEncode = (text: string) =>
    [...Buffer.from(text)].map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`)
  return name
    .replace(/[^A-Za-z0-9_.-]+/gu, (text) => percentEncode(text).join(''))
    .replace(/^\.+/, (dots) => percentEncode(dots).join(''))
}

/** Any text that fits into one part of an address. */
export const isProjectName = (name: string): boolean =>
  name.length <= 100 && /^[^/\p{Cc}]+$/u.test(name) && name !== '.' && name !== '..'

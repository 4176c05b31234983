/** Texts in lines that a person pastes into a shell. */

/** @example shellWord("my vault") // "'my vault'" */
export const shellWord = (text: string): string =>
  /^[\w./~@+-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`

/** A file name that tells what it is about. */

/** @example slug('Re: Olé, more!') // 're-ole-more' */
export function slug(text: string): string {
  const plain = text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 50)
    .replace(/-+$/, '')
  return plain === '' ? 'mail' : plain
}

/** A file name that tells what it is about. */

/** Letters that are not made of another one and a mark. */
const spelled: Record<string, string> = {
  ß: 'ss',
  æ: 'ae',
  ø: 'o',
  đ: 'd',
  ł: 'l',
  œ: 'oe',
  þ: 'th',
}

/** @example slug('Re: Olé, more!') // 're-ole-more' */
export function slug(text: string): string {
  const plain = text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[ßæøđłœþ]/g, (letter) => spelled[letter] ?? letter)
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 50)
    .replace(/-+$/, '')
  return plain === '' ? 'mail' : plain
}

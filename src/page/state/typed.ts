/** What somebody has typed and not sent: kept while the page is open, wherever they look meanwhile. */
import { useState } from 'preact/hooks'

const typed = new Map<string, string>()
const most = 100

/** As useState, and still there when the same box is shown again; until it is forgotten. */
export function useTyped(
  key: string,
  usual = '',
): [text: string, keep: (text: string) => void, forget: () => void] {
  const [text, setText] = useState(typed.get(key) ?? usual)
  const keep = (next: string) => {
    typed.delete(key)
    typed.set(key, next)
    const [oldest] = typed.keys()
    if (oldest !== undefined && typed.size > most) typed.delete(oldest)
    setText(next)
  }
  const forget = () => {
    typed.delete(key)
    setText(usual)
  }
  return [text, keep, forget]
}

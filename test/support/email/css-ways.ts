/** Ways to hide a text by HTML and CSS and ways that only seem to, as Chromium paints them. */
import { readFileSync } from 'node:fs'

export interface CssWay {
  /** As it stands in the list. */
  name: string
  /** `SECRET` stands for the text. */
  html: string
}

const target =
  '<div id="out" class="o"><p id="i" class="s t" title="One Two" data-k="Ab" lang="en">SECRET</p></div>'

const pages: Record<string, (text: string) => string> = {
  '# sheet': (css) => `<style>${css}</style>${target}`,
  '# style': (css) => `<p style="${css.replace(/&/g, '&amp;').replace(/"/g, '&quot;')}">SECRET</p>`,
  '# page': (html) => html,
}

/** One a line, under the heading that says what it is; `↵`, `␌` and `␣` stand for a line end, a form feed and a blank that does not break. */
export function cssWays(
  list: 'css-ways-hidden' | 'css-ways-shown' | 'hiding-pages' | 'ordinary-pages',
): CssWay[] {
  const file = new URL(`${list}.txt`, import.meta.url)
  let page: (text: string) => string = String
  const ways: CssWay[] = []
  for (const name of readFileSync(file, 'utf8').split('\n')) {
    const heading = pages[name]
    if (heading) page = heading
    else if (name !== '') {
      const text = name.replaceAll('↵', '\n').replaceAll('␌', '\f').replaceAll('␣', '\u00a0')
      ways.push({ name, html: page(text) })
    }
  }
  return ways
}

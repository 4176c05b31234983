/** HTML that is meant to cost: it comes to an end, and what is left out for it is told. */
import { describe, expect, it } from 'vitest'
import { htmlToText, readHtml } from '../../../src/email/visible-text/html-to-text.ts'

const many = (count: number, piece: (at: number) => string) =>
  Array.from({ length: count }, (_, at) => piece(at)).join('')

describe('htmlToText', () => {
  it('reads a text at any depth', () => {
    expect(htmlToText(`${'<div>'.repeat(100_000)}deep`)).toBe('deep')
    expect(htmlToText(`<style>i i{display:none}</style>${'<div><p>'.repeat(5000)}deep`)).toContain(
      'deep',
    )
  })

  it('judges 10,000 elements by 10,000 rules', () => {
    const rules = many(10_000, (at) => `.c${at}{display:none}`)
    const text = htmlToText(
      `<style>${rules}</style>${many(10_000, (at) => `<p class="c${at + 5000}">w${at}</p>`)}`,
    )
    expect(text).not.toContain('w4999\n')
    expect(text).toContain('w5000\n')
  })

  it.each([
    [
      'elements that a parser repeats',
      `<div>${many(9000, (at) => `<i a=${at}>`)}</div>${'<div>x</div>'.repeat(9000)}`,
    ],
    [
      'rules that match all',
      `<style>${many(10_000, (at) => `[a]:not(.a${at}){color:#123}`)}</style>${many(10_000, (at) => `<p a=${at}>x`)}`,
    ],
    [
      'ancestors without end',
      `<style>.z b{color:red}</style>${'<div>'.repeat(50_000)}${many(9000, (at) => `<b a=${at}>x</b>`)}`,
    ],
    ['variables without end', many(30_000, (at) => `<div style="--a${at}:1;display:var(--z)">`)],
    ['more than two million characters', '<p>hello'.repeat(400_000)],
  ])('leaves out the rest where it meets %s, and says so', (_, html) => {
    const { text, isComplete } = readHtml(html)
    expect(isComplete).toBe(false)
    expect(text).toContain('[the rest of this mail is left out]')
  })

  it.each([
    ['containers', '@container (min-width:1px){b{font-weight:bold}}'],
    ['scopes', '@scope (!){b{font-weight:bold}}'],
    ['elements that hold something', ':has(i) b{font-weight:bold}'],
  ])('comes to the end of ancestors without end that may be %s', (_, css) => {
    const html = `<style>${css}</style>${'<div>'.repeat(50_000)}${many(9000, (at) => `<b a=${at}>x</b>`)}`
    expect(htmlToText(html)).toMatch(/^x+$|left out/)
  })

  it.each([
    '{',
    ';',
    'a{}',
    'a(',
    '"\n',
    '@media screen{',
    '/*',
    '\\',
    '\\a',
    '[a',
    '.a',
    'a,',
    ':not(',
    '<!--',
    'a ',
  ])('comes to the end of a sheet of nothing but %j', (piece) => {
    const css = piece.repeat(200_000 / piece.length)
    const text = htmlToText(`<style>${css}</style>x<style>${css}{color:red}</style>`)
    expect(text).toMatch(/^x$|left out/)
  })

  it.each(['url(', 'a ', 'a(', 'a', 'opacity(', '1', 'var(--a,', '!', 'a/ ', '   ', 'inline-a'])(
    'comes to the end of a style of nothing but %j',
    (piece) => {
      const value = piece.repeat(100_000 / piece.length)
      const styles = ['background', 'transform', 'filter', 'font', 'display', 'width', 'clip-path']
      const html = styles
        .flatMap((property) =>
          [value, `${value.slice(0, 1900)}1`].map((one) => `${property}:${one}`),
        )
        .map((style) => `<p style="${style}">-</p>`)
        .join('')
      expect(htmlToText(`${html}<p>x</p>`)).toMatch(/x$/)
    },
  )

  it('comes to the end of long values on every element', () => {
    const css = `*{background-image:linear-gradient(${'red,'.repeat(480)}red)}`
    const html = `<style>${css}</style>${many(100_000, (at) => `<p a=${at}>x`)}`
    expect(htmlToText(html)).toMatch(/^x\n|left out/)
  })

  it('comes to the end of selectors with blanks in them', () => {
    const sheet = `[a=b${' '.repeat(9900)}x]{color:red}`.repeat(100)
    expect(htmlToText(`<style>${sheet}</style><p>x</p>`)).toBe('x')
  })
})

/** What a browser hides by CSS is hidden, and what it shows is shown. */
import { expect, it } from 'vitest'
import { htmlToText, readHtml } from '../../src/email/visible-text/html-to-text.ts'
import { cssWays } from '../support/email/css-ways.ts'

const isTold = ({ html }: { html: string }) =>
  htmlToText(html.replaceAll('SECRET', 'secretword')).includes('secretword')
const names = (ways: { name: string }[]) => ways.map(({ name }) => name)

it('tells nothing that one of 750 ways hides', () => {
  const ways = cssWays('css-ways-hidden')
  expect(ways.length).toBeGreaterThan(750)
  expect(names(ways.filter(isTold))).toEqual([])
})

it('loses nothing that one of 450 ways only seems to hide', () => {
  const ways = cssWays('css-ways-shown')
  expect(ways.length).toBeGreaterThan(450)
  expect(names(ways.filter((way) => !isTold(way)))).toEqual([])
})

it.each([
  ['a selector of many steps', `${'i '.repeat(300)}p{display:none}`],
  ['a selector in many others', `${':is('.repeat(100)}p${')'.repeat(100)}{display:none}`],
  ['rules in many others', `${'p,div{'.repeat(100)}display:none`],
  ['layers in many others', `${'@layer a{'.repeat(100)}p{display:none}`],
  ['a condition without end', `@media ${'print,'.repeat(1000)}screen{p{display:none}}`],
  ['a list of selectors without end', `${'i,'.repeat(9000)}p{display:none}`],
  ['sheets in many others', '@import "data:text/css,p{display:none}";'.repeat(30)],
])('leaves out a mail that hides its text by %s', (_, css) => {
  const { text, isComplete } = readHtml(`<style>${css}</style><div><p>secretword</p></div>`)
  expect({ text, isComplete }).toEqual({
    text: '[the rest of this mail is left out]',
    isComplete: false,
  })
})

it('takes variables in fifty steps for hiding', () => {
  const chain = Array.from({ length: 60 }, (_, at) => `--v${at}:var(--v${at + 1})`).join(';')
  expect(htmlToText(`<p style="${chain};--v60:block;display:var(--v0)">x</p>`)).toBe('')
})

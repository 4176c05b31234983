import { describe, expect, it } from 'vitest'
import { htmlToText } from './html-to-text.ts'

describe('htmlToText', () => {
  it.each([
    ['<p>one<p>two', 'one\n\ntwo'],
    ['one<br>two<br><br>three', 'one\ntwo\n\nthree'],
    ['<div>one</div><div>two</div>', 'one\ntwo'],
    ['<h1>Title</h1>text', 'Title\n\ntext'],
    ['a  <b> b </b>\n c', 'a b c'],
    ['<ul><li>a<li><p>b</p></ul>', '- a\n- b'],
    ['<ol start="3"><li>a<li>b<ul><li>c</ul></ol>', '3. a\n4. b\n  - c'],
    ['<table><tr><td>a<td>b<tr><td><td>c</table>', 'a | b\nc'],
    ['<pre>a\n  b</pre>', 'a\n  b'],
    ['<p style="white-space:pre-wrap">a\n  b</p>', 'a\n  b'],
    ['&lt;b&gt; &amp;amp; &euro;&#x1F600;&nbsp;x', '<b> &amp; €😀 x'],
    ['<blockquote>a<br>b</blockquote>c', '> a\n> b\n\nc'],
    ['<img alt="A  cat"><img alt="">', '[A cat]'],
    ['<button>Press</button>', 'Press'],
    ['', ''],
  ])('writes %j as %j', (html, text) => expect(htmlToText(html)).toBe(text))

  it.each([
    ['<a href="https://a.example/b">text</a>', 'text (https://a.example/b)'],
    ['<a href="https://a.example/">a.example</a>', 'a.example'],
    [
      '<a href="https://evil.example/">https://bank.example</a>',
      'https://bank.example (https://evil.example/)',
    ],
    ['<a href="mailto:jane@example.com">jane@example.com</a>', 'jane@example.com'],
    ['<a href="mailto:jane@example.com">Jane</a>', 'Jane (mailto:jane@example.com)'],
    ['<a href="HTTPS://a.example/b c">x</a>', 'x (HTTPS://a.example/b%20c)'],
    ['<a href="javascript:alert(1)">x</a>', 'x'],
    ['<a href="data:text/html,x">x</a>', 'x'],
    ['<a href="/local">x</a>', 'x'],
    ['<a href="https://a.example"><img alt="Logo"></a>', '[Logo] (https://a.example)'],
  ])('writes the link %j as %j', (html, text) => expect(htmlToText(html)).toBe(text))

  it.each([
    ['the weight of its selectors', '#a{display:block}.b{display:none}', true],
    ['their order', '.b{display:none}p{display:block}.b{display:block}', true],
    ['importance', '.b{display:none!important}#a{display:block}', false],
    ['a value that is none', '.b{display:none;display:perhaps}', false],
    ['print', '@media print{.b{display:none}}', true],
    ['a dark page', '@media (prefers-color-scheme: dark){.b{display:none}}', false],
    ['a large window', '@media (min-width: 1000px){.b{display:none}}', false],
    ['what nobody can tell', '@media (hover: none){.b{display:none}}', false],
    ['what it may be in', '@supports not (display: grid){.b{display:none}}', false],
    ['a narrow screen', '@media screen and (max-width: 600px){.b{display:none}}', true],
    ['any screen', '@media only screen and (min-width: 1px), print{.b{display:none}}', false],
    ['a range', '@media (width >= 300px){.b{display:none}}', false],
    [
      'what follows a block that is passed over',
      '@font-face{a:b}@keyframes x{0%{a:b}}.b{display:none}',
      false,
    ],
    ['a state', '.b:hover{display:none}', true],
    ['what is drawn beside it', '.b::before{display:none}', true],
    ['a parent', 'body > .b{display:none}', false],
    ['a parent further out', 'html > .b{display:none}', true],
    ['ancestors that are chosen anew', 'html > body .b{display:none}', false],
    ['a place', 'p:nth-child(odd){display:none}', false],
    ['a comment in a rule', '.b/**/{/* */display/* */:/* ; */none}', false],
    ['a string with a brace', '.c{content:"}"}.b{display:none}', false],
  ])('judges a text by %s', (_, css, isShown) => {
    const text = htmlToText(`<style>${css}</style><p id="a" class="b">text</p>`)
    expect(text).toBe(isShown ? 'text' : '')
  })

  it('reads broken HTML', () => {
    expect(htmlToText('a\0b<p<b>c</ q><table><td>d<![CDATA[e]]></p')).toContain('ab')
    expect(htmlToText('<')).toBe('<')
  })
})

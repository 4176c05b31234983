import { describe, expect, it } from 'vitest'
import { looksLikeHtml } from './visible-text.ts'

describe('looksLikeHtml', () => {
  it.each([
    '<!DOCTYPE html><p>Hi',
    '<!-- made by hand -->Hi',
    '\n  <div style="color:red">Hi',
    '<P>Hi</P>',
    'Hi <b>Jane</b>',
    'one<br>two',
    'one<BR />two',
    'See <a href="https://example.com">this</a>.',
    '<table><tr><td>1',
    '<p>Hi</p>\n<p>Bye</p>\n',
    'Hi Jane,<br><br>bye<br>Joe\n',
    'Hi Jane,<br>\n<br>\nThe <a href="https://x.example">report</a> is ready.<br>\nBob',
  ])('takes %j for HTML', (text) => expect(looksLikeHtml(text)).toBe(true))

  it.each([
    '',
    'plain words',
    'a < b and c > d',
    'if (a<b && c>d) return',
    '<jane@example.com>',
    '<https://example.com>',
    'List<String> x = new ArrayList<String>()',
    'Promise<void>, Map<K, V>, std::vector<a>, Vec<i32>',
    '<T>(a: T) => T',
    'I <3 you',
    '<i think so> </i>',
    'On Monday Jane <jane@example.com> wrote:\n> <p>Hi</p>\n> <br>',
    'Write `<b>bold</b>` and `<br>`.',
    '```html\n<p>Hi</p>\n```',
    'x <p is a tag',
    'Hi,\n\nin line 5 use <br> instead of \\n.\n\nJoe',
    'diff:\n- <h1>Old</h1>\n+ <h1>New</h1>\n',
  ])('takes %j for plain text', (text) => expect(looksLikeHtml(text)).toBe(false))

  it.each(['<', '<p a=', '<p a="', '<p ', '`', '```\n', '> ', '`a\n', '<b '])(
    'reads a million of %j',
    (piece) => expect(looksLikeHtml(`x${piece.repeat(1_000_000 / piece.length)}`)).toBe(false),
  )
})

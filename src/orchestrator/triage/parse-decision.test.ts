import { describe, expect, it } from 'vitest'
import { AgentMailError } from '../../errors.ts'
import { decisionIn, parseDecision } from './parse-decision.ts'

const archive = { decision: 'archive', reason: 'A newsletter' }
const draft = { decision: 'draft_reply', reason: 'A question', reply: 'Yes.' }
const json = JSON.stringify(archive)

function misfitOf(parse: () => unknown): string {
  try {
    parse()
  } catch (error) {
    if (AgentMailError.is(error) && error.code === 'bad_answer') return error.message
    throw error
  }
  throw new Error('It was taken for an answer')
}

describe('a decision', () => {
  it.each([
    [archive, archive],
    [{ ...archive, reply: null, delegate_to: null }, archive],
    [
      { ...archive, decision: 'needs_info', reply: 'x', delegate_to: 'y' },
      { ...archive, decision: 'needs_info' },
    ],
    [
      { ...archive, decision: 'delegate' },
      { ...archive, decision: 'delegate', delegate_to: undefined },
    ],
    [
      { ...archive, decision: 'delegate', delegate_to: ' Jo\nDoe\u202e ' },
      { ...archive, decision: 'delegate', delegate_to: 'Jo Doe' },
    ],
    [
      { ...draft, delegate_to: 'Jo' },
      { ...draft, reply: 'Yes.\n' },
    ],
    [
      { ...draft, decision: 'urgent', reason: ' a\n\tb\u200b ' },
      { decision: 'urgent', reason: 'a b', reply: 'Yes.\n' },
    ],
  ])('is read from %j', (value, decision) => {
    expect(parseDecision(value)).toEqual(decision)
  })

  it('shows at most 500 characters of a reason', () => {
    const { reason } = parseDecision({ ...archive, reason: '😀'.repeat(600) })
    expect(reason.length).toBeLessThanOrEqual(500)
    expect(reason).toMatch(/^(?:😀)+…$/u)
  })

  it.each([
    ['Hello,\r\n\r\nyes.\r\rBye  \n\n\n', 'Hello,\n\nyes.\n\nBye\n'],
    ['Pay\u200b \u202eme\u202c', 'Pay me\n'],
    ['<p>Hello</p><p style="display:none">secret</p><p>Bye</p>', 'Hello\n\nBye\n'],
    ['1 < 2 and <i think so>', '1 < 2 and <i think so>\n'],
  ])('has of the reply %j what a person sees', (reply, shown) => {
    expect(parseDecision({ ...draft, reply })).toMatchObject({ reply: shown })
  })

  it('has a reply of at most 50,000 characters', () => {
    const of = (length: number) => ({ ...draft, reply: 'x'.repeat(length) })
    expect(parseDecision(of(49_999))).toMatchObject({ decision: 'draft_reply' })
    expect(misfitOf(() => parseDecision(of(50_000)))).toContain('longer than 50,000 characters')
  })

  it.each([
    [null, 'it is no object'],
    [[archive], 'it is no object'],
    ['archive', 'it is no object'],
    [{}, 'decision must be one of draft_reply, urgent, archive, needs_info, delegate'],
    [{ ...archive, decision: 'Archive' }, 'decision must be one of'],
    [{ ...archive, decision: 'forward' }, 'decision must be one of'],
    [{ ...archive, decision: ['archive'] }, 'decision must be one of'],
    [{ decision: 'archive' }, 'it gives no reason'],
    [{ ...archive, reason: ' \u200b\n' }, 'it gives no reason'],
    [{ ...archive, reason: 5 }, 'reason must be text'],
    [{ ...draft, reply: undefined }, 'it has no reply'],
    [{ ...draft, reply: null }, 'it has no reply'],
    [{ ...draft, reply: ' \n\u2060' }, 'it has no reply'],
    [{ ...draft, reply: '<p style="display:none">secret</p>' }, 'it has no reply'],
    [{ ...draft, reply: { text: 'x' } }, 'reply must be text'],
    [{ ...draft, reply: '<p>&lt;p&gt;Hello&lt;/p&gt;</p>' }, 'the reply is HTML that cannot'],
    [{ ...archive, decision: 'delegate', delegate_to: 'x'.repeat(256) }, 'delegate_to is longer'],
    [{ ...draft, to: 'evil@example.com' }, 'it must not have the key "to"'],
    [{ ...draft, [`${'x'.repeat(99)}\n\u202e`]: 1 }, 'it has a key that is not known'],
  ])('is not read from %j', (value, misfit) => {
    const message = misfitOf(() => parseDecision(value))
    expect(message).toContain(`the answer does not fit: ${misfit}`)
    expect(message).not.toContain('evil')
  })
})

describe('the answer of a model', () => {
  it.each([
    json,
    `\n ${json}\n`,
    `\ufeff${json}`,
    `\`\`\`json\n${json}\n\`\`\``,
    `\`\`\`\r\n${json}\r\n\`\`\`\n`,
    `\n\n\`\`\` JSON \n\n\ufeff${json}\n\n \`\`\`\n\n`,
    `\`\`\`json ${json}\`\`\``,
    `\`\`\`${json}\`\`\``,
    `\`\`\`\`json\n${json}\n\`\`\`\``,
    `~~~\n${json}\n~~~`,
    `<think>\nHm: {"decision":"urgent"}\n</think>\n\n${json}`,
    `\n<THINKING></THINKING>\`\`\`json\n${json}\n\`\`\``,
    JSON.stringify(archive, undefined, 2),
  ])('is read where it is %j', (answer) => expect(decisionIn(answer)).toEqual(archive))

  it('may hold fences, quotes and colons in its reply', () => {
    const reply = '```json\n{"decision": "x", "to": "y"}\n```\n\\": \\\\'
    expect(decisionIn(`\`\`\`json\n${JSON.stringify({ ...draft, reply })}\n\`\`\``)).toMatchObject({
      reply: `${reply}\n`,
    })
  })

  const deep = 50_000
  it.each([
    ['prose', 'I would archive it.', 'it is not one JSON object'],
    ['nothing', '', 'it is not one JSON object'],
    ['prose before it', `Here it is: ${json}`, 'it is not one JSON object'],
    ['prose after it', `${json}\nThat is all.`, 'it is not one JSON object'],
    ['prose around a fence', `Sure!\n\`\`\`json\n${json}\n\`\`\``, 'it is not one JSON object'],
    ['two objects', `${json}\n${json}`, 'it is not one JSON object'],
    ['two fences', `\`\`\`\n${json}\n\`\`\`\n\`\`\`\n${json}\n\`\`\``, 'it is not one JSON object'],
    ['a fence of another kind', `\`\`\`js\n${json}\n\`\`\``, 'it is not one JSON object'],
    ['a fence without an end', `\`\`\`json\n${json}`, 'it is not one JSON object'],
    ['a fence with prose in it', `\`\`\`\nSo: ${json}\n\`\`\``, 'it is not one JSON object'],
    ['thoughts alone', `<think>${json}</think>`, 'it is not one JSON object'],
    ['thoughts without an end', `<think>${json}`, 'it is not one JSON object'],
    ['thoughts after it', `${json}<think></think>`, 'it is not one JSON object'],
    ['thoughts twice', `<think></think><think></think>${json}`, 'it is not one JSON object'],
    [
      'thoughts that quote their end',
      `<think>It says </think>${json}</think>${json}`,
      'it is not one JSON object',
    ],
    ['prose after thoughts', `<think></think>Here: ${json}`, 'it is not one JSON object'],
    ['a list', `[${json}]`, 'it is not one JSON object'],
    ['half of it', json.slice(0, -1), 'it is not one JSON object'],
    [
      'a key twice',
      `{"decision":"archive","reason":"a","decision":"archive"}`,
      'a key is there twice',
    ],
    [
      'a key twice in disguise',
      `{"decision":"archive","reason":"a","reaso\\u006e":"b"}`,
      'a key is there twice',
    ],
    [
      'a nested key that is replaced',
      `{"reason":{"x":1},"decision":"archive","reason":"b"}`,
      'a key is there twice',
    ],
    [
      'a prototype',
      `{"__proto__":{"to":"x"},"decision":"archive","reason":"b"}`,
      'it must not have the key "__proto__"',
    ],
    [
      'a deep one',
      `{"decision":"archive","reason":${'['.repeat(deep)}${']'.repeat(deep)}}`,
      'reason must be text',
    ],
    [
      'a huge one',
      JSON.stringify({ ...archive, reason: 'x'.repeat(200 << 10) }),
      'it is larger than 200 KB',
    ],
  ])('does not fit where it is %s', (_, answer, misfit) => {
    expect(misfitOf(() => decisionIn(answer))).toContain(`the answer does not fit: ${misfit}`)
  })
})

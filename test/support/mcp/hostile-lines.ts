/** Lines that are no MCP, or none that a server likes, each with what it must get. */
import { type Era, type Id, requestLine } from './protocol.ts'

/** What a line gets: a refusal by code, one answer of any kind to its id, or nothing. */
export type Outcome = { refused: number; id: Id } | { answered: Id } | 'silence' | 'anything'
type Sample = [name: string, line: string | Buffer, outcome: Outcome]

export const notJson = { refused: -32700, id: null }
export const notMcp = { refused: -32600, id: null }

const bytes = (...parts: (string | number[])[]) =>
  Buffer.concat(parts.map((part) => Buffer.from(typeof part === 'string' ? part : part)))

const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth)

const unparsable: Sample[] = [
  ['a word', 'nonsense', notJson],
  ['an open brace', '{', notJson],
  ['a closing brace', '}', notJson],
  ['a lone quote', '"', notJson],
  ['a request cut short', requestLine('cut', 'ping').slice(0, -1), notJson],
  ['a request with something after it', `${requestLine('after', 'ping')}x`, notJson],
  ['two requests on a line', requestLine(1, 'ping') + requestLine(2, 'ping'), notJson],
  ['a trailing comma', '{"jsonrpc":"2.0","id":1,"method":"ping",}', notJson],
  ['single quotes', "{'jsonrpc':'2.0','id':1,'method':'ping'}", notJson],
  ['keys without quotes', '{jsonrpc:"2.0",id:1,method:"ping"}', notJson],
  ['a comment', '{"jsonrpc":"2.0","id":1,"method":"ping"} // hi', notJson],
  ['NaN', '{"jsonrpc":"2.0","id":NaN,"method":"ping"}', notJson],
  ['Infinity', '{"jsonrpc":"2.0","id":-Infinity,"method":"ping"}', notJson],
  ['undefined', 'undefined', notJson],
  ['a hexadecimal id', '{"jsonrpc":"2.0","id":0x10,"method":"ping"}', notJson],
  ['an id with leading zeros', '{"jsonrpc":"2.0","id":007,"method":"ping"}', notJson],
  ['an unknown escape', '{"jsonrpc":"2.0","id":"\\x41","method":"ping"}', notJson],
  ['a bare control character', '{"jsonrpc":"2.0","id":"\u0001","method":"ping"}', notJson],
  ['a NUL between tokens', '{"jsonrpc":"2.0",\0"id":1,"method":"ping"}', notJson],
  ['a byte order mark', `\ufeff${requestLine('bom', 'ping')}`, notJson],
  ['UTF-16', Buffer.from(requestLine('wide', 'ping'), 'utf16le'), notJson],
  ['bytes that are no UTF-8', bytes([0xff, 0xfe, 0xc0, 0x80, 0xf5]), notJson],
  ['a non-breaking space', `\u00a0${requestLine('space', 'ping')}`, notJson],
  ['an HTTP request', 'POST /mcp HTTP/1.1\r', notJson],
  ['a header of the Language Server Protocol', 'Content-Length: 52\r', notJson],
  ['XML', '<methodCall><methodName>ping</methodName></methodCall>', notJson],
  ['a mebibyte of one word', 'x'.repeat(1 << 20), notJson],
  ['50,000 quotes', '"'.repeat(50_001), notJson],
]

const withoutId: Sample[] = [
  ['an empty array', '[]', notMcp],
  ['an empty object', '{}', notMcp],
  ['a number', '42', notMcp],
  ['a number beyond all', '1e999', notMcp],
  ['a string', '"ping"', notMcp],
  ['null', 'null', notMcp],
  ['true', 'true', notMcp],
  ['a batch', `[${requestLine('batched', 'ping')}]`, notMcp],
  ['a batch of notifications', '[{"jsonrpc":"2.0","method":"notifications/initialized"}]', notMcp],
  ['arrays in arrays', '[[[]]]', notMcp],
  ['10,000 arrays in arrays', nested(10_000), notMcp],
  ['10,000 arrays that never end', '['.repeat(10_000), notMcp],
  ['10,000 objects in objects', '{"a":'.repeat(10_000) + '1'.padEnd(10_001, '}'), notMcp],
  [
    'a request with 10,000 arrays in it',
    `{"jsonrpc":"2.0","id":"deep","method":"ping","params":{"a":${nested(10_000)}}}`,
    notMcp,
  ],
  ['a version alone', '{"jsonrpc":"2.0"}', notMcp],
  ['a method without a version', '{"method":"ping"}', notMcp],
  ['a null id', '{"jsonrpc":"2.0","id":null,"method":"ping"}', notMcp],
  ['an object as id', '{"jsonrpc":"2.0","id":{},"method":"ping"}', notMcp],
  ['an array as id', '{"jsonrpc":"2.0","id":[1],"method":"ping"}', notMcp],
  ['true as id', '{"jsonrpc":"2.0","id":true,"method":"ping"}', notMcp],
  ['a fraction as id', '{"jsonrpc":"2.0","id":1.5,"method":"ping"}', notMcp],
  ['an id beyond all numbers', '{"jsonrpc":"2.0","id":1e400,"method":"ping"}', notMcp],
  ['an id beyond exact numbers', '{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}', notMcp],
  ['everything in the prototype', `{"__proto__":${requestLine('proto', 'ping')}}`, notMcp],
  [
    'a notification with an array',
    '{"jsonrpc":"2.0","method":"notifications/initialized","params":[]}',
    notMcp,
  ],
  ['a notification with a number for a method', '{"jsonrpc":"2.0","method":5}', notMcp],
  ['a notification with no method', '{"jsonrpc":"2.0","method":null}', notMcp],
]

const withBadId = (name: string, id: string, fields: string): Sample => [
  name,
  `{"id":"${id}",${fields}}`,
  { refused: -32600, id },
]

const withId: Sample[] = [
  withBadId('no version', 'v0', '"method":"ping"'),
  withBadId('version 1.0', 'v1', '"jsonrpc":"1.0","method":"ping"'),
  withBadId('a number as version', 'v2', '"jsonrpc":2.0,"method":"ping"'),
  withBadId('no method', 'm0', '"jsonrpc":"2.0"'),
  withBadId('a number as method', 'm1', '"jsonrpc":"2.0","method":1'),
  withBadId('null as method', 'm2', '"jsonrpc":"2.0","method":null'),
  withBadId('an object as method', 'm3', '"jsonrpc":"2.0","method":{"a":1}'),
  withBadId('an array as params', 'p0', '"jsonrpc":"2.0","method":"ping","params":[]'),
  withBadId('a string as params', 'p1', '"jsonrpc":"2.0","method":"ping","params":"all"'),
  withBadId('a number as params', 'p2', '"jsonrpc":"2.0","method":"ping","params":0'),
  withBadId('null as params', 'p3', '"jsonrpc":"2.0","method":"ping","params":null'),
  withBadId('false as params', 'p4', '"jsonrpc":"2.0","method":"ping","params":false'),
  withBadId('a request that is a response', 'b0', '"jsonrpc":"2.0","method":"ping","result":{}'),
  withBadId('a field nobody knows', 'b1', '"jsonrpc":"2.0","method":"ping","extra":1'),
  withBadId('a prototype', 'b2', '"jsonrpc":"2.0","method":"ping","__proto__":{"id":3}'),
]

const request = (
  name: string,
  id: string | number,
  method: string,
  params?: object,
  era?: Era,
): Sample => [name, requestLine(id, method, params, era), { answered: id }]

const call = (name: string, id: string, params: string): Sample => [
  name,
  `{"jsonrpc":"2.0","id":"${id}","method":"tools/call","params":${params}}`,
  { answered: id },
]

const answered: Sample[] = [
  request('an unknown method', 'u0', 'tools/uncall'),
  request('an empty method', 'u1', ''),
  request('the method __proto__', 'u2', '__proto__'),
  request('the method constructor', 'u3', 'constructor'),
  request('the method hasOwnProperty', 'u4', 'hasOwnProperty'),
  request('a method of a mebibyte', 'u5', 'm'.repeat(1 << 20)),
  request('a method with half a character', 'u6', '\ud800'),
  request('a method with line breaks', 'u7', 'tools/list\n\r\u2028'),
  request('a method of the client', 'u8', 'sampling/createMessage', { messages: 5 }),
  request('a notification sent as a request', 'u9', 'notifications/initialized'),
  request('a cancellation sent as a request', 'u10', 'notifications/cancelled', { requestId: 1 }),
  request('the id 0', 0, 'tools/list'),
  request('a negative id', -1, 'tools/list'),
  request('the largest exact id', Number.MAX_SAFE_INTEGER, 'tools/list'),
  request('an empty id', '', 'tools/list'),
  request('the id __proto__', '__proto__', 'tools/list'),
  request('an id of 100,000 characters', 'i'.repeat(100_000), 'tools/list'),
  request('an id with half a character', '\udfff', 'tools/list'),
  request('an id with line breaks', 'a\nb\u2029', 'tools/list'),
  [
    'an id that is no UTF-8',
    bytes('{"jsonrpc":"2.0","id":"', [0xff], '","method":"tools/list"}'),
    { answered: '\ufffd' },
  ],
  ['an id as 1e2', '{"jsonrpc":"2.0","id":1e2,"method":"tools/list"}', { answered: 100 }],
  ['two ids', '{"jsonrpc":"2.0","id":"x1","id":"x2","method":"ping"}', { answered: 'x2' }],
  ['spaces around it', `  ${requestLine('spaces', 'ping')} \t`, { answered: 'spaces' }],
  ['a carriage return after it', `${requestLine('crlf', 'ping')}\r`, { answered: 'crlf' }],
  request('a cursor that is a number', 'l0', 'tools/list', { cursor: 5 }),
  request('a cursor nobody gave', 'l1', 'tools/list', { cursor: 'x'.repeat(10_000) }),
  request('a token that is an object', 'l2', 'tools/list', { _meta: { progressToken: {} } }),
  call('metadata that is a string', 'l3', '{"name":"receive","_meta":"all"}'),
  request('no parameters', 'c0', 'tools/call'),
  call('no name', 'c1', '{}'),
  call('a number as name', 'c2', '{"name":5}'),
  call('a null name', 'c3', '{"name":null}'),
  call('the tool __proto__', 'c4', '{"name":"__proto__"}'),
  call('the tool toString', 'c5', '{"name":"toString"}'),
  call('a tool of 100,000 characters', 'c6', `{"name":"${'t'.repeat(100_000)}"}`),
  call('arguments in an array', 'c7', '{"name":"send","arguments":["b","hi"]}'),
  call('arguments in a string', 'c8', '{"name":"send","arguments":"b hi"}'),
  call('null arguments', 'c9', '{"name":"send","arguments":null}'),
  call('a number of arguments', 'c10', '{"name":"receive","arguments":0}'),
  call('an argument __proto__', 'c11', '{"name":"receive","arguments":{"__proto__":{"x":1}}}'),
  call(
    'arguments of wrong types',
    'c12',
    '{"name":"send","arguments":{"recipient":{},"message":[]}}',
  ),
  call(
    'half a character',
    'c13',
    '{"name":"send","arguments":{"recipient":"\\ud800","message":"\\udc00"}}',
  ),
  call('a NUL', 'c14', '{"name":"send","arguments":{"recipient":"b","message":"\\u0000"}}'),
  call('90 arrays in an argument', 'c15', `{"name":"status","arguments":{"status":${nested(90)}}}`),
  call('a huge number', 'c16', '{"name":"status","arguments":{"status":1e308}}'),
  call('a task nobody offers', 'c17', '{"name":"receive","task":{"ttl":-1}}'),
  request('an initialize of nonsense', 'i0', 'initialize', { protocolVersion: 5, clientInfo: [] }),
  request('an initialize without parameters', 'i1', 'initialize'),
  request('a modern request', 'e0', 'tools/list', {}, 'modern'),
  request('an envelope of an unknown revision', 'e1', 'tools/list', {
    _meta: {
      'io.modelcontextprotocol/protocolVersion': '1999-01-01',
      'io.modelcontextprotocol/clientCapabilities': {},
    },
  }),
  request('an envelope of wrong types', 'e2', 'tools/list', {
    _meta: { 'io.modelcontextprotocol/protocolVersion': 5 },
  }),
  request('a subscription without a filter', 'e3', 'subscriptions/listen', {}, 'modern'),
]

export const cancel = (params: string) =>
  `{"jsonrpc":"2.0","method":"notifications/cancelled"${params === '' ? '' : `,"params":${params}`}}`

const unanswered: Sample[] = [
  ['a blank line', '', 'silence'],
  ['spaces', '  \t ', 'silence'],
  ['a carriage return', '\r', 'silence'],
  ['an unknown notification', '{"jsonrpc":"2.0","method":"notifications/nothing"}', 'silence'],
  ['a request without an id', '{"jsonrpc":"2.0","method":"tools/list"}', 'silence'],
  ['a cancellation of nothing', cancel('{"requestId":"nobody"}'), 'silence'],
  ['a cancellation of a huge id', cancel('{"requestId":1e300}'), 'silence'],
  ['a cancellation of an object', cancel('{"requestId":{}}'), 'silence'],
  ['a cancellation of null', cancel('{"requestId":null}'), 'silence'],
  ['a cancellation of no id', cancel('{}'), 'silence'],
  ['a cancellation without parameters', cancel(''), 'silence'],
  [
    'progress of nothing',
    '{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":9,"progress":-1}}',
    'silence',
  ],
  ['a second greeting', '{"jsonrpc":"2.0","method":"notifications/initialized"}', 'silence'],
  ['a response to nothing', '{"jsonrpc":"2.0","id":1,"result":{}}', 'silence'],
  ['a response to a word', '{"jsonrpc":"2.0","id":"__proto__","result":{"x":1}}', 'silence'],
  [
    'an error for nothing',
    '{"jsonrpc":"2.0","id":7,"error":{"code":-32000,"message":"no"}}',
    'silence',
  ],
  ['an error without an id', '{"jsonrpc":"2.0","error":{"code":-1,"message":"no"}}', 'anything'],
  ['an error of wrong types', '{"jsonrpc":"2.0","id":7,"error":"no"}', 'anything'],
  ['a result of a wrong type', '{"jsonrpc":"2.0","id":7,"result":5}', 'anything'],
  ['a result and an error', '{"jsonrpc":"2.0","id":7,"result":{},"error":{}}', 'anything'],
]

export const corpus = [...unparsable, ...withoutId, ...withId, ...answered, ...unanswered]

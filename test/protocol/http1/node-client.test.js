'use strict'

const t = require('tap')
const assert = require('node:assert/strict')
const { setImmediate: turn } = require('node:timers/promises')
const fc = require('../../support/fast-check')
const fixtures = require('./fixtures')
const { askNode, askUs } = require('./node-client')
const { cut } = require('./collector')
const { rawServer } = require('../../support/servers')
const { head } = fixtures

/*
 * Intentional differences from Node's own client. A load test is not a gateway: nobody can be tricked by a response that two programs parse
 * differently. So everything that RFC 9112 allows a recipient to accept is accepted, to avoid reporting healthy servers as broken; what no
 * HTTP/1.1 server may send is rejected.
 */
const ACCEPTED = {
  'a line may end in a bare line feed (section 2.2)': ['lines that end in a bare line feed', 'line ends of both kinds', 'a bare line feed and then CRLF', 'no reason phrase, and a bare line feed'],
  'a user agent replaces a folded line by a space (section 5.2)': ['a header folded over lines', 'a folded header that looks like another', 'a folded header with an empty line of spaces'],
  'a line that begins with space, before any header, is passed over (section 2.2)': ['a space before the first header'],
  'Transfer-Encoding overrides Content-Length (section 6.3)': ['Transfer-Encoding goes before Content-Length', 'Content-Length behind Transfer-Encoding', 'another transfer coding goes before Content-Length: 0'],
  'the same length twice is one length (section 6.3)': ['the same Content-Length twice'],
  'a tab is space around a value (RFC 9110, section 5.6.3)': ['Content-Length with tabs around'],
  'space around the parts of a chunk extension (section 7.1.1)': ['chunk extensions with space in them', 'chunk sizes with space behind'],
  'an empty element of a list counts for nothing (RFC 9110, section 5.6.1)': ['chunked, with an empty list element'],
  'it is the final response that says whether the connection ends (section 9.6)': ['1xx with Connection: close']
}
const REFUSED = {
  'another major version is another protocol': ['HTTP/2', 'HTTP/0.9'],
  'status codes begin at 100 (RFC 9110, section 15)': ['a status below 100'],
  'control characters have no place in a head (RFC 9110, section 5.5)': ['a control character in the reason phrase'],
  'the limit is ours': ['a head too long in many lines']
}
const different = new Set([...Object.values(ACCEPTED), ...Object.values(REFUSED)].flat())

// Answers each request with the bytes that `answers` has for its path, in pieces, and ends the stream.
async function answering (t, answers) {
  return rawServer(t, async (socket, request) => {
    for (const piece of answers.get(request.path)) {
      socket.write(piece)
      await turn()
    }
    socket.end()
  })
}

const kinds = { valid: fixtures.valid, malformed: fixtures.malformed, cutShort: fixtures.cutShort }

for (const [kind, some] of Object.entries(kinds)) {
  t.test(`${kind}: the same as Node's own client`, async (t) => {
    const server = await answering(t, new Map(some.map(({ bytes }, index) => [`/${index}`, [bytes]])))
    for (const [index, { name, method }] of some.entries()) {
      const url = `${server.url}/${index}`
      const { result, ...ours } = await askUs(url, method)
      t.equal(ours.isComplete, kind === 'valid', name)
      t.equal(result.accounting.completed + result.accounting.failed, 1)
      if (different.has(name)) continue
      const nodes = await askNode(url, method)
      t.equal(ours.isComplete, nodes.isComplete, name)
      if (nodes.isComplete) agree(t, ours, nodes, name)
    }
  })
}

function agree (t, ours, nodes, name) {
  t.strictSame(ours, { ...nodes, informational: nodes.informational.length }, name)
}

t.test('each difference belongs to a fixture that exists', async (t) => {
  const names = new Set(Object.values(kinds).flat().map(({ name }) => name))
  for (const name of different) t.ok(names.has(name), name)
})

// --- random responses

const token = fc.string({ unit: fc.constantFrom(..."!#$%&'*+-.^_`|~09azAZxyz"), minLength: 1, maxLength: 12 })
const value = fc.string({ unit: fc.constantFrom(...' \t!"(),/:;<=>?@[]{}abcXYZ019\xe4\xff'), maxLength: 30 })
const fields = fc.array(fc.tuple(token, value).map(([name, text]) => `X-${name}: ${text}`), { maxLength: 8 })
const text = fc.string({ unit: fc.constantFrom('a', '\r', '\n', '0', '\r\n', '\0', '\xff', 'HTTP/1.1 200 OK\r\n\r\n'), maxLength: 60 })
const extension = fc.constantFrom('', '', ';x', ';name=value', ';a;b="c;d"')

const framings = fc.oneof(
  text.map((body) => ({ field: `Content-Length: ${body.length}`, bytes: body })),
  text.map((body) => ({ field: 'X-Until: close', bytes: body })),
  fc.record({
    pieces: fc.array(fc.tuple(text.filter((piece) => piece !== ''), extension), { maxLength: 5 }),
    trailers: fields,
    name: fc.constantFrom('Transfer-Encoding', 'transfer-encoding'),
    coding: fc.constantFrom('chunked', 'Chunked', 'gzip, chunked')
  }).map(({ pieces, trailers, name, coding }) => ({
    field: `${name}: ${coding}`,
    bytes: pieces.map(([piece, extension]) => `${piece.length.toString(16)}${extension}\r\n${piece}\r\n`).join('') +
      '0\r\n' + trailers.map((line) => `${line}\r\n`).join('') + '\r\n'
  }))
)

const responses = fc.record({
  method: fc.constantFrom('GET', 'GET', 'POST', 'HEAD'),
  interim: fc.array(fc.constantFrom(head('HTTP/1.1 100 Continue'), head('HTTP/1.1 103 Early Hints', 'Link: </x>')), { maxLength: 2 }),
  version: fc.constantFrom('1.1', '1.1', '1.0'),
  status: fc.constantFrom(200, 201, 204, 301, 304, 400, 404, 500, 599),
  reason: fc.constantFrom('OK', 'Not Found', '', 'with  spaces', '\xe4'),
  before: fields,
  framing: framings,
  after: fields,
  connection: fc.constantFrom([], ['Connection: close'], ['Connection: keep-alive'])
}).map(({ method, interim, version, status, reason, before, framing, after, connection }) => {
  const hasBody = method !== 'HEAD' && status !== 204 && status !== 304
  const final = head(`HTTP/${version} ${status} ${reason}`, ...before, framing.field, ...connection, ...after)
  return { method, bytes: Buffer.from(interim.join('') + final + (hasBody ? framing.bytes : ''), 'latin1') }
})
const sizes = fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 1, maxLength: 20 })

t.test('random responses, complete and cut short: the same as Node', async (t) => {
  const answers = new Map()
  const server = await answering(t, answers)
  let completed = 0
  let cutShort = 0
  const cuts = fc.option(fc.nat({ max: 400 }), { freq: 3, nil: Infinity })
  await fc.assert(fc.asyncProperty(responses, sizes, cuts, async ({ method, bytes }, sizes, length) => {
    answers.set('/', cut(bytes.subarray(0, length), sizes))
    const nodes = await askNode(server.url, method)
    const { result, ...ours } = await askUs(server.url, method)
    assert.equal(ours.isComplete, nodes.isComplete)
    if (nodes.isComplete) assert.deepEqual(ours, { ...nodes, informational: nodes.informational.length })
    if (nodes.isComplete) completed++
    else cutShort++
  }), { numRuns: 150 })
  t.ok(completed > 50, `${completed} were complete`)
  t.ok(cutShort > 10, `${cutShort} were cut short`)
})

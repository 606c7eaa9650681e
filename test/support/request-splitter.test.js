'use strict'

const t = require('tap')
const { RequestSplitter } = require('./request-splitter')

const requests = [
  { raw: 'GET / HTTP/1.1\r\nHost: a\r\n\r\n', method: 'GET', path: '/', version: '1.1', body: '' },
  { raw: 'POST /p?q=1 HTTP/1.1\r\nHost: a\r\ncontent-LENGTH: 5\r\n\r\nab\r\nc', method: 'POST', path: '/p?q=1', version: '1.1', body: 'ab\r\nc' },
  { raw: 'HEAD /h HTTP/1.0\r\n\r\n', method: 'HEAD', path: '/h', version: '1.0', body: '' },
  {
    raw: 'PUT /c HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\nA;x=y\r\n0123456789\r\n0\r\nX-Sum: 1\r\n\r\n',
    method: 'PUT',
    path: '/c',
    version: '1.1',
    body: 'abc0123456789'
  },
  { raw: 'POST /empty HTTP/1.1\r\nContent-Length: 0\r\n\r\n', method: 'POST', path: '/empty', version: '1.1', body: '' },
  { raw: 'PUT /none HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n', method: 'PUT', path: '/none', version: '1.1', body: '' },
  { raw: 'GET /last HTTP/1.1\r\nHost: b\r\nX: 1\r\nX: 2\r\n\r\n', method: 'GET', path: '/last', version: '1.1', body: '' }
]
const stream = Buffer.from(requests.map(({ raw }) => raw).join(''))

function split (chunks) {
  const found = []
  const splitter = new RequestSplitter((request) => found.push({
    raw: request.raw.toString(),
    method: request.method,
    path: request.path,
    version: request.version,
    body: request.body.toString()
  }))
  for (const chunk of chunks) splitter.push(chunk)
  return { found, splitter }
}

t.test('pipelined: all in one chunk', async (t) => {
  const { found, splitter } = split([stream])
  t.same(found, requests)
  t.equal(splitter.pendingBytes, 0)
})

t.test('byte by byte', async (t) => {
  const { found, splitter } = split(Array.from(stream, (byte) => Buffer.from([byte])))
  t.same(found, requests)
  t.equal(splitter.pendingBytes, 0)
})

t.test('split in two at every position', async (t) => {
  for (let at = 0; at <= stream.length; at++) {
    const { found } = split([stream.subarray(0, at), stream.subarray(at)])
    if (found.length !== requests.length) t.fail(`cut at ${at}`)
    for (const [index, { raw, body }] of requests.entries()) {
      if (found[index].raw !== raw || found[index].body !== body) t.fail(`cut at ${at}, request ${index}`)
    }
  }
})

t.test('an incomplete request does not count', async (t) => {
  let end = 0
  for (const { raw } of requests) {
    for (let missing = 1; missing < raw.length; missing++) {
      const { found, splitter } = split([Buffer.from(raw.slice(0, -missing))])
      if (found.length !== 0) t.fail(`${missing} bytes missing of ${JSON.stringify(raw)}`)
      if (splitter.pendingBytes !== raw.length - missing) t.fail(`pendingBytes is ${splitter.pendingBytes}`)
    }
    end += raw.length
    t.equal(split([stream.subarray(0, end)]).splitter.pendingBytes, 0)
  }
})

t.test('headers as they were sent', async (t) => {
  let found
  new RequestSplitter((request) => { found = request }).push(Buffer.from('GET / HTTP/1.1\r\nHOST:  a \r\nx: 1\r\nX: 2\r\n\r\n'))
  t.same(found.headers, [['HOST', 'a'], ['x', '1'], ['X', '2']])
  t.equal(found.header('host'), 'a')
  t.equal(found.header('nothing'), null)
})

t.test('rejects anything that is not exactly a request', async (t) => {
  const bad = [
    'GET /\r\n\r\n',
    'GET / HTTP/2.0\r\n\r\n',
    'GET /a b HTTP/1.1\r\n\r\n',
    '\r\nGET / HTTP/1.1\r\n\r\n',
    'GET / HTTP/1.1\r\nno colon\r\n\r\n',
    'GET / HTTP/1.1\r\nHost : a\r\n\r\n',
    'GET / HTTP/1.1\r\nA: 1\r\n folded\r\n\r\n',
    'POST / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\na',
    'POST / HTTP/1.1\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\na',
    'POST / HTTP/1.1\r\nContent-Length: +1\r\n\r\na',
    'POST / HTTP/1.1\r\nTransfer-Encoding: gzip\r\n\r\na',
    'POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n',
    'POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nab\r\n'
  ]
  for (const text of bad) t.throws(() => split([Buffer.from(text)]), JSON.stringify(text))
  t.throws(() => split([Buffer.alloc(2 * 1024 * 1024, 'a')]))
})

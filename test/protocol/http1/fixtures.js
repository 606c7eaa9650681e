'use strict'

/*
 * Responses as bytes, with their meaning, in three groups:
 *
 * `valid`      { name, bytes, method, status, body, close, untilClose, informational, skipped }
 *              one complete final response; `close`: no request may follow on its connection; `untilClose`: it is complete
 *              when the stream ends; `informational`: the 1xx before it; `skipped`: bytes before it that are ignored
 * `malformed`  { name, bytes, method, problem, informational }: not HTTP, which is clear without waiting for more
 * `cutShort`   { name, bytes, method }: the stream ends before the response is complete
 */

const NOBODY = { method: 'GET', body: '', close: false, untilClose: false, informational: [], skipped: 0 }

// Joins lines with CRLF, and appends an empty line.
function head (...lines) {
  return lines.map((line) => `${line}\r\n`).join('') + '\r\n'
}

function valid (name, bytes, expected) {
  return { name, bytes: Buffer.from(bytes, 'latin1'), ...NOBODY, status: 200, ...expected }
}

const EARLY = head('HTTP/1.1 103 Early Hints', 'Link: </a.css>; rel=preload')
const CONTINUE = head('HTTP/1.1 100 Continue')
const CHUNKED = head('HTTP/1.1 200 OK', 'Transfer-Encoding: chunked')
const OK_5 = head('HTTP/1.1 200 OK', 'Content-Length: 5') + 'hello'
const EVERY_BYTE = String.fromCharCode(...Array.from({ length: 256 }, (_, byte) => byte))

const lengths = [
  valid('Content-Length', OK_5, { body: 'hello' }),
  valid('Content-Length: 0', head('HTTP/1.1 200 OK', 'Content-Length: 0')),
  valid('Content-Length with leading zeros', head('HTTP/1.1 200 OK', 'Content-Length: 0005') + 'hello', { body: 'hello' }),
  valid('Content-Length with space around', head('HTTP/1.1 200 OK', 'Content-Length:   5  ') + 'hello', { body: 'hello' }),
  valid('Content-Length with tabs around', head('HTTP/1.1 200 OK', 'Content-Length:\t5\t') + 'hello', { body: 'hello' }),
  valid('Content-Length without space', head('HTTP/1.1 200 OK', 'Content-Length:5') + 'hello', { body: 'hello' }),
  valid('the same Content-Length twice', head('HTTP/1.1 200 OK', 'Content-Length: 5', 'content-length: 5') + 'hello', { body: 'hello' }),
  valid('a body of every byte', head('HTTP/1.1 200 OK', 'Content-Length: 256') + EVERY_BYTE, { body: EVERY_BYTE }),
  valid('a body that looks like a response', head('HTTP/1.1 200 OK', `Content-Length: ${OK_5.length}`) + OK_5, { body: OK_5 }),
  valid('a body longer than a packet', head('HTTP/1.1 200 OK', 'Content-Length: 70000') + 'x'.repeat(70000), { body: 'x'.repeat(70000) }),
  valid('until close', head('HTTP/1.1 200 OK') + 'all of it', { body: 'all of it', untilClose: true }),
  valid('until close, and empty', head('HTTP/1.1 200 OK'), { untilClose: true }),
  valid('until close, with Connection: close', head('HTTP/1.1 200 OK', 'Connection: close') + 'all', { body: 'all', close: true, untilClose: true }),
  valid('a transfer coding other than chunked lasts until close', head('HTTP/1.1 200 OK', 'Transfer-Encoding: gzip') + 'zip', { body: 'zip', untilClose: true }),
  valid('another transfer coding goes before Content-Length: 0', head('HTTP/1.1 200 OK', 'Content-Length: 0', 'Transfer-Encoding: gzip') + 'zip', { body: 'zip', untilClose: true }),
  valid('chunked, and then another coding, lasts until close', head('HTTP/1.1 200 OK', 'Transfer-Encoding: chunked, gzip') + '5\r\n', { body: '5\r\n', untilClose: true })
]

const chunked = [
  valid('chunked', CHUNKED + '5\r\nhello\r\n6\r\n world\r\n0\r\n\r\n', { body: 'hello world' }),
  valid('chunked, and empty', CHUNKED + '0\r\n\r\n'),
  valid('chunked, in capitals', head('HTTP/1.1 200 OK', 'TRANSFER-ENCODING: Chunked') + 'A\r\n0123456789\r\n0\r\n\r\n', { body: '0123456789' }),
  valid('chunked as the last of several codings', head('HTTP/1.1 200 OK', 'Transfer-Encoding: gzip, chunked') + '3\r\nzip\r\n0\r\n\r\n', { body: 'zip' }),
  valid('chunked as the last of several header lines', head('HTTP/1.1 200 OK', 'Transfer-Encoding: gzip', 'Transfer-Encoding: chunked') + '3\r\nzip\r\n0\r\n\r\n', { body: 'zip' }),
  valid('chunked, with an empty list element', head('HTTP/1.1 200 OK', 'Transfer-Encoding: chunked ,') + '2\r\nok\r\n0\r\n\r\n', { body: 'ok' }),
  valid('chunk sizes with leading zeros', CHUNKED + '0000000000000005\r\nhello\r\n000\r\n\r\n', { body: 'hello' }),
  valid('chunk extensions', CHUNKED + '5;a\r\nhello\r\n1;b=c;d="e;f"\r\n!\r\n0;last\r\n\r\n', { body: 'hello!' }),
  valid('chunk extensions with space in them', CHUNKED + '5; a\r\nhello\r\n1 ; b = c ;\td="e;\tf"\r\n!\r\n0;last \r\n\r\n', { body: 'hello!' }),
  valid('chunk sizes with space behind', CHUNKED + '5  \r\nhello\r\n1 ;x\r\n!\r\n0 \r\n\r\n', { body: 'hello!' }),
  valid('trailers', CHUNKED + '5\r\nhello\r\n0\r\nX-Sum: 5d41\r\nServer-Timing: db;dur=3\r\n\r\n', { body: 'hello' }),
  valid('extensions and trailers', CHUNKED + '5;q=1\r\nhello\r\n0;z\r\nExpires: never\r\n\r\n', { body: 'hello' }),
  valid('chunks with line ends in them', CHUNKED + '4\r\n\r\n\r\n\r\n' + '5\r\n0\r\n\r\n\r\n' + '0\r\n\r\n', { body: '\r\n\r\n0\r\n\r\n' }),
  valid('chunks of a byte', CHUNKED + [...'hello'].map((byte) => `1\r\n${byte}\r\n`).join('') + '0\r\n\r\n', { body: 'hello' }),
  valid('many chunks with long extensions', CHUNKED + `1;${'x'.repeat(999)}\r\n.\r\n`.repeat(100) + '0\r\n\r\n', { body: '.'.repeat(100) }),
  valid('Transfer-Encoding goes before Content-Length', head('HTTP/1.1 200 OK', 'Content-Length: 3', 'Transfer-Encoding: chunked') + '5\r\nhello\r\n0\r\n\r\n', { body: 'hello' }),
  valid('Content-Length behind Transfer-Encoding', head('HTTP/1.1 200 OK', 'Transfer-Encoding: chunked', 'Content-Length: 300') + '5\r\nhello\r\n0\r\n\r\n', { body: 'hello' })
]

const withoutBody = [
  valid('HEAD with a Content-Length', head('HTTP/1.1 200 OK', 'Content-Length: 5'), { method: 'HEAD' }),
  valid('HEAD with chunked', CHUNKED, { method: 'HEAD' }),
  valid('HEAD without any length', head('HTTP/1.1 200 OK'), { method: 'HEAD' }),
  valid('HEAD with Connection: close', head('HTTP/1.1 200 OK', 'Connection: close'), { method: 'HEAD', close: true }),
  valid('204', head('HTTP/1.1 204 No Content'), { status: 204 }),
  valid('304', head('HTTP/1.1 304 Not Modified', 'ETag: "a"'), { status: 304 }),
  valid('304 with the Content-Length of what it stands for', head('HTTP/1.1 304 Not Modified', 'Content-Length: 5'), { status: 304 })
]

const informational = [
  valid('100 before the response', CONTINUE + OK_5, { body: 'hello', informational: [100] }),
  valid('several 1xx', CONTINUE + EARLY + head('HTTP/1.1 102 Processing') + EARLY + OK_5, { body: 'hello', informational: [100, 103, 102, 103] }),
  valid('1xx before HEAD', EARLY + head('HTTP/1.1 200 OK', 'Content-Length: 5'), { method: 'HEAD', informational: [103] }),
  valid('1xx before 204', EARLY + head('HTTP/1.1 204 No Content'), { status: 204, informational: [103] }),
  valid('1xx before until close', EARLY + head('HTTP/1.1 200 OK') + 'x', { body: 'x', untilClose: true, informational: [103] }),
  valid('1xx with a Content-Length', head('HTTP/1.1 103 Early Hints', 'Content-Length: 5') + OK_5, { body: 'hello', informational: [103] }),
  valid('1xx with Connection: close', head('HTTP/1.1 103 Early Hints', 'Connection: close') + OK_5, { body: 'hello', informational: [103] })
]

const OLD = (...lines) => head('HTTP/1.0 200 OK', ...lines)
const connections = [
  valid('HTTP/1.0', OLD('Content-Length: 2') + 'ok', { body: 'ok', close: true }),
  valid('HTTP/1.0 until close', OLD() + 'ok', { body: 'ok', close: true, untilClose: true }),
  valid('HTTP/1.0 with keep-alive', OLD('Content-Length: 2', 'Connection: keep-alive') + 'ok', { body: 'ok' }),
  valid('HTTP/1.0 with Keep-Alive among others', OLD('Connection: x, Keep-Alive', 'Content-Length: 2') + 'ok', { body: 'ok' }),
  valid('HTTP/1.0 with keep-alive, until close all the same', OLD('Connection: keep-alive') + 'ok', { body: 'ok', untilClose: true }),
  valid('HTTP/1.0 with chunked', OLD('Connection: keep-alive', 'Transfer-Encoding: chunked') + '2\r\nok\r\n0\r\n\r\n', { body: 'ok', close: true }),
  valid('HTTP/1.0 with chunked, keep-alive behind it', OLD('Transfer-Encoding: chunked', 'Connection: keep-alive') + '2\r\nok\r\n0\r\n\r\n', { body: 'ok', close: true }),
  valid('Connection: close', head('HTTP/1.1 200 OK', 'Connection: close', 'Content-Length: 2') + 'ok', { body: 'ok', close: true }),
  valid('Connection: CLOSE', head('HTTP/1.1 200 OK', 'CONNECTION:CLOSE', 'Content-Length: 2') + 'ok', { body: 'ok', close: true }),
  valid('Connection: keep-alive, close', head('HTTP/1.1 200 OK', 'Connection: keep-alive, close', 'Content-Length: 2') + 'ok', { body: 'ok', close: true }),
  valid('Connection: close, keep-alive', head('HTTP/1.1 200 OK', 'Connection: close , keep-alive', 'Content-Length: 2') + 'ok', { body: 'ok', close: true }),
  valid('Connection on two lines', head('HTTP/1.1 200 OK', 'Connection: close', 'Content-Length: 2', 'Connection: keep-alive') + 'ok', { body: 'ok', close: true }),
  valid('Connection: with empty elements', head('HTTP/1.1 200 OK', 'Connection: , ,close,', 'Content-Length: 2') + 'ok', { body: 'ok', close: true }),
  valid('Connection: closed is not close', head('HTTP/1.1 200 OK', 'Connection: closed, not-close', 'Content-Length: 2') + 'ok', { body: 'ok' }),
  valid('Proxy-Connection: close is not Connection: close', head('HTTP/1.1 200 OK', 'Proxy-Connection: close', 'Content-Length: 2') + 'ok', { body: 'ok' })
]

const heads = [
  valid('an unknown status', head('HTTP/1.1 799 Whatever', 'Content-Length: 2') + 'ok', { status: 799, body: 'ok' }),
  valid('no reason phrase', head('HTTP/1.1 200 ', 'Content-Length: 2') + 'ok', { body: 'ok' }),
  valid('no reason phrase, and no space', head('HTTP/1.1 200', 'Content-Length: 2') + 'ok', { body: 'ok' }),
  valid('no reason phrase, and a bare line feed', 'HTTP/1.1 200\nContent-Length: 2\n\nok', { body: 'ok' }),
  valid('a reason phrase in another alphabet', head('HTTP/1.1 404 nicht gefunden \xe4\xff', 'Content-Length: 2') + 'ok', { status: 404, body: 'ok' }),
  valid('a header folded over lines', head('HTTP/1.1 200 OK', 'X-Long: one', '  two', '\tthree', 'Content-Length: 2') + 'ok', { body: 'ok' }),
  valid('a folded header that looks like another', head('HTTP/1.1 200 OK', 'X-Long: one', ' Content-Length: 9', 'Content-Length: 2') + 'ok', { body: 'ok' }),
  valid('a folded header with an empty line of spaces', head('HTTP/1.1 200 OK', 'X-Long: one', '  ', 'Content-Length: 2') + 'ok', { body: 'ok' }),
  valid('a space before the first header', head('HTTP/1.1 200 OK', ' Content-Length: 9', 'Content-Length: 2') + 'ok', { body: 'ok' }),
  valid('lines that end in a bare line feed', 'HTTP/1.1 200 OK\nContent-Length: 2\nX: y\n\nok', { body: 'ok' }),
  valid('line ends of both kinds', 'HTTP/1.1 200 OK\r\nContent-Length: 2\nX: y\r\n\nok', { body: 'ok' }),
  valid('a bare line feed and then CRLF', 'HTTP/1.1 200 OK\nContent-Length: 2\n\r\nok', { body: 'ok' }),
  valid('empty lines before it', '\r\n\r\n' + OK_5, { body: 'hello', skipped: 4 }),
  valid('a bare line feed before it', '\n' + OK_5, { body: 'hello', skipped: 1 }),
  valid('header names in any case', head('HTTP/1.1 200 OK', 'cOnTeNt-LeNgTh: 2', 'cONNECTION: cLOSE') + 'ok', { body: 'ok', close: true }),
  valid('names that only resemble', head('HTTP/1.1 200 OK', 'Content-Lengti: 9', 'Content-Length: 2', 'Content.Length: 9', 'XContent-Length: 9') + 'ok', { body: 'ok' }),
  valid('empty values', head('HTTP/1.1 200 OK', 'X:', 'Y: ', 'Connection:', 'Content-Length: 2') + 'ok', { body: 'ok' }),
  valid('every character of a name', head('HTTP/1.1 200 OK', "!#$%&'*+-.^_`|~09azAZ: 1", 'Content-Length: 2') + 'ok', { body: 'ok' }),
  valid('values with bytes above 127 and tabs', head('HTTP/1.1 200 OK', 'X: \xe9\xff\x80\t"x"', 'Content-Length: 2') + 'ok', { body: 'ok' }),
  valid('many headers', head('HTTP/1.1 200 OK', ...Array.from({ length: 500 }, (_, index) => `X-Header-${index}: ${'v'.repeat(index % 50)}`), 'Content-Length: 2') + 'ok', { body: 'ok' }),
  valid('a head of just the longest kind', longHead(65536) + 'ok', { body: 'ok' })
]

function longHead (length) {
  const start = head('HTTP/1.1 200 OK', 'Content-Length: 2').slice(0, -2)
  let filled = start
  for (let left = length - start.length - 2; left > 0;) {
    const line = left > 2000 ? 1000 : left
    filled += `X: ${'y'.repeat(line - 5)}\r\n`
    left -= line
  }
  return filled + '\r\n'
}

function malformed (name, bytes, problem, { method = 'GET', informational = [] } = {}) {
  return { name, bytes: Buffer.from(bytes, 'latin1'), problem, method, informational }
}

const NOT_HTTP = /does not begin with HTTP/
const STATUS_LINE = /status line/
const VERSION = /version/
const LINE = /header line is malformed/
const CONTROL = /control character/
const LONE_CR = /carriage return without a line feed/
const NUMBER = /not a number/
const SIZE = /not a hexadecimal number/
const CHUNK_END = /does not end where it should/
const FOLDED = /folded/

const badHeads = [
  malformed('garbage', 'what?\r\n\r\n', NOT_HTTP),
  malformed('binary garbage', '\x16\x03\x01\x02\x00\x01\x00\x01', NOT_HTTP),
  malformed('a NUL', '\0', NOT_HTTP),
  malformed('another protocol', 'SSH-2.0-OpenSSH_9.6\r\n', NOT_HTTP),
  malformed('a request', 'GET / HTTP/1.1\r\nHost: x\r\n\r\n', NOT_HTTP),
  malformed('HTTP in small letters', 'http/1.1 200 OK\r\n\r\n', NOT_HTTP),
  malformed('ICY', 'ICY 200 OK\r\n\r\n', NOT_HTTP),
  malformed('HTTP/2', head('HTTP/2.0 200 OK'), NOT_HTTP),
  malformed('HTTP/0.9', head('HTTP/0.9 200 OK'), NOT_HTTP),
  malformed('HTTP/1.7', head('HTTP/1.7 200 OK'), VERSION),
  malformed('HTTP/1.', head('HTTP/1. 200 OK'), VERSION),
  malformed('HTTP/1.10', head('HTTP/1.10 200 OK'), STATUS_LINE),
  malformed('a status of two digits', head('HTTP/1.1 20 OK'), STATUS_LINE),
  malformed('a status of four digits', head('HTTP/1.1 2000 OK'), STATUS_LINE),
  malformed('a status that is no number', head('HTTP/1.1 OK 200'), STATUS_LINE),
  malformed('a status with a sign', head('HTTP/1.1 -20 OK'), STATUS_LINE),
  malformed('a status below 100', head('HTTP/1.1 099 OK'), STATUS_LINE),
  malformed('no status', head('HTTP/1.1', 'Content-Length: 5'), STATUS_LINE),
  malformed('two spaces before the status', head('HTTP/1.1  200 OK'), STATUS_LINE),
  malformed('a tab before the status', head('HTTP/1.1\t200 OK'), STATUS_LINE),
  malformed('a letter behind the status', head('HTTP/1.1 200OK'), STATUS_LINE),
  malformed('a control character in the reason phrase', head('HTTP/1.1 200 O\x07K'), CONTROL),
  malformed('a lone CR in the status line', 'HTTP/1.1 200 OK\rX: y\r\n\r\n', LONE_CR),
  malformed('a header without a colon', head('HTTP/1.1 200 OK', 'Content-Length 5'), LINE),
  malformed('a header without a name', head('HTTP/1.1 200 OK', ': 5'), LINE),
  malformed('a space before the colon', head('HTTP/1.1 200 OK', 'Content-Length : 5'), LINE),
  malformed('a space in a name', head('HTTP/1.1 200 OK', 'Content Length: 5'), LINE),
  malformed('a separator in a name', head('HTTP/1.1 200 OK', 'Content(Length): 5'), LINE),
  malformed('a byte above 127 in a name', head('HTTP/1.1 200 OK', 'Content-L\xe4nge: 5'), LINE),
  malformed('a NUL in a value', head('HTTP/1.1 200 OK', 'X: a\0b'), CONTROL),
  malformed('an escape in a value', head('HTTP/1.1 200 OK', 'X: a\x1b[31mb'), CONTROL),
  malformed('a DEL in a value', head('HTTP/1.1 200 OK', 'X: a\x7fb'), CONTROL),
  malformed('a lone CR in a value', head('HTTP/1.1 200 OK', 'X: a\rb'), LONE_CR),
  malformed('a lone CR before a header', 'HTTP/1.1 200 OK\r\n\rX: y\r\n\r\n', LONE_CR),
  malformed('a bad header before the head is over', 'HTTP/1.1 200 OK\r\nno colon\r\n', LINE),
  malformed('Content-Length is no number', head('HTTP/1.1 200 OK', 'Content-Length: five'), NUMBER),
  malformed('Content-Length is empty', head('HTTP/1.1 200 OK', 'Content-Length: '), NUMBER),
  malformed('Content-Length is negative', head('HTTP/1.1 200 OK', 'Content-Length: -5'), NUMBER),
  malformed('Content-Length with a plus sign', head('HTTP/1.1 200 OK', 'Content-Length: +5'), NUMBER),
  malformed('Content-Length is a fraction', head('HTTP/1.1 200 OK', 'Content-Length: 5.0'), NUMBER),
  malformed('Content-Length is hexadecimal', head('HTTP/1.1 200 OK', 'Content-Length: 0x5'), NUMBER),
  malformed('Content-Length is a list', head('HTTP/1.1 200 OK', 'Content-Length: 5, 5'), NUMBER),
  malformed('Content-Length is two numbers', head('HTTP/1.1 200 OK', 'Content-Length: 5 5'), NUMBER),
  malformed('Content-Length is beyond all numbers', head('HTTP/1.1 200 OK', 'Content-Length: 99999999999999999999'), NUMBER),
  malformed('two different Content-Lengths', head('HTTP/1.1 200 OK', 'Content-Length: 5', 'Content-Length: 6'), /two different/),
  malformed('Content-Length folded', head('HTTP/1.1 200 OK', 'Content-Length: 1', ' 2'), FOLDED),
  malformed('Transfer-Encoding folded', head('HTTP/1.1 200 OK', 'Transfer-Encoding:', ' chunked'), FOLDED),
  malformed('Connection folded', head('HTTP/1.1 200 OK', 'Connection: keep-alive,', '\tclose'), FOLDED),
  malformed('a head too long in many lines', longHead(65537) + 'ok', /longer than 65536/),
  malformed('a head too long in one line', head('HTTP/1.1 200 OK', `X: ${'y'.repeat(66000)}`), /longer than 65536/),
  malformed('a head without end', 'HTTP/1.1 200 OK\r\n' + 'X: y\r\n'.repeat(11000), /longer than 65536/),
  malformed('101', head('HTTP/1.1 101 Switching Protocols', 'Upgrade: h2c', 'Connection: Upgrade'), /switches protocols/),
  malformed('garbage behind a 1xx', EARLY + 'garbage\r\n\r\n', NOT_HTTP, { informational: [103] })
]

const badChunks = [
  malformed('a chunk size that is no number', CHUNKED + 'xyz\r\n', SIZE),
  malformed('an empty chunk size', CHUNKED + '\r\nhello', SIZE),
  malformed('a negative chunk size', CHUNKED + '-5\r\nhello', SIZE),
  malformed('a chunk size with 0x', CHUNKED + '0x5\r\nhello', SIZE),
  malformed('a chunk size with space before', CHUNKED + ' 5\r\nhello', SIZE),
  malformed('two numbers as chunk size', CHUNKED + '5 5\r\nhello', SIZE),
  malformed('only an extension', CHUNKED + ';a=b\r\nhello', SIZE),
  malformed('a chunk size beyond all numbers', CHUNKED + 'fffffffffffffffff\r\n', /out of range/),
  malformed('a bare line feed behind a chunk size', CHUNKED + '5\nhello\r\n', SIZE),
  malformed('a bare line feed behind an extension', CHUNKED + '5;a\nhello\r\n', /without a carriage return/),
  malformed('a lone CR behind a chunk size', CHUNKED + '5\rhello\r\n', CHUNK_END),
  malformed('a chunk longer than its size', CHUNKED + '4\r\nhello\r\n', CHUNK_END),
  malformed('a chunk without CRLF', CHUNKED + '5\r\nhello0\r\n\r\n', CHUNK_END),
  malformed('a chunk with a bare line feed', CHUNKED + '5\r\nhello\n0\r\n\r\n', CHUNK_END),
  malformed('a chunk with a lone CR', CHUNKED + '5\r\nhello\r0\r\n\r\n', CHUNK_END),
  malformed('a control character in an extension', CHUNKED + '5;\x00\r\nhello\r\n', CONTROL),
  malformed('an extension without end', CHUNKED + '5;' + 'x'.repeat(66000), /do not end/),
  malformed('a chunk size without end', CHUNKED + '0'.repeat(66000), /do not end/),
  malformed('spaces without end behind a chunk size', CHUNKED + '5' + ' '.repeat(66000), /do not end/),
  malformed('a control character in a trailer', CHUNKED + '0\r\nX: \x01\r\n\r\n', CONTROL),
  malformed('a lone CR in a trailer', CHUNKED + '0\r\nX: y\rz\r\n\r\n', CHUNK_END),
  malformed('a lone CR behind the trailers', CHUNKED + '0\r\nX: y\r\n\rz', CHUNK_END),
  malformed('a trailer without end', CHUNKED + '0\r\nX: ' + 'y'.repeat(66000), /do not end/),
  malformed('trailers without end', CHUNKED + '0\r\n' + 'X: y\r\n'.repeat(30000), /do not end/)
]

function cutShort (name, bytes, method = 'GET') {
  return { name, bytes: Buffer.from(bytes, 'latin1'), method }
}

const truncated = [
  cutShort('in the version', 'HTT'),
  cutShort('in the status line', 'HTTP/1.1 20'),
  cutShort('behind the status line', 'HTTP/1.1 200 OK\r\n'),
  cutShort('in a header name', 'HTTP/1.1 200 OK\r\nContent-Le'),
  cutShort('in a header value', 'HTTP/1.1 200 OK\r\nContent-Length: 5'),
  cutShort('before the empty line', 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n'),
  cutShort('in the empty line', 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r'),
  cutShort('before the body', head('HTTP/1.1 200 OK', 'Content-Length: 5')),
  cutShort('in the body', head('HTTP/1.1 200 OK', 'Content-Length: 5') + 'hell'),
  cutShort('before the first chunk', CHUNKED),
  cutShort('in a chunk size', CHUNKED + '5'),
  cutShort('in a chunk', CHUNKED + '5\r\nhel'),
  cutShort('behind a chunk', CHUNKED + '5\r\nhello\r\n'),
  cutShort('in the last chunk', CHUNKED + '5\r\nhello\r\n0\r\n'),
  cutShort('in the trailers', CHUNKED + '5\r\nhello\r\n0\r\nX: y\r\n'),
  cutShort('in the last line end', CHUNKED + '5\r\nhello\r\n0\r\n\r'),
  cutShort('in the head of a response to HEAD', 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\n', 'HEAD')
]

module.exports = {
  valid: [...lengths, ...chunked, ...withoutBody, ...informational, ...connections, ...heads],
  malformed: [...badHeads, ...badChunks],
  cutShort: truncated,
  head
}

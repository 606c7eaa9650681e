'use strict'

// What becomes of drawn inputs: curl command lines, HAR files, logs to replay, session logs, rows and OpenAPI documents.

const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { fromCurl } = require('../../..')
const { records } = require('../../../lib/inputs/csv')
const { optionsOf } = require('../../../lib/inputs/openapi/requests')
const { parseSessionLog } = require('../../../lib/inputs/session-log')
const { inWords, planOf } = require('../../plan/drawn/outputs')
const Dice = require('../../simulation/random/dice')
const { plain } = require('../../support/digests')

const SETS = 12
const list = (dice, most, draw, least = 0) => Array.from({ length: dice.happens(0.95) ? dice.whole(least, most) : 0 }, draw)
/** Mostly one of the first. */
const mostly = (dice, usual, ...others) => dice.happens(0.95) ? dice.one(...usual) : dice.one(...others)
const some = (dice, parts) => Object.fromEntries(Object.entries(parts).filter(([, value]) => value !== undefined))

// --- curl

const WORDS = ['x', 'a=1&b=2', 'é ü', '{"a":[1,2]}', '', 'a b', '%20%zz', 'name=value; other', '@missing', "it's", 'line\nline', '+x', '=x', 'a[]=1', '\\n', '$HOME', 'x;type=text/html', '"quoted"']
const TAKING = ['-X', '-H', '-d', '--data-raw', '--data-binary', '--data-urlencode', '--json', '-F', '--form-string', '-u', '-A', '-e', '-b', '-r', '--url-query', '--oauth2-bearer', '-m', '--max-redirs', '-x', '--resolve', '--connect-to', '-o', '--retry', '--cert', '--request-target', '--proxy-user', '--unix-socket', '-z', '--aws-sigv4', '-Q', '-T', '-C', '--interface', '--noproxy', '--proxy-header', '--tls-max', '--proto-default', '--etag-compare', '--pass']
const SWITCHES = ['-G', '-G', '-I', '-k', '-L', '-s', '-v', '-i', '--compressed', '--http2', '--http1.1', '--path-as-is', '--no-keepalive', '--tlsv1.2', '-f', '--post301', '--no-location', '-#', '-4', '-sSL', '--crlf', '-N', '--digest', '--next', '-p', '--form-escape', '--no-alpn', '--no-compressed', '--no-form-escape', '--tlsv1.3', '--tlsv1.2', '--http2-prior-knowledge', '--follow']
const FITTING = { '-H': ['X-A: 1', 'Content-Type: text/plain', 'X-Empty;', 'Host: b.test', 'Accept:', 'X-A: 2', 'x-a: 3', 'X-B:;', 'X-C: a;', '@headers.txt'], '-d': ['a=1', '@bytes.bin', '@a file.txt'], '--data-binary': ['@bytes.bin'], '--json': ['{"a":1}', '@a file.txt'], '-T': ['a file.txt', 'bytes.bin', 'bytes.bin'], '-e': ['http://r.test', 'http://r.test;auto', ';auto'], '--etag-compare': ['a file.txt', 'empty.txt'], '-X': ['PUT', 'delete', 'GET'], '-m': ['5', '0.5'], '--max-redirs': ['3', '-1', '0'], '--resolve': ['a.test:80:127.0.0.1', 'a.test:80:127.0.0.2', '*:80:127.0.0.3', '-a.test:80', '+b.test:443:[::1]', 'proxy.test:3128:127.0.0.4'], '--connect-to': ['a.test:80:b.test:81', '::c.test:', ':80::81', '10.0.0.1:443:b.test:444', '[::1]:443:[::2]:'], '-x': ['proxy.test:3128', 'http://u:p@proxy.test', ''], '-u': ['u:p', 'u'], '-b': ['a=1; b=2'], '-F': ['a=1', 'a="x;y";type=a/b', 'b=@nowhere', 'b=@a file.txt;Type=a/b;FileName="c d"', 'c=<a file.txt', 'd=@bytes.bin; type=c/d', 'd=x;headers=y'], '-z': ['2024-01-01', '-2024-01-01 10:00', '20240101 +0100'], '-r': ['0-9'], '-C': ['-', '0', '00', '17'], '--interface': ['127.0.0.1', 'host!::1', 'nothing0'], '--noproxy': ['*', 'a.test', '.test,b', '127.0.0.0/8', 'x'], '--proxy-header': ['X-P: 1'], '--proxy-user': ['u:p w', 'u'], '--tls-max': ['1.2', 'default', '2'], '--proto-default': ['https'], '--data-urlencode': ['a=é &', '=x y', 'x y', 'a@nowhere', 'a@bytes.bin', '@a file.txt', 'a@b=c'] }
const URLS = ['http://a.test', 'https://a.test:8443/x y?z=1#f', 'a.test/[1-3]', 'localhost:3000/{a,b}', 'http://u:p@a.test/', 'http://a.test/a/../b', 'ws://a.test', 'http://[::1]:80/é', 'http://a.test/x#y?z', 'a.test?b#c', 'https://a.test/up/', 'https://10.0.0.1/', 'https://[::1]/x', 'http://a.test\\b/../c?d', 'http://a.test/./e/', '']

const QUOTES = {
  single: (word) => `'${word.replaceAll("'", "'\\''")}'`,
  double: (word) => `"${word.replace(/["\\$`]/g, '\\$&')}"`,
  ansi: (word) => `$'${word.replace(/['\\]/g, '\\$&').replaceAll('\n', '\\n')}'`,
  cmd: (word) => `^"${word.replaceAll('"', '^\\^"')}^"`
}

// What a shell makes of these is in the line, unlike what is quoted above.
const WRITTEN = ["$'\\ca\\x41\\c['", '"a\\\nb"', 'a\\\nb', "$'\\xf0\\x9f\\x98\\x80\\xff\\xe2\\x82'", "$'\\xc3'$'\\xa9'", "a'b'\"c\"d", 'a\\ \\"b', '"\\$a\\b\\"c"', "$'\\18\\777\\u41b\\U1f600\\q'", '^"a^"', "$'^\"'", "'open", 'end\\']

function curlLine (dice) {
  const quote = QUOTES[dice.one('single', 'single', 'double', 'ansi', 'cmd')]
  const flags = list(dice, 5, () => {
    if (dice.happens(0.3)) return dice.one(...SWITCHES)
    const flag = dice.one(...TAKING)
    const value = dice.happens(0.06) ? dice.one(...WRITTEN) : quote(FITTING[flag] !== undefined && dice.happens(0.8) ? dice.one(...FITTING[flag]) : dice.one(...WORDS))
    return flag.startsWith('--') && dice.happens(0.3) ? `${flag}=${value}` : `${flag} ${value}`
  })
  const url = quote(dice.one(...URLS))
  return ['curl', ...(dice.happens(0.5) ? [url, ...flags] : [...flags, url]), ...(dice.happens(0.06) ? [url] : [])].join(dice.one(' ', ' ', ' \\\n  '))
}

const FILES = { 'a file.txt': 'first line\r\nsecond é\n', 'bytes.bin': Buffer.from('\n\0a\r\n\xff=&\n', 'latin1'), 'empty.txt': '', 'headers.txt': 'X-A: 4\n\nX-D:\r\nx-e;\n' }
let folder = null

// Messages shorten what they show, so these files have the same paths everywhere.
function inFolderOfFiles (read) {
  if (folder === null) {
    folder = fs.mkdtempSync(path.join(os.tmpdir(), 'cannonade-drawn-'))
    process.once('exit', () => fs.rmSync(folder, { recursive: true, force: true }))
    for (const [name, content] of Object.entries(FILES)) fs.writeFileSync(path.join(folder, name), content)
  }
  const before = process.cwd()
  process.chdir(folder)
  try {
    return read()
  } finally {
    process.chdir(before)
  }
}

// --- recordings

const PATHS = ['/', '/a', '/a?b=1', '/é x', '//b', '/items/17', '/x#y', 'https://other.test/z', '*']
const METHODS = ['GET', 'GET', 'GET', 'POST', 'PUT', 'HEAD', 'OPTIONS', 'get']
const drawMethod = (dice) => mostly(dice, METHODS, 'CONNECT', 'TRACE', 'G T')
const MOMENT = Date.UTC(2024, 1, 28, 23, 59, 58)
const atISO = (dice, seconds) => new Date(MOMENT + seconds * 1000).toISOString().replace('Z', dice.one('Z', 'Z', '+02:00', '-0530'))

function harOf (dice) {
  let seconds = 0
  const entries = list(dice, 6, () => {
    seconds += dice.one(0, 0.001, 0.5, 2, 300)
    const request = {
      method: drawMethod(dice),
      url: new URL(dice.one(...PATHS.slice(0, -1)), dice.one('http://a.test', 'http://a.test', 'http://b.test:81')).href,
      headers: list(dice, 3, () => dice.one({ name: 'Accept', value: 'text/html' }, { name: 'Cookie', value: 'a=1' }, { name: ':authority', value: 'a.test' }, { name: 'cookie', value: 'b=2' }, { name: 'Accept', value: 'a/b' }, { name: 'Content-Type', value: 'multipart/form-data; boundary=x; charset=utf-8' }, { name: 'TE', value: 'trailers' }, { name: 'Content-Length', value: '9' }, { name: 'Host', value: 'a.test' }, mostly(dice, [{ name: 'X-A', value: 'é' }], { name: 'X-É', value: 'é' }))),
      postData: dice.one(undefined, undefined, { text: 'a=1', mimeType: 'text/plain' }, { params: [{ name: 'a', value: 'b c' }], mimeType: 'application/x-www-form-urlencoded' }, { params: [{ name: 'f', fileName: 'x.txt', value: 'X' }], mimeType: 'multipart/form-data' }, { text: 'YWI=', encoding: 'base64' }, { text: '', params: [{ name: 'a' }], mimeType: '' }, { text: 'x', params: [{ name: 'a' }] }, { params: [{ name: 'g', fileName: 'x', contentType: 'a/b' }, { name: 'h', value: 'é' }], mimeType: 'multipart/form-data; boundary=y' })
    }
    return some(dice, { startedDateTime: mostly(dice, [atISO(dice, seconds)], 'never', undefined), time: mostly(dice, [5, 250], -1, undefined), request, pageref: dice.one(undefined, 'p1', 'p1', 'p2'), response: dice.one(undefined, { status: 200 }, { status: 302, redirectURL: '/r' }), _resourceType: dice.one(undefined, 'document', 'websocket') })
  }, 1)
  return { log: { version: '1.2', entries } }
}

const MONTHS = ['Jan', 'Feb', 'Mar']
const two = (number) => String(number).padStart(2, '0')

function logLine (dice, seconds) {
  const date = new Date(MOMENT + seconds * 1000)
  const time = `${two(date.getUTCDate())}/${MONTHS[date.getUTCMonth()]}/${date.getUTCFullYear()}:${two(date.getUTCHours())}:${two(date.getUTCMinutes())}:${two(date.getUTCSeconds())} ${dice.one('+0000', '+0000', '+0200')}`
  const request = `${drawMethod(dice)} ${dice.one(...PATHS).replace(' ', '%20')}${dice.one(' HTTP/1.1', ' HTTP/1.1', '')}`
  return dice.one(
    ...Array(6).fill(`127.0.0.1 - ${dice.one('-', 'a user')} [${time}] "${request}" ${dice.one(200, 404, '-')} ${dice.one(12, '-')}${dice.one('', ' "http://r.test/" "Agent \\"x\\""')}`),
    `127.0.0.1 - - [${time.replace('Feb', 'Foo')}] "${request}" 200 5`,
    'nonsense', '', `a b c [${time}] "-" 400 0`
  )
}

function jsonLine (dice, seconds) {
  const time = dice.one(atISO(dice, seconds), seconds, String(seconds))
  const entry = some(dice, { time, method: dice.one(undefined, drawMethod(dice)), path: dice.one(...PATHS), headers: mostly(dice, [undefined, undefined, { 'X-A': '1' }], ['x']), body: dice.one(undefined, undefined, 'text', { a: 1 }), title: dice.one(undefined, 'T', 'GET /a'), more: dice.one(undefined, 1) })
  return mostly(dice, [JSON.stringify(entry)], '{', '[]', '{}', '')
}

// What Node.js says of bad JSON depends on its version.
function replayOf (dice) {
  const form = dice.one('log', 'log', 'jsonl', 'har')
  const file = path.join(os.tmpdir(), `cannonade-drawn-${process.pid}.${form}`)
  let seconds = 0
  const lines = list(dice, 9, () => {
    seconds += dice.one(0, 1, 1, 2, 30, -1)
    return mostly(dice, ['', '', '', '\ufeff'], ' ') + (form === 'log' ? logLine : jsonLine)(dice, seconds)
  }, 1)
  fs.writeFileSync(file, form === 'har' ? JSON.stringify(harOf(dice)) : lines.join(dice.one('\n', '\r\n')))
  try {
    const settings = some(dice, { speed: dice.one(undefined, 2, 0.5), limit: dice.one(undefined, 3), format: mostly(dice, [undefined], 'common', 'combined', 'jsonl') })
    return JSON.parse(JSON.stringify(planOf({ seed: 1, url: 'http://a.test', replay: { file, ...settings } })).replaceAll(`-${process.pid}.`, '.').replace(/cannot be read: (?!Could)[^"]*/g, 'cannot be read: …'))
  } finally {
    fs.rmSync(file)
  }
}

function sessionLog (dice) {
  const line = (_, index) => (index === 0 ? '' : dice.one('', '    ', '\t', '  ')) + dice.one('/a', '/b?c=1', '/é', '# comment', ...(index === 0 ? [] : [''])) +
    list(dice, 2, () => ' ' + mostly(dice, ['think=2', 'think=0.5', 'method=POST', 'method=PUT', 'contents="a b"', "contents='x\\ny'", 'contents=x\\ty', 'contents="a\\\nb"'], 'method=put', 'think=x', 'other=1', '\\')).join('')
  return list(dice, 8, line, 1).join('\n').replaceAll('\n', dice.one('\n', '\n', '\n', '\r\n'))
}

function rowsOf (dice) {
  const separator = dice.one(',', ',', ';', '\t', '|')
  const cell = () => dice.one('a', '1', '', '"x"', '"a,b"', '"a""b"', '"a\nb"', ' padded ', 'é', '2;3', '"open')
  const columns = dice.whole(1, 3)
  return list(dice, 5, () => Array.from({ length: dice.happens(0.9) ? columns : columns + 1 }, cell).join(separator)).join(dice.one('\n', '\r\n', '\r')) + dice.one('', '\n')
}

// --- OpenAPI

const SCHEMAS = [
  { type: 'integer' }, { type: 'string' }, { type: 'string', format: 'date-time' }, { type: 'string', enum: ['one', 'two'] }, { type: 'array', items: { type: 'integer', minimum: 3 } }, { type: 'boolean', default: true },
  { type: 'object', required: ['a'], properties: { a: { type: 'string', example: 'x y' }, b: { type: 'number' } } }, { allOf: [{ type: 'object', properties: { a: { default: 1 } } }, { example: { b: 2 } }] }, { oneOf: [{ type: 'string', maxLength: 3 }, { type: 'integer' }] }, {},
  { type: 'array', minItems: 2, items: { example: 5 } }, { type: 'object', properties: { a: { const: 3 }, b: { readOnly: true, example: 1 }, c: { examples: [null, 2] } } }, { anyOf: [{}, { enum: [false] }] }, { allOf: [{ properties: { a: { example: 1 } } }, { type: 'object', required: ['b'], properties: { b: {} } }] },
  { type: 'object', required: ['a', 'b'], properties: { a: { readOnly: true, example: 1 }, b: { const: 1, default: 2 } } }, { type: 'array', minItems: 0, items: { default: null, enum: [1] } }
]

function documentOf (dice) {
  const parameter = () => some(dice, { name: dice.one('id', 'q', 'q', 'X-A', 'Accept', 'session', 'list', 'é'), in: dice.one('path', 'query', 'query', 'header', 'cookie'), required: dice.one(undefined, true), schema: dice.one(...SCHEMAS), example: dice.one(undefined, undefined, 'e x', 7, ['a', 'b'], { k: 'v', l: 'é,' }), content: dice.happens(0.1) ? { 'application/json': { example: dice.one({ k: ['v'] }, 'v') } } : undefined, style: dice.one(undefined, undefined, undefined, 'form', 'simple', 'spaceDelimited', 'deepObject', 'label', 'matrix'), explode: dice.one(undefined, undefined, true, false) })
  const media = () => some(dice, { schema: dice.one(...SCHEMAS), example: dice.one(undefined, { a: 1, b: ['x', 'y'] }, { a: 'é &' }, { a: 1 }, { a: [{ b: 1 }, 2], c: { d: null } }, [1, 'x'], 'text', '{"a": 1}', '[1, 2]', '5'), examples: dice.one(undefined, undefined, { first: { value: [1] } }, { first: { externalValue: 'http://a.test' }, second: { value: { a: 2 } } }) })
  const operation = () => some(dice, { operationId: dice.one(undefined, 'op'), summary: dice.one(undefined, 'Does it'), deprecated: dice.one(undefined, undefined, true), parameters: list(dice, 3, parameter), requestBody: dice.one(undefined, { required: dice.one(true, true, undefined), content: Object.fromEntries(list(dice, 2, () => [dice.one('application/json', 'application/problem+json; v=1', 'text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data', 'application/xml', 'application/jsonl'), media()], 1)) }), security: dice.one(undefined, undefined, [{ key: [] }], []), responses: {} })
  const id = { name: 'id', in: 'path', required: true, example: 7 }
  const pathItem = () => Object.fromEntries([['parameters', [...(dice.happens(0.9) ? [id] : []), ...list(dice, 1, parameter)]], ...list(dice, 3, () => [dice.one('get', 'get', 'post', 'put', 'delete', 'head', 'trace'), operation()], 1)])
  return {
    openapi: '3.0.3',
    info: { title: dice.one('Pets', 'A b'), version: '1' },
    servers: dice.happens(0.03) ? [{ url: 'http://{none}' }] : dice.one(undefined, [{ url: 'http://a.test/v1/' }], [{ url: '/v2' }], [{ url: '//b.test/v3//' }, { url: 'http://c.test' }], [{ url: 'http://{host}:80', variables: { host: { default: 'b.test' } } }]),
    paths: Object.fromEntries(list(dice, 3, () => [dice.one('/pets', '/pets/{id}', '/a/{id}/b', '/{id}/8', '/é'), pathItem()], 1)),
    ...(dice.happens(0.3) && { components: { securitySchemes: { key: dice.one({ type: 'apiKey', in: 'header', name: 'X-Key' }, { type: 'apiKey', in: 'query', name: 'key' }, { type: 'http', scheme: 'bearer' }) } }, security: [{ key: [] }] })
  }
}

function pathsOf (dice, { paths }) {
  const all = Object.entries(paths).flatMap(([path, item]) => [path, ...Object.keys(item).filter((name) => name !== 'parameters').flatMap((method) => [path, path.replace('{id}', 'pets')].map((each) => `${method.toUpperCase()} ${each}`)), path.replace('{id}', '8')])
  return all.length === 0 || dice.happens(0.2) ? null : list(dice, 3, () => mostly(dice, all, '/nowhere', 'PATCH /pets'), 1)
}

// --- all

const READERS = {
  curl: (dice) => {
    const line = curlLine(dice)
    return outcomeOf(line, () => inFolderOfFiles(() => ({ ...fromCurl(line), ignored: fromCurl(line).ignored })))
  },
  har: (dice) => {
    const opts = { seed: 1, url: dice.one('http://a.test', 'http://a.test/own', ['http://a.test', 'http://b.test:81'], ['http://a.test/1', 'http://a.test/2']), har: harOf(dice), ...(dice.happens(0.2) && { headers: dice.one({ Accept: 'own' }, { 'X-B': '1', cookie: 'c=3' }, { traceparent: 'x' }) }), ...(dice.happens(0.1) && { traceparent: true }), ...(dice.happens(0.4) && { sessions: true, overallRate: 5, harTiming: dice.one(true, false) }) }
    return planOf(opts)
  },
  replay: replayOf,
  sessions: (dice) => {
    const text = sessionLog(dice)
    return outcomeOf(text, () => parseSessionLog(text))
  },
  rows: (dice) => {
    const text = rowsOf(dice)
    return outcomeOf(text, () => records(text, dice.one(undefined, undefined, ';')))
  },
  openapi: (dice) => {
    const document = documentOf(dice)
    return outcomeOf('', () => optionsOf(document, { paths: pathsOf(dice, document), url: dice.one(undefined, 'http://c.test/base', 'http://c.test/', 'c.test:80') }, 'the document'))
  }
}

function outcomeOf (text, read) {
  try {
    return [text, JSON.parse(JSON.stringify(read() ?? null, inWords))]
  } catch ({ name, code, option, message }) {
    return [text, { name, code, option, message }]
  }
}

const outputsOf = (kind) => (seed) => {
  const dice = Dice.of(seed, kind)
  return Object.fromEntries(Array.from({ length: SETS }, (_, index) => [index, plain(READERS[kind](dice))]))
}

module.exports = { OUTPUTS: Object.fromEntries(Object.keys(READERS).map((kind) => [kind, outputsOf(kind)])) }

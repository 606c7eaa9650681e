'use strict'

// Logs, tables, archives and command lines come from anywhere, so parsing them must take linear time.

const fs = require('node:fs')
const path = require('node:path')
const t = require('tap')
const { isLinear } = require('../support/linear')
const { createPlan } = require('../../lib/plan')
const { records } = require('../../lib/inputs/csv')
const fromCurl = require('../../lib/inputs/curl')
const { withHar } = require('../../lib/inputs/har')
const { readISODate } = require('../../lib/inputs/iso-date')
const { toNumber } = require('../../lib/values/kinds')
const { splitText, restorePlaceholders } = require('../../lib/values/placeholders')
const { READERS, formatOf } = require('../../lib/inputs/replay/formats')
const { readRows } = require('../../lib/inputs/rows')
const { parseSessionLog } = require('../../lib/inputs/session-log')

t.test('access logs', async (t) => {
  const tokens = ['[', ']', '] "', '[a', '"', '\\', ' ', '- ', 'a', '0', '/', '[10/Oct/2000:13:55:36 -0700] "', 'GET / ']
  isLinear(t, 'a line', READERS.combined, tokens, { pairs: true })
  isLinear(t, 'behind the client', (text) => READERS.combined(`::1 - - ${text}`), tokens, { pairs: true })
  isLinear(t, 'a request', (text) => READERS.common(`::1 - - [10/Oct/2000:13:55:36 -0700] "${text}" 200 5`), tokens)
  isLinear(t, 'a path', (text) => READERS.common(`::1 - - [10/Oct/2000:13:55:36 -0700] "GET /${text.replaceAll(' ', '')} HTTP/1.1" 200 5`), tokens)
  isLinear(t, 'behind the request', (text) => READERS.combined(`::1 - - [10/Oct/2000:13:55:36 -0700] "GET / HTTP/1.1" ${text}`), tokens)
  isLinear(t, 'its format', formatOf, [...tokens, '{', '"log"'])
})

t.test('JSON lines', async (t) => {
  const line = (part) => (text) => READERS.jsonl(JSON.stringify({ time: 1, path: '/', ...part(text) }))
  isLinear(t, 'a time', line((time) => ({ time })), ['0', '.', '-', '+', ':', 'T', 'Z', ' ', 'e', ','])
  isLinear(t, 'a path', line((path) => ({ path })), ['/', 'http://', ':', '?', '#', ' ', '%', 'é', '\\', '@', '['])
  isLinear(t, 'a method', line((method) => ({ method })), ['A', ' ', '-', 'é'])
  isLinear(t, 'headers', line((text) => ({ headers: { a: text, [text]: 'a' } })), ['a', ' ', '\t', ':', 'é', '\n'])
})

t.test('curl commands', async (t) => {
  const tokens = [' ', '\t', '\\\n', '\\', '"', "'", "$'", '^', '^"', '-d a ', '-s', '--', '=', '@', ':', ';', '&', '/', '#', '\\xc3', 'é', '[', '*']
  isLinear(t, 'words', (text) => fromCurl(`curl h.test ${text}`), tokens)
  isLinear(t, 'quotes', (text) => fromCurl(`curl h.test ${text}`), ['\\', '"', "'", "$'", '\\\n', '\\xc3'], { pairs: true })
  isLinear(t, 'for cmd.exe', (text) => fromCurl(`curl ^"h.test^" ^\n${text}`), tokens)
  for (const option of ['-d', '-H', '-F', '-b', '-u', '-E', '-T', '-z', '-C', '--data-urlencode', '--url-query', '--resolve', '--connect-to', '--request-target', '-x p --noproxy', '-x', '--interface', '--json', '-G -d']) {
    isLinear(t, option, (text) => fromCurl(`curl h.test ${option} 'a=${text.replaceAll("'", '').replaceAll('@', '')}'`), ['a', '=', ':', ';', '; ', ';type="', '\\', '"', ',', '/', '[', ']', '::', '+', '2022 '])
  }
  isLinear(t, 'a URL', (text) => fromCurl(`curl --path-as-is 'http://${text}/'`), ['@', ':', '/', '../', '#', '?', '[', '\\', 'a', '.'])
})

t.test('tables', async (t) => {
  const tokens = [',', ';', '\t', '|', '"', '""', '\r', '\n', '\r\n', ' ', 'a', '\ufeff']
  isLinear(t, 'with commas', (text) => records(text, ','), [',', '"', '\r', '\n', ' ', 'a'], { pairs: true })
  isLinear(t, 'whatever is between the cells', (text) => records(text), tokens)
  const file = path.join(t.testdir({ 'wide.csv': '' }), 'wide.csv')
  isLinear(t, 'names of columns', (text) => {
    fs.writeFileSync(file, Array.from(text, (_, index) => `n${index}`).join(','))
    return readRows({ source: 'feed.file', file })
  }, ['x'])
  isLinear(t, 'a quoted cell', (text) => records(`a,b\n"${text}`, ','), tokens)
})

t.test('session logs', async (t) => {
  const tokens = [' ', '\t', '\n', '\r\n', '\\', '\\\n', '"', "'", '=', 'a', '#', '/a', 'think=1 ', 'contents="', '-']
  isLinear(t, 'lines', parseSessionLog, [' ', '\n', '\\', '\\\n', '"', '=', '/a', 'contents="'], { pairs: true })
  isLinear(t, 'fields', (text) => parseSessionLog(`/a ${text}`), tokens)
  isLinear(t, 'contents', (text) => parseSessionLog(`/a contents=${text}`), [' ', '\n', '\\', '"', "'", '=', 'a'], { pairs: true })
  isLinear(t, 'quoted contents', (text) => parseSessionLog(`/a contents="${text}`), tokens)
})

t.test('HAR files', async (t) => {
  const targets = [{ secure: false, hostHeader: 'h.test', path: '/' }]
  const read = (part) => (text) => {
    const request = { method: 'GET', url: 'http://h.test/', headers: [], ...part(text) }
    withHar({ har: { log: { entries: [{ startedDateTime: '2024-01-01T00:00:00Z', time: 1, request }] } }, headers: new Map() }, targets)
  }
  isLinear(t, 'a URL', read((text) => ({ url: `http://h.test/${text}` })), ['/', '\\', '?', '#', ' ', 'é', '%', '{{', '}}', ':'])
  isLinear(t, 'its beginning', read((text) => ({ url: text })), [' ', 'a', '+', ':', '/', '@', '.'])
  isLinear(t, 'headers', read((text) => ({ headers: [{ name: 'a', value: text }, { name: 'Cookie', value: text }] })), ['a', ' ', ';', '=', '\t'])
  isLinear(t, 'a body', read((text) => ({ postData: { text, mimeType: `multipart/form-data${text}` } })), ['a', ' ', ';', '; boundary=', '\t', '"'])
  isLinear(t, 'a form', read((text) => ({ postData: { mimeType: 'multipart/form-data;', params: [{ name: text, fileName: text, value: text }] } })), ['a', '"', '\r\n', '/', '.', '../'])
  isLinear(t, 'a time', readISODate, ['0', '-', ':', 'T', '.', ' ', 'Z', '+', ','])
})

t.test('columns, numbers, and URLs with placeholders', async (t) => {
  const tokens = ['{', '{{', '}}', '}', '%7B', '%7D', 'a', ' ', '[<id>]', '\n']
  isLinear(t, 'columns', splitText, tokens)
  isLinear(t, 'columns in a path', restorePlaceholders, tokens)
  isLinear(t, 'a URL', (text) => createPlan({ url: `http://h.test/${text}`, idReplacement: true, feed: [{ a: 1 }] }), [...tokens, '/', '?', '../', '#', '%'])
  isLinear(t, 'a message', (text) => createPlan({ url: `ws://h.test/${text}`, body: text }), tokens)
  isLinear(t, 'a number', toNumber, ['0', '.', 'e', '-', '+', ' '])
})

'use strict'

const t = require('tap')
const { compare, run } = require('../..')
const { printFailure } = require('../../lib/cli/failure')
const { optionError } = require('../../lib/base/errors')
const { shareableOptions } = require('../../lib/outside/options')
const Round = require('../../lib/run/round')
const toTimelineCSV = require('../../lib/report/csv')
const toHTML = require('../../lib/report/html')
const toJSON = require('../../lib/report/json')
const printResult = require('../../lib/report/print-result')
const toSweepCSV = require('../../lib/study/sweep/csv')
const measured = require('../report/fixtures/measured')
const studies = require('../report/fixtures/studies')

// Text that controls a terminal, starts a formula, reverses text or is a command to a CI runner; and secrets.
const TEXTS = [
  '\u001b[2J\u001b]0;pwned\u0007', '\u009b2J', '=cmd()', ' +1', '@SUM(1)', '\uff1dcmd()', 'a\r\n=1', '\u202eright to left', '\u0000',
  'http://u:hunter2@h/', 'see redis://:hunter2@h', '/?key=hunter2&sig=hunter2', 'Authorization: Bearer hunter2', '--password=hunter2',
  '{"X-Api-Key":"hunter2"}', 'http://u:\u001b[0mhunter2@h', 'pass\u200bword=hunter2', 'x'.repeat(1990) + ' http://u:hunter2hunter2@h',
  '::add-mask::x', ' ::set-output name=a::b', '##[error]x', 'a ##vso[task.complete]x', '##teamcity[x]', ...[94, 95, 96, 97, 98, 99, 100].flatMap((length) => [
    `${'y'.repeat(length)}::add-mask::x`, `${'y'.repeat(length)} ::add-mask::x`, `${'y'.repeat(length - 2)}##[group]x`
  ])
]

/** A copy of a value in which each text is replaced by one of the above. */
function hostile (value) {
  let count = 0
  const attack = (part, name) => {
    if (name === 'kind' || name === 'histograms') return part
    if (typeof part === 'string') return TEXTS[count++ % TEXTS.length]
    if (Array.isArray(part)) return part.map((entry) => attack(entry))
    if (part === null || typeof part !== 'object') return part
    const more = ['metrics', 'errorCodes'].includes(name) ? { [TEXTS[count++ % TEXTS.length]]: { count: 1, ...Object.values(part)[0] } } : {}
    return Object.fromEntries(Object.entries({ ...part, ...more }).map(([key, entry]) => [key, attack(entry, key)]))
  }
  return attack(value)
}

// Colors are off, so no control character except line ends is expected.
function isHarmless (t, text, name) {
  // eslint-disable-next-line no-control-regex -- finding control characters is the point
  t.notMatch(text, /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u200b\u202a-\u202e]/, `${name}: nothing steers a terminal`)
  t.notMatch(text, 'hunter2', `${name}: no secret`)
  t.notMatch(text, /^\s*::[a-z-]+(?:\s|::)|##[\w.-]*\[/im, `${name}: no command to a CI runner`)
}

function stderrOf (t, work) {
  const written = t.capture(process.stderr, 'write', () => true)
  work()
  return written().map(({ args }) => args[0]).join('')
}

t.test('tables and sentences, of runs and of studies', async (t) => {
  const width = { columns: 100 }
  for (let turn = 0; turn < TEXTS.length; turn++) {
    isHarmless(t, printResult(hostile({ ...measured(), turn: Array(turn).fill('x') }), { outputStream: width, renderStatusCodes: true, renderLatencyTable: true }), 'a result')
  }
  for (const [name, study] of Object.entries(studies)) {
    if (typeof study === 'function') isHarmless(t, printResult(hostile(study()), { outputStream: width }), name)
  }
})

t.test('HTML reports, of runs and of studies, and their options', async (t) => {
  const options = { proxy: 'http://u:hunter2@h', headers: { 'X-Key': 'hunter2' }, expectBody: 'hunter2', onPort: ['node', 'x.js', '--password', 'hunter2'] }
  const texts = (page) => page.replace(/<style>[^]*?<\/style>|<script>[^]*?<\/script>/g, '')
  isHarmless(t, texts(toHTML(hostile(measured()), { options })), 'a result')
  isHarmless(t, texts(toHTML([hostile(measured()), hostile(measured())])), 'two results')
  for (const [name, study] of Object.entries(studies)) {
    if (typeof study === 'function') isHarmless(t, texts(toHTML(hostile(study()), { options })), name)
  }
})

t.test('a report with 500 long paths is rendered quickly', async (t) => {
  const endpoints = Array.from({ length: 500 }, (_, index) => ({ method: 'GET', path: '/' + '?&;key'.repeat(700) + index, completed: 1, failed: 0, statusCodeStats: {} }))
  const before = process.hrtime.bigint()
  toHTML(measured({ endpoints }))
  const seconds = Number(process.hrtime.bigint() - before) / 1e9
  t.ok(seconds < 15, `${seconds} s`)
})

t.test('a line of JSON is no command to a CI runner', async (t) => {
  const result = { title: '##[error]x', errorCodes: { '##vso[task.complete]x': { message: '## [x] ###[x]' } } }
  const line = toJSON(result)
  isHarmless(t, line.trim(), 'JSON')
  t.same(JSON.parse(line), result)
})

t.test('CSV: no cell is a formula, whatever its content', async (t) => {
  const values = TEXTS.flatMap((text) => {
    const target = { name: text, achieved: text, limitedBy: text, reasons: [text], errors: text, p50: text, replyRate: { min: text } }
    return [
      toSweepCSV([{ demanded: text, targets: [target] }]), toSweepCSV([{ demanded: 1, targets: [target] }], { separator: ';' }),
      toTimelineCSV({ timeline: [{ time: text, p50: text, requests: 1, seconds: 1 }] })
    ]
  })
  for (const csv of values) {
    isHarmless(t, csv, 'comma-separated values')
    const cells = csv.trimEnd().split('\n').flatMap((line) => [...line.matchAll(/(?:^|[,;])("(?:[^"]|"")*"|[^,;]*)/g)].map(([, cell]) => cell))
    t.ok(cells.length > 0)
    t.same(cells.filter((cell) => /^["\s]*[=+\-@\uff1d]/.test(cell)), [], 'no formulas')
  }
})

t.test('debug output, and the error of a failed command', async (t) => {
  for (const text of TEXTS) {
    const debugged = stderrOf(t, () => Round.prototype.requestError.call({ plan: { debug: true } }, { code: text, message: text }))
    isHarmless(t, debugged, 'debug')
    t.equal(debugged.split('\n').length, 2, 'one line')
    isHarmless(t, stderrOf(t, () => printFailure(new Error(text))), 'an error')
  }
})

t.test('errors about options', async (t) => {
  for (const text of TEXTS) {
    const { message } = optionError('url', text, 'a URL')
    isHarmless(t, message, 'an option')
    isHarmless(t, optionError('requests', [{ url: text, headers: [{ authorization: text }] }], 'something else').message, 'an object')
  }
  isHarmless(t, optionError("headers['X-Key']", 'hunter2\n', 'a text').message, 'a header')
  t.match(optionError("headers['accept']", 'any\n', 'a text').message, /'any\\n'/)
})

t.test('unknown options may be secrets', async (t) => {
  const result = await run({ url: 'http://127.0.0.1:9', amount: 1, timeout: 0.05, door: 'hunter2', c: 1, headers: { 'x-csrf': 'hunter2', 'X-XSRF-Token': 'hunter2' } })
  t.match(result.options, { door: '***', c: 1, amount: 1, headers: { 'x-csrf': '***', 'X-XSRF-Token': '***' } })
  const parts = await run({ url: 'http://127.0.0.1:9', duration: 0.02, sessions: { door: 'hunter2', maxOpen: 5 }, scenarios: [{ name: 'a', requests: [{ path: '/a', door: 'hunter2' }] }] })
  t.match(parts.options, { sessions: { door: '***', maxOpen: 5 }, scenarios: [{ name: 'a', requests: [{ path: '/a', door: '***' }] }] })
  const answer = await compare([{ url: 'http://127.0.0.1:9', door: 'hunter2' }, { url: 'http://127.0.0.1:9' }], { rounds: 3, duration: 0.02, warmup: 0, pause: 0 })
  t.match(answer.options[0], { door: '***' })
  t.notMatch(JSON.stringify([result, parts, answer]), 'hunter2')
})

t.test('options in reports and summaries', async (t) => {
  const given = {
    url: ['http://u:hunter2@h/?key=hunter2', 'h'],
    headers: ['x-api-key', 'hunter2', 'accept', 'text/plain', 'cookie', 'hunter2'],
    requests: [{ path: '/?sig=hunter2', headers: { Authorization: 'hunter2' }, body: 'hunter2', onResponse () {} }],
    tlsOptions: { key: 'hunter2', passphrase: 'hunter2' },
    body: Buffer.from('hunter2'),
    expectBody: 'hunter2',
    form: { password: { type: 'text', value: 'hunter2' } },
    feed: [{ password: 'hunter2' }],
    initialContext: { pin: 1234, deep: { deeper: { token: 'hunter2' } }, jar: new Map([['a', 'hunter2']]) },
    onPort: ['node', 'x.js', '--password', 'hunter2', '-u', 'me:hunter2'],
    cookies: true,
    sessions: { calls: 10 },
    connections: 5,
    overallRate: null,
    signal: new AbortController().signal,
    setupClient: function prepare () {}
  }
  const passedOn = shareableOptions(given)
  t.notMatch(JSON.stringify(passedOn), /hunter2|1234/)
  t.same(JSON.parse(JSON.stringify(passedOn)), passedOn, 'plain data')
  t.match(passedOn, {
    url: ['http://***@h/?key=***', 'h'],
    headers: ['x-api-key', '***', 'accept', 'text/plain', 'cookie', '***'],
    requests: [{ path: '/?sig=***', headers: { Authorization: '***' }, body: '(7 bytes)', onResponse: '(function onResponse)' }],
    tlsOptions: { key: '***', passphrase: '***' },
    expectBody: '(7 bytes)',
    feed: '(1 entry)',
    initialContext: { pin: '***', jar: '(Map)' },
    onPort: ['node', 'x.js', '--password', '***', '-u', 'me:***'],
    cookies: true,
    sessions: { calls: 10 },
    connections: 5,
    setupClient: '(function prepare)'
  })
  t.notOk('signal' in passedOn || 'overallRate' in passedOn)
})

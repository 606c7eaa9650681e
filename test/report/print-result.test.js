'use strict'

const t = require('tap')
const printResult = require('../../lib/report/print-result')
const { widthOf, withoutEscapes } = require('../../lib/report/text')
const environment = require('./fixtures/environment')
const healthy = require('./fixtures/healthy')
const recordingStream = require('./fixtures/recording-stream')
const sparse = require('./fixtures/sparse')
const trouble = require('./fixtures/trouble')

const file = { outputStream: {} }
const everything = { ...file, renderLatencyTable: true, renderStatusCodes: true }

t.test('a run without errors: what it measured, the tables, how they were sampled, one line', async (t) => {
  const lines = printResult(healthy(), file).split('\n')
  t.equal(lines[0], 'hello: http://localhost:3000 (2024-05-01 10:00:00 UTC): 219,600 of 219,610 requests answered in 10 s, 27.9 MB read')
  t.match(lines[1], /^┌─+/)
  t.same(lines.slice(-6), ['Latency: p90 0.075 ms, p95 0.082 ms, p99.9 0.482 ms', 'Req/Bytes counts sampled once per second.', '# of samples: 10', '', '220k requests in 10s, 27.9 MB read', ''])
  const outside = lines.filter((line) => line !== '' && !/^[┌│├└]/.test(line))
  t.equal(outside.length, 5, 'and no other line of its own')
})

t.test("each line has the same position as autocannon's, since programs count lines", async (t) => {
  const forms = (text) => text.split('\n').map((line) => /^[┌│├└](?: ?[\w/]+)?/.exec(line)?.[0] ?? line)
  const autocannons = ['', '┌', '│ Stat', '├', '│ Latency', '└', '┌', '│ Stat', '├', '│ Req/Sec', '├', '│ Bytes/Sec', '└', '',
    'Req/Bytes counts sampled once per second.', '# of samples: 10', '', '220k requests in 10s, 27.9 MB read', '']
  const ours = forms(printResult(healthy(), file))
  t.equal(ours.length, autocannons.length)
  t.same(ours.filter((line, index) => line !== autocannons[index]).length, 2, 'two lines that are empty there have the subject and more percentiles')
  t.same(ours.filter((line, index) => autocannons[index] !== ''), autocannons.filter((line) => line !== ''))
})

t.test('the table of processes follows the lines that autocannon has', async (t) => {
  const statistics = (value) => ({ ...healthy().latency, p50: value, average: value, max: value })
  const monitored = { ...healthy(), monitor: [{ pid: 4711, cpu: statistics(55), memory: statistics(62e6) }] }
  for (const options of [file, everything]) {
    const [without, withTable] = [healthy(), monitored].map((result) => printResult(result, options).trimEnd().split('\n'))
    t.same(withTable.slice(0, without.length), without)
    t.match(withTable.slice(without.length), ['', /^┌/, /^│ Process │ CPU 50%/, /^├/, /^│ 4711 /, /^└/])
  }
  const terminal = printResult(monitored, { outputStream: recordingStream({ isTTY: true, columns: 100 }) }).split('\n')
  const at = (pattern) => terminal.findIndex((line) => pattern.test(line))
  t.ok(at(/Bytes\/Sec/) < at(/4711/) && at(/4711/) < at(/counts sampled/), 'on a terminal it is below the other tables')
})

t.test("the number of samples, in autocannon's words", async (t) => {
  const autocannon = require('autocannon')
  const lines = (print, sampleInt, samples) => print({ ...healthy(), sampleInt, samples }, file).split('\n').filter((line) => /sample/.test(line))
  for (const [sampleInt, samples] of [[1000, 10], [2000, 0], [100, 1], [1, 12_345], [1500, 3], [333, 3], [60_000, 3], [1_500_000, 3]]) {
    t.same(lines(printResult, sampleInt, samples), lines(autocannon.printResult, sampleInt, samples))
  }
})

t.test('the lines below the tables that programs parse', async (t) => {
  const lines = printResult(trouble(), file).split('\n')
  const start = lines.indexOf('# of samples: 60')
  t.same(lines.slice(start, start + 8), [
    '# of samples: 60',
    '',
    '5200 2xx responses, 212 non 2xx responses',
    '6k requests in 60s, 2.21 MB read',
    '171 errors (38 timeouts)',
    '4 requests with mismatched body',
    'request pipeline was reset 1 time',
    ''
  ])
})

t.test('on a terminal the last line says how much was answered', async (t) => {
  environment(t, { NO_COLOR: '1', TERM: 'xterm' })
  const printed = (result, columns) => printResult(result, { outputStream: recordingStream({ isTTY: true, columns }) }).split('\n')
  const lines = printed(healthy(), 80)
  t.same(lines.slice(0, 3), ['', 'hello: http://localhost:3000 (2024-05-01 10:00:00 UTC)', ''])
  t.same(lines.slice(-3), ['', '219,600 of 219,610 requests answered in 10 s, 27.9 MB read', ''])
  t.match(printed(healthy(), 160).find((line) => line.startsWith('│ Latency')), /^│ Latency │ 41 µs │ 54 µs │ 75 µs │/)
})

t.test('for an unreachable server there are no tables, but what happened', async (t) => {
  const zeros = Object.fromEntries(Object.keys(healthy().latency).map((key) => [key, 0]))
  const result = {
    ...healthy(),
    title: undefined,
    duration: 3.001,
    errors: 30,
    latency: zeros,
    serviceTime: zeros,
    requests: { ...zeros, sent: 0 },
    throughput: zeros,
    bytes: { read: 0, written: 0 },
    rate: { offered: 10, achieved: 0 },
    accounting: { scheduled: 30, unsent: 30, sent: 0, completed: 0, failed: 0, timedOut: 0, unfinished: 0 },
    errorCodes: { ECONNREFUSED: { count: 30, phase: 'connect', phases: { connect: 30 }, message: 'connect ECONNREFUSED 127.0.0.1:3000' } }
  }
  t.same(printResult(result, { ...file, renderStatusCodes: false }).split('\n').slice(0, 5), [
    'http://localhost:3000 (2024-05-01 10:00:00 UTC): 0 of 30 requests answered in 3 s, 0 B read',
    '',
    '0 requests in 3s, 0 B read',
    '30 errors (0 timeouts)',
    ''
  ])
})

t.test('the interval of the samples', async (t) => {
  const said = (sampleInt) => printResult({ ...sparse(), sampleInt }, file).match(/Req\/Bytes .*/)[0]
  t.equal(said(1000), 'Req/Bytes counts sampled once per second.')
  t.equal(said(2000), 'Req/Bytes counts sampled every 2 seconds.')
  t.equal(said(500), 'Req/Bytes counts sampled every 0.5 seconds.')
  t.equal(said(undefined), 'Req/Bytes counts sampled once per second.')
})

t.test('selected tables', async (t) => {
  const heads = (options) => printResult(trouble(), { ...file, ...options }).split('\n')
    .filter((line) => /^│ (Stat|Code|Percentile)/.test(line)).map((line) => line.split(/[ │]+/)[1])
  t.same(heads({}), ['Stat', 'Stat'])
  t.same(heads({ renderStatusCodes: true }), ['Stat', 'Stat', 'Code'])
  t.same(heads({ renderLatencyTable: true }), ['Stat', 'Stat', 'Percentile'])
  t.same(heads({ renderResultsTable: false, renderLatencyTable: true }), ['Percentile'])
  t.same(heads({ renderResultsTable: false }), [])
  // What belongs to a table is printed with it: the percentiles for which it has no room.
  for (const outputStream of [file.outputStream, recordingStream({ isTTY: true })]) {
    for (const renderResultsTable of [true, false]) {
      for (const others of [{}, { renderLatencyTable: true }, { renderStatusCodes: true }]) {
        const text = withoutEscapes(printResult(healthy(), { outputStream, renderResultsTable, ...others }))
        t.equal(/^Latency: p90 /m.test(text), renderResultsTable, JSON.stringify({ renderResultsTable, ...others }))
      }
    }
  }
  t.match(printResult(trouble(), { ...file, renderResultsTable: false }),
    /\n\nReq\/Bytes counts sampled once per second\.\n# of samples: \d+\n\n5200 2xx responses/, 'what programs read stays without the tables')
})

t.test('not verbose: one line, and one for each kind of problem', async (t) => {
  t.equal(printResult(healthy(), { ...file, verbose: false }), '220k requests in 10s, 27.9 MB read\n')
  t.equal(printResult(sparse(), { ...file, verbose: false }), [
    '53 2xx responses, 7 non 2xx responses',
    '70 requests in 2.01s, 7.44 kB read',
    '3 errors (2 timeouts)',
    '1 requests with mismatched body',
    'request pipeline was reset 2 times',
    ''
  ].join('\n'))
})

t.test('a result parsed from JSON prints the same', async (t) => {
  for (const result of [healthy(), trouble(), sparse()]) {
    t.equal(printResult(JSON.parse(JSON.stringify(result)), everything), printResult(result, everything))
  }
})

t.test('a result with hardly any fields prints', async (t) => {
  for (const result of [{ latency: {} }, {}, { ...sparse(), latency: {}, requests: undefined }]) {
    const text = printResult(result, everything)
    t.match(text, /requests in [\d.]+s, [\d.]+ k?B read/)
    t.notMatch(text, /NaN|undefined|null|object Object/)
  }
})

t.test('anything other than a result is rejected', async (t) => {
  for (const result of [undefined, null, 'text']) t.throws(() => printResult(result), { code: 'CANNONADE_BAD_ARGUMENT' })
})

t.test('colors only on a terminal and without NO_COLOR; they change nothing else', async (t) => {
  environment(t, { NO_COLOR: undefined, TERM: 'xterm' })
  const terminal = recordingStream({ isTTY: true, columns: 200 })
  const plain = printResult(trouble(), everything)
  t.notMatch(plain, '\u001b')
  const colored = printResult(trouble(), { ...everything, outputStream: terminal })
  t.match(colored, '\u001b[31m171 errors (38 timeouts)\u001b[39m')
  environment(t, { NO_COLOR: '1' })
  t.equal(printResult(trouble(), { ...everything, outputStream: terminal }), withoutEscapes(colored))
})

t.test('no line except one with a URL is wider than 80 columns, no table wider than the terminal, or than 100 columns without one', async (t) => {
  environment(t, { NO_COLOR: '1', TERM: 'xterm' })
  const widest = (options, isCounted = () => true) => Math.max(...printResult(trouble(), options).split('\n').filter((line) => !line.includes(trouble().url) && isCounted(line)).map(widthOf))
  const isWords = (line) => !/[─│]/.test(line)
  t.ok(widest(everything, isWords) <= 80)
  t.ok(widest(everything) <= 100)
  for (const columns of [200, 160, 100, 80]) {
    const outputStream = recordingStream({ isTTY: true, columns })
    t.ok(widest({ ...everything, outputStream }, isWords) <= 80)
    t.ok(widest({ ...everything, outputStream }) <= columns)
  }
  t.ok(widest({ outputStream: recordingStream({ isTTY: true, columns: 60 }) }) <= 60)
  t.ok(widest({ outputStream: recordingStream({ isTTY: true, columns: 0 }) }) <= 80, 'a terminal of unknown width')
})

t.test('if there is room, cells have the spaces around them that programs match', async (t) => {
  const result = { ...healthy(), latency: { ...healthy().latency, p2_5: 0.466, p50: 6.46, p97_5: 11.14, p99: 11.14, average: 6.22, stddev: 4.48, max: 11.14 } }
  t.match(printResult(result, { outputStream: recordingStream() }), '│ Latency │ 0.466 ms │ 6.46 ms │ 11.1 ms │ 11.1 ms │ 6.22 ms │ 4.48 ms │ 11.1 ms │')
})

t.test('no text from outside reaches the terminal as anything but text', async (t) => {
  const hostile = 'a\u001b[2J\u001b]0;t\u0007\u009b1A\r\n\u202eb'
  const result = {
    ...trouble(),
    title: hostile,
    url: hostile,
    errorCodes: { [hostile]: { count: 1, phase: hostile, phases: { [hostile]: 1, [hostile + 2]: 1 }, message: hostile } },
    warnings: [{ code: hostile, message: hostile }],
    generator: { saturated: true, reasons: [hostile] },
    thresholds: [{ threshold: hostile, actual: hostile, passed: false }],
    statusCodeStats: { [hostile]: { count: 1 }, 200: { count: hostile } }
  }
  t.notMatch(printResult(result, everything).replaceAll('\n', ''), /[\p{Cc}\u202e]/u)
})

t.test('our additional numbers are exact, however large', async (t) => {
  const broadcast = { expected: 3600, received: 3597, ratio: 0.999, fanOut: 1196.5 }
  const messages = { sent: 1820, received: 43_597, unasked: 40_000 }
  const sessions = { scheduled: 12_345, completed: 12_344, failed: 1, unfinished: 0, unstarted: 0, peak: 1500 }
  const text = printResult({ ...healthy(), broadcast, messages, sessions, closeCodes: { 1006: 1234 } })
  t.match(text, /^12,345 sessions: 12,344 completed, 1 failed; at most 1,500 at a time$/m)
  t.match(text, /^1,820 messages sent, 43,597 received, 40,000 of them unsolicited$/m)
  t.match(text, /^3,597 of 3,600 copies \(99\.92%\) received, 1,197 per second$/m)
  t.match(text, /^closed by the server: 1006 \(1,234\)$/m)
})

'use strict'

const { setTimeout: sleep } = require('node:timers/promises')
const t = require('tap')
const run = require('../../lib/run')
const printResult = require('../../lib/report/print-result')
const track = require('../../lib/report/track')
const { simulate } = require('../simulation/world')
const environment = require('./fixtures/environment')
const fakeInstance = require('./fixtures/fake-instance')
const healthy = require('./fixtures/healthy')
const recordingStream = require('./fixtures/recording-stream')
const terminal = require('./fixtures/terminal')

environment(t, { TERM: 'xterm', NO_COLOR: '1' })

const HEADING = ['Running 10s test @ http://localhost:3000', '10 connections', '']
const HEADING_TEXT = HEADING.join('\n') + '\n'

// One sample of a run with `each` requests, and `errors` errors so far.
const tick = (time, { each = 1000, errors = 0, p50 = 1.25, p99 = 8.5, connections = 10 } = {}) => {
  return { counter: each, bytes: 0, time, requests: each * Math.round(time), sent: each * Math.round(time), errors, p50, p99, connections }
}

async function waitFor (condition) {
  for (let attempt = 0; attempt < 200 && !condition(); attempt++) await sleep(25)
  return condition()
}

function tracked (outputStream, options, opts) {
  return track(fakeInstance(opts), { outputStream, ...options })
}

t.test('an error after responses is not the reason why there is none, also if the last sample had none', async (t) => {
  const outputStream = recordingStream()
  const instance = tracked(outputStream, { statusInterval: 1 })
  instance.emit('start')
  instance.emit('tick', tick(1))
  instance.emit('tick', tick(2, { each: 0 }))
  instance.emit('reqError', Object.assign(new Error('gone'), { code: 'ECONNRESET' }))
  instance.emit('tick', tick(3, { each: 0, errors: 1 }))
  instance.emit('done', healthy())
  t.match(outputStream.text, /^3s: .* 1 error/m)
  t.notMatch(outputStream.text, 'no response yet')
})

t.test('on a terminal: as long as there is no response, the reason is shown at once', async (t) => {
  const outputStream = terminal()
  const instance = tracked(outputStream)
  instance.emit('start')
  instance.emit('reqError', Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:3000'), { code: 'ECONNREFUSED' }))
  t.equal(instance.listenerCount('reqError'), 0, 'errors are shown even without reqError listeners')
  await waitFor(() => outputStream.lines().length === 5)
  t.equal(outputStream.lines()[4], '1 error, no response yet: connect ECONNREFUSED 127.0.0.1:3000')
  instance.emit('tick', tick(1, { each: 0, errors: 30, p50: 0, p99: 0 }))
  await waitFor(() => outputStream.lines()[4]?.startsWith('30 '))
  t.equal(outputStream.lines()[4], '30 errors, no response yet: connect ECONNREFUSED 127.0.0.1:3000')
  instance.emit('tick', tick(2, { errors: 30 }))
  await waitFor(() => outputStream.lines()[4]?.startsWith('1,000'))
  t.match(outputStream.lines()[4], /^1,000 req\/s .* 30 errors/)
  instance.emit('done', healthy())
  t.equal(instance.listenerCount('reqError'), 0)
})

t.test('on a terminal: at the end of an open model, it says what it waits for', async (t) => {
  const shownAtTheEnd = async (opts) => {
    const outputStream = terminal()
    const instance = tracked(outputStream, {}, opts)
    instance.emit('start')
    instance.emit('tick', { ...tick(10.001), sent: 1015, settled: 1000 })
    await waitFor(() => outputStream.lines().length === 5)
    const [, , , , line] = outputStream.lines()
    instance.emit('done', healthy())
    return line
  }
  t.equal(await shownAtTheEnd({ overallRate: 100, timeout: 10 }), 'waiting for 15 responses, at most 10 s')
  t.equal(await shownAtTheEnd({ overallRate: 100, timeout: 10, drain: 2 }), 'waiting for 15 responses, at most 2 s')
  t.match(await shownAtTheEnd({ timeout: 10 }), /req\/s/, 'the closed model waits for none')
  t.match(await shownAtTheEnd({ overallRate: 100, timeout: 10, amount: 2000 }), /req\/s/, 'a run of an amount is not over yet')
})

t.test('on a terminal: lines that a program prints itself appear above the bar', async (t) => {
  const outputStream = terminal()
  const instance = tracked(outputStream)
  instance.emit('start')
  await waitFor(() => outputStream.lines().length === 4)
  outputStream.write('a line of the program\n')
  await waitFor(() => outputStream.lines().length === 5)
  t.match(outputStream.lines(), [...HEADING, 'a line of the program', /^running \[=* *\] \d+%$/])
  outputStream.write('half a line')
  await waitFor(() => outputStream.lines().length === 6)
  t.match(outputStream.lines(), [...HEADING, 'a line of the program', 'half a line', /^running \[=* *\] \d+%$/])
  instance.emit('done', healthy())
  t.match(outputStream.lines().slice(0, 5), [...HEADING, 'a line of the program', 'half a line'])
})

t.test('on a terminal: a line with current numbers below the bar, which is removed at the end', async (t) => {
  const outputStream = terminal()
  const instance = tracked(outputStream)
  instance.emit('start')
  t.match(outputStream.lines(), [...HEADING, /^running \[=* *\] \d+%$/], 'before the first tick there is only the bar')
  t.equal(outputStream.lines().length, 4)

  instance.emit('tick', tick(1.001, { each: 1234, errors: 2 }))
  await waitFor(() => outputStream.lines().length === 5)
  t.equal(outputStream.lines()[4], '1,233 req/s   p50 1.25 ms   p99 8.5 ms   2 errors   10 connections')
  instance.emit('tick', tick(2.001, { each: 2000, errors: 5, p50: 0.054, p99: 0.9, connections: 1 }))
  await waitFor(() => outputStream.lines()[4]?.startsWith('2,000'))
  t.equal(outputStream.lines()[4], '2,000 req/s   p50 54 µs   p99 900 µs   5 errors (3 new)   1 connection')
  t.equal(outputStream.lines().length, 5, 'replaces the previous line')

  instance.emit('done', healthy())
  t.same(outputStream.lines(), (HEADING_TEXT + printResult(healthy(), { outputStream: terminal() })).trimEnd().split('\n'))
  t.notMatch(outputStream.text, '\u001b[?', 'no mode of the terminal was touched')
})

t.test('the line covers a second, however often there are ticks', async (t) => {
  const outputStream = terminal()
  const instance = tracked(outputStream)
  instance.emit('start')
  for (let time = 1; time <= 9; time++) instance.emit('tick', tick(time / 10, { each: 10, p99: time === 4 ? 77 : 3 }))
  await sleep(250)
  t.equal(outputStream.lines().length, 4, 'not before the second is over')
  instance.emit('tick', tick(1, { each: 10, p99: 3 }))
  await waitFor(() => outputStream.lines().length === 5)
  t.equal(outputStream.lines()[4], '100 req/s   p50 1.25 ms   p99 77 ms   0 errors   10 connections', 'its worst moment is not lost')
  instance.emit('done', healthy())
})

t.test('a second without a response has no latency', async (t) => {
  const outputStream = terminal()
  const instance = tracked(outputStream)
  instance.emit('tick', tick(1, { each: 0, p50: 0, p99: 0 }))
  await waitFor(() => outputStream.lines().length === 5)
  t.equal(outputStream.lines()[4], '0 req/s   p50 –   p99 –   0 errors   10 connections')
  instance.emit('done', healthy())
})

t.test('the line never wraps, on a terminal of any width and with any numbers', async (t) => {
  for (const columns of [20, 40, 60, 80]) {
    const outputStream = terminal({ columns })
    const instance = tracked(outputStream)
    instance.emit('tick', tick(1, { each: 12345678, errors: 1234567, p50: 123456, p99: 1234567, connections: 10000 }))
    await waitFor(() => outputStream.lines().length === 5)
    t.ok(outputStream.lines()[4].length < columns, outputStream.lines()[4])
    t.match(outputStream.lines()[4], columns === 20 ? /^12.3M req\/s/ : /req\/s {2,3}p50/)
    instance.emit('done', healthy())
  }
})

t.test('a terminal that becomes narrower keeps no remains of wrapped lines', async (t) => {
  const outputStream = terminal({ columns: 100 })
  const instance = tracked(outputStream)
  instance.emit('tick', tick(1))
  await waitFor(() => outputStream.lines().length === 5)
  const { length } = outputStream.text
  outputStream.columns = 50
  await waitFor(() => outputStream.text.length > length)
  const clearing = outputStream.text.slice(length).match(/^(?:\r\u001b\[K|\u001b\[A)+/)[0] // eslint-disable-line no-control-regex
  t.equal(clearing.split('\u001b[A').length, 4, 'the bar and the line used two rows each')
  instance.emit('done', healthy())
})

t.test('in a pipe: a plain line every five seconds, and at the very end the totals', async (t) => {
  const outputStream = recordingStream()
  const instance = tracked(outputStream)
  instance.emit('start')
  for (let time = 1; time <= 10; time++) instance.emit('tick', tick(time + 0.001, { errors: time > 7 ? 3 : 0, p99: time === 2 ? 40 : 8.5 }))
  t.equal(outputStream.text, HEADING_TEXT + '5s: 5,000 requests, 999.8 req/s, p50 1.25 ms, p99 40 ms, 0 errors, 10 connections\n')
  instance.emit('done', healthy())
  t.match(outputStream.text, '\n10s: 10,000 requests, at most 10 connections at a time\n')
  t.equal(outputStream.text.slice(-200), printResult(healthy(), { outputStream }).slice(-200))
})

t.test('in a pipe: a run of less than five seconds prints no progress', async (t) => {
  // Timers may be late, and slightly early.
  for (const [duration, late] of [[1, 0.001], [4, 0.001], [5, 0.001], [5, -0.001]]) {
    const outputStream = recordingStream()
    const instance = tracked(outputStream, {}, { duration })
    instance.emit('start')
    for (let time = 1; time <= duration; time++) instance.emit('tick', tick(time + late))
    instance.emit('done', healthy())
    t.equal(outputStream.text, HEADING_TEXT.replace('10s', `${duration}s`) + printResult(healthy(), { outputStream }))
  }
})

t.test('in a pipe: the interval can be set, and the lines disabled', async (t) => {
  const lines = (options, opts) => {
    const outputStream = recordingStream()
    const instance = tracked(outputStream, { renderResultsTable: false, ...options }, opts)
    instance.emit('start')
    for (let time = 1; time <= 9; time++) instance.emit('tick', tick(time))
    instance.emit('done', healthy())
    return outputStream.text.match(/^[\d.]+(?=s: .* req\/s)/gm)
  }
  t.same(lines({ statusInterval: 3 }), ['3', '6', '9'])
  t.same(lines({ statusInterval: 1.5 }), ['2', '4', '6', '8'], 'no more often than there are samples')
  t.same(lines({ statusInterval: 0 }), null)
  t.same(lines({ renderProgressBar: false }), null, 'nothing before the result was requested')
  t.same(lines({ renderProgressBar: false, statusInterval: 4 }), ['4', '8'], 'but this was')
  t.same(lines({ live: true }), ['5'], 'without a screen, a line says it')
  t.same(lines({}, { amount: 100000, duration: undefined }), ['5'], 'by amount, too')
})

t.test('invalid settings are one clear error, before anything is shown', async (t) => {
  for (const statusInterval of [-1, NaN, Infinity, '5s', true]) {
    t.throws(() => tracked(recordingStream(), { statusInterval }), { code: 'CANNONADE_BAD_OPTION', option: 'statusInterval', message: /0 \(never\) or more/ })
  }
  t.throws(() => tracked(recordingStream(), { live: 'yes' }), { code: 'CANNONADE_BAD_OPTION', option: 'live' })
})

t.test('with forever, progress starts over in each round', async (t) => {
  const outputStream = recordingStream()
  const instance = tracked(outputStream, { renderResultsTable: false, statusInterval: 2 }, { forever: true })
  for (let round = 0; round < 2; round++) {
    instance.emit('start')
    for (let time = 1; time <= 3; time++) instance.emit('tick', tick(time, { errors: 1 }))
    instance.emit('done', healthy())
  }
  t.equal(outputStream.text, (HEADING_TEXT + '2s: 2,000 requests, 1,000 req/s, p50 1.25 ms, p99 8.5 ms, 1 error, 10 connections\n3s: 3,000 requests, at most 10 connections at a time\n').repeat(2))
})

t.test('the heading describes the actual run', async (t) => {
  const outputStream = recordingStream()
  const { value: result } = await simulate({}, (world) => {
    const answer = ({ number }) => number % 4 === 3 ? 503 : 200
    return track(run({ url: world.server({ serviceTime: 10, answer }).url, connections: 4, duration: 2.6 }), { outputStream, statusInterval: 1 })
  })
  t.same(outputStream.text.match(/^[\d.]+s: .*$/gm), [
    '1s: 396 requests (2xx: 297, 5xx: 99), 396 req/s, p50 10 ms, p99 10 ms, 0 errors, 4 connections',
    '2s: 796 requests (2xx: 597, 5xx: 199), 400 req/s, p50 10 ms, p99 10 ms, 0 errors, 4 connections',
    '2.6s: 1,036 requests (2xx: 777, 5xx: 259), at most 4 connections at a time'
  ])
  t.match(outputStream.text, printResult(result, { outputStream }))
})

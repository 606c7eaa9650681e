'use strict'

const { spawn } = require('node:child_process')
const { once } = require('node:events')
const path = require('node:path')
const { createColors } = require('picocolors')
const t = require('tap')
const FullScreen = require('../../lib/report/live/full-screen')
const printResult = require('../../lib/report/print-result')
const view = require('../../lib/report/live/view')
const track = require('../../lib/report/track')
const environment = require('./fixtures/environment')
const fakeInstance = require('./fixtures/fake-instance')
const healthy = require('./fixtures/healthy')
const terminal = require('./fixtures/terminal')

environment(t, { TERM: 'xterm', NO_COLOR: '1' })

const ENTER = '\u001b[?1049h'
const LEAVE = '\u001b[?1049l'
const SHOW_CURSOR = '\u001b[?25h'
const HEADING = 'Running 10s test @ http://localhost:3000\n10 connections\n\n'

const tick = (time, { each = 1000, errors = 0, p99 = 8.5 } = {}) => {
  return { counter: each, bytes: 0, time, requests: each * time, sent: each * time, errors, p50: 1.25, p99, connections: 10 }
}

function live (outputStream, opts) {
  const instance = track(fakeInstance(opts), { outputStream, live: true })
  instance.emit('start')
  return instance
}

const watched = () => Object.fromEntries(['exit', 'uncaughtExceptionMonitor', 'SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT', 'SIGTSTP', 'SIGCONT']
  .map((event) => [event, process.listenerCount(event)]))

t.test('the view shows the current state and the past', async (t) => {
  const outputStream = terminal()
  const instance = live(outputStream)
  t.equal(outputStream.isAlternate(), true)
  t.equal(outputStream.isCursorHidden(), true)
  const rates = [1000, 2000, 4000]
  rates.forEach((each, index) => instance.emit('tick', { ...tick(index + 1, { errors: index, p99: 10 * (index + 1) }), counter: each, requests: 7000 }))
  const lines = outputStream.lines()
  t.match(lines[0], 'Running 10s test @ http://localhost:3000, 10 connections')
  t.match(lines[1], /^\[=* *\] \d%$/)
  const row = (label) => lines.find((line) => line.startsWith(label))
  t.match(row('requests/s'), /^requests\/s +4,000 +▄?█+$/u)
  t.match(row('p50'), /^p50 +1\.25 ms +███$/u, 'the same height each second')
  t.match(row('p99'), /^p99 +30 ms +\S{3}$/u)
  t.match(row('errors/s'), /^errors\/s +1 +/u)
  t.match(row('connections'), /^connections +10 +███$/u)
  t.ok(lines.some((line) => /^7,000 completed, 2 errors, after \d s/.test(line)), lines.join('\n'))
  t.ok(lines.length <= 24)
  instance.emit('done', healthy())
})

t.test('there is an empty line below each figure if the terminal is high enough', async (t) => {
  const window = { time: 1, rate: 1, p50: 1, p99: 1, errorRate: 0, connections: 1 }
  const linesIn = (rows) => view({ opts: { url: 'http://a', connections: 1, pipelining: 1, duration: 9 }, progress: { current: 1, total: 9, elapsed: 1, rate: 1 }, history: [window], totals: { completed: 1, errors: 0 } }, { columns: 60, rows }, createColors(false))
  // Each of five figures has as many lines, at most four; eight lines are around them.
  for (const [rows, height, gaps] of [[12, 1, false], [17, 1, false], [18, 1, true], [22, 1, true], [23, 2, true], [28, 3, true], [33, 4, true], [50, 4, true]]) {
    const lines = linesIn(rows)
    const places = ['requests/s', 'p50'].map((label) => lines.findIndex((line) => line.startsWith(label)))
    t.same([lines.length <= rows, places[1] - places[0]], [true, height + (gaps ? 1 : 0)], `${rows} rows`)
  }
})

t.test('at the end the terminal is restored, with the heading and the result on it', async (t) => {
  const outputStream = terminal()
  const before = watched()
  const instance = live(outputStream)
  instance.emit('tick', tick(1))
  t.equal(outputStream.mainLines().join('\n'), HEADING.trimEnd(), 'below it is the heading')
  instance.emit('done', healthy())
  t.equal(outputStream.isAlternate(), false)
  t.equal(outputStream.isCursorHidden(), false)
  t.same(outputStream.lines(), (HEADING + printResult(healthy(), { outputStream })).trimEnd().split('\n'))
  t.same(watched(), before, 'nothing listens any more')
  const { text } = outputStream
  await new Promise((resolve) => setTimeout(resolve, 400))
  t.equal(outputStream.text, text, 'and nothing draws')
})

t.test('a run that fails also restores the terminal', async (t) => {
  const outputStream = terminal()
  const before = watched()
  const instance = live(outputStream)
  t.throws(() => instance.emit('error', new Error('boom')), /boom/)
  t.equal(outputStream.isAlternate(), false)
  t.equal(outputStream.isCursorHidden(), false)
  t.same(watched(), before)
})

t.test('it fits terminals of any size, and follows size changes', async (t) => {
  const outputStream = terminal()
  const instance = live(outputStream, { url: `http://localhost/${'long/'.repeat(60)}` })
  for (let time = 1; time <= 300; time++) instance.emit('tick', tick(time))
  for (const [columns, rows] of [[20, 5], [40, 10], [80, 24], [200, 60]]) {
    Object.assign(outputStream, { columns, rows }).emit('resize')
    const lines = outputStream.text.split('\u001b[H').at(-1).replaceAll(/\u001b\[[KJ]/g, '').split('\r\n') // eslint-disable-line no-control-regex
    t.ok(lines.length <= rows, `${lines.length} lines of ${rows}`)
    t.ok(lines.every((line) => [...line].length < columns), `${columns} columns`)
  }
  t.ok(outputStream.lines().filter((line) => /█{100}/.test(line)).length >= 4, 'on a large one the history is long')
  instance.emit('done', healthy())
})

t.test('no text from outside reaches the terminal as a command', async (t) => {
  const outputStream = terminal()
  const instance = live(outputStream, { url: 'http://localhost/\u001b]0;title\u0007\u001b[31m' })
  const drawn = outputStream.text.slice(outputStream.text.indexOf(ENTER))
  t.notMatch(drawn, '\u001b]0')
  t.notMatch(drawn, '\u001b[31m')
  t.match(drawn, 'http://localhost/')
  instance.emit('done', healthy())
})

t.test('of two live views on one terminal the first has the screen, and output of the other waits', async (t) => {
  const outputStream = terminal()
  const [first, second] = ['first', 'second'].map((name) => live(outputStream, { url: `http://${name}` }))
  second.emit('tick', tick(1))
  second.emit('done', healthy())
  t.match(outputStream.lines()[0], 'http://first')
  t.notMatch(outputStream.mainLines().join('\n'), 'http://second')
  t.equal(outputStream.text.split(ENTER).length, 2)
  first.emit('done', healthy())
  t.equal(outputStream.isAlternate(), false)
  const text = outputStream.lines().join('\n')
  t.ok(text.indexOf('http://second') > text.indexOf('http://first'), 'nothing is lost')
  t.equal(text.split('219,600').length, text.includes('219,600') ? 3 : 1)
})

t.test('each round of forever has its view', async (t) => {
  const outputStream = terminal()
  const instance = live(outputStream, { forever: true })
  instance.emit('done', healthy())
  t.equal(outputStream.isAlternate(), false)
  instance.emit('start')
  t.equal(outputStream.isAlternate(), true)
  instance.emit('done', healthy())
  t.equal(outputStream.isAlternate(), false)
})

const ways = [
  { way: 'crash', code: 1, says: 'the program has a bug' },
  { way: 'rejection', code: 1, says: 'nobody caught this' },
  { way: 'exit', code: 3 },
  { way: 'wait', signal: 'SIGINT' },
  { way: 'wait', signal: 'SIGTERM' },
  { way: 'wait', signal: 'SIGHUP' },
  { way: 'once', send: 'SIGINT', code: 0, says: '2.5%' },
  { way: 'polite', signal: 'SIGTERM' }
]
for (const { way, code = null, signal = null, send = signal, says } of ways) {
  t.test(`the terminal is restored however the process ends: ${way} ${send ?? ''}`, { skip: process.platform === 'win32' }, async (t) => {
    const env = { ...process.env, TERM: 'xterm', NO_COLOR: '1' }
    const child = spawn(process.execPath, [path.join(__dirname, 'fixtures/live-process.js'), way], { stdio: ['ignore', 'pipe', 'pipe'], env })
    t.teardown(() => child.kill('SIGKILL'))
    let text = ''
    child.stderr.setEncoding('utf8').on('data', (chunk) => { text += chunk })
    const ended = once(child, 'close')
    if (send !== null) {
      await once(child.stdout, 'data')
      child.kill(send)
    }
    t.same(await ended, [code, signal], 'the process ends as it would without the view')
    t.equal(text.split(ENTER).length, 2)
    t.equal(text.split(LEAVE).length, 2)
    const after = text.slice(text.indexOf(LEAVE))
    t.ok(text.indexOf(SHOW_CURSOR) !== -1)
    t.notMatch(after, '\u001b[H', 'nothing is drawn any more')
    if (says) t.match(after, says, 'later messages go to the main screen')
  })
}

t.test('a screen that was left for good is not taken over again, as after Ctrl-Z', async (t) => {
  const stream = terminal()
  const before = watched()
  const screen = new FullScreen(stream, () => t.fail('the process goes on'))
  screen.enter()
  screen.enter()
  screen.draw(['a line'])
  t.same([stream.isAlternate(), stream.lines()], [true, ['a line']])
  screen.leave()
  screen.enter()
  screen.draw(['another line'])
  screen.leave()
  t.same([stream.isAlternate(), stream.text.split(ENTER).length, stream.text.split(LEAVE).length], [false, 2, 2])
  t.same(watched(), before)
})

t.test('a sparkline', async (t) => {
  t.same(view.sparkline([1, 2, 4, 8], { width: 10, height: 1 }), ['▁▂▄█'])
  t.same(view.sparkline([0, null, 1000, 1], { width: 10, height: 1 }), ['  █▁'], 'values above zero are visible')
  t.same(view.sparkline([1, 2, 3, 4], { width: 2, height: 1 }), ['▆█'], 'the newest ones, at their own scale')
  t.same(view.sparkline([100, 1, 2], { width: 2, height: 1 }), ['▄█'], 'whatever was before them')
  t.same(view.sparkline([8, 16], { width: 2, height: 2 }), [' █', '██'])
  t.same(view.sparkline([], { width: 5, height: 2 }), ['', ''])
  t.same(view.sparkline([1], { width: 0, height: 1 }), [''])
})

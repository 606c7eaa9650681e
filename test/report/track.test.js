'use strict'

const { execFile } = require('node:child_process')
const path = require('node:path')
const { setTimeout: sleep } = require('node:timers/promises')
const { promisify } = require('node:util')
const t = require('tap')
const printResult = require('../../lib/report/print-result')
const { withoutEscapes } = require('../../lib/report/text')
const track = require('../../lib/report/track')
const environment = require('./fixtures/environment')
const fakeInstance = require('./fixtures/fake-instance')
const healthy = require('./fixtures/healthy')
const recordingStream = require('./fixtures/recording-stream')
const trouble = require('./fixtures/trouble')

// A bar is redrawn ten times a second.
const SOME_REDRAWS = 250
const HEADING = 'Running 10s test @ http://localhost:3000\n10 connections\n\n'

environment(t, { TERM: 'xterm', NO_COLOR: '1' })

const bars = (text) => text.match(/running \[[= ]*\] \d+%/g) ?? []
const percents = (text) => bars(text).map((bar) => Number(bar.match(/(\d+)%/)[1]))

// The text on a terminal after lines were cleared and rewritten.
const shown = (text) => text.split('\n').map((line) => line.split('\r\u001b[K').at(-1)).join('\n')

const listeners = (instance) => Object.fromEntries(instance.eventNames().map((event) => [String(event), instance.listenerCount(event)]))

async function waitFor (condition) {
  for (let attempt = 0; attempt < 200 && !condition(); attempt++) await sleep(25)
}

t.test('without an instance there is nothing to track', async (t) => {
  for (const instance of [undefined, null, {}, 'http://localhost']) {
    t.throws(() => track(instance), { code: 'CANNONADE_BAD_ARGUMENT', message: /^instance required for tracking/ })
  }
})

t.test('in a pipe: heading and result, no bar, no control characters', async (t) => {
  const instance = fakeInstance()
  const outputStream = recordingStream()
  t.equal(track(instance, { outputStream }), instance)
  t.equal(outputStream.text, '')
  instance.emit('start')
  t.equal(outputStream.text, HEADING)
  instance.emit('tick', { counter: 100, bytes: 1000 })
  await sleep(SOME_REDRAWS)
  t.equal(outputStream.text, HEADING)
  instance.emit('done', healthy())
  t.equal(outputStream.text, HEADING + printResult(healthy(), { outputStream }))
  t.notMatch(outputStream.text.replaceAll('\n', ''), /\p{Cc}/u)
})

t.test('a run that waits for the last scrape of its metrics says so, and has no bar meanwhile', async (t) => {
  const instance = fakeInstance()
  const outputStream = recordingStream({ isTTY: true })
  track(instance, { outputStream })
  instance.emit('start')
  instance.emit('linger', { seconds: 15 })
  t.match(shown(outputStream.text), /^The run is over\. Waiting at most 15 s for its last metrics to be read\.$/m)
  const { length } = outputStream.text
  await sleep(SOME_REDRAWS)
  t.equal(outputStream.text.length, length, 'nothing is drawn any more')
  instance.emit('done', healthy())
  t.match(outputStream.text, /Req\/Sec/)
})

t.test('on a terminal: a bar that moves with time, and is removed at the end', async (t) => {
  const instance = fakeInstance({ duration: 0.5 })
  const outputStream = recordingStream({ isTTY: true })
  track(instance, { outputStream })
  instance.emit('start')
  t.equal(bars(outputStream.text).length, 1, 'drawn at once')
  await waitFor(() => percents(outputStream.text).at(-1) === 100)
  const seen = percents(outputStream.text)
  t.ok(seen.length >= 2, `${seen}`)
  t.same(seen, [...seen].sort((a, b) => a - b))
  for (const bar of bars(outputStream.text)) t.ok(bar.length < 80)
  instance.emit('done', healthy())
  t.equal(shown(outputStream.text), HEADING.replace('10s', '0.5s') + printResult(healthy(), { outputStream }))
  t.notMatch(outputStream.text, '\u001b[?25l', 'the cursor was never hidden')
  t.notMatch(outputStream.text, '\u001b[?7l', 'and lines were never cut')
})

t.test('by amount the bar moves with the requests sent', async (t) => {
  const instance = fakeInstance({ amount: 1000 })
  const outputStream = recordingStream({ isTTY: true })
  track(instance, { outputStream, progressBarString: ':current of :total :percent' })
  instance.emit('start')
  instance.emit('tick', { counter: 240, requests: 240, sent: 250, bytes: 0 })
  await waitFor(() => outputStream.text.includes('25%'))
  t.match(outputStream.text, '0 of 1000 0%')
  t.match(outputStream.text, '250 of 1000 25%')
  instance.emit('tick', { counter: 260, requests: 500, sent: 500, bytes: 0 })
  await waitFor(() => outputStream.text.includes('50%'))
  t.match(outputStream.text, '500 of 1000 50%')
  instance.emit('done', healthy())
})

t.test('ticks with only counts move the bar too', async (t) => {
  const instance = fakeInstance({ amount: 1000 })
  const outputStream = recordingStream({ isTTY: true })
  track(instance, { outputStream, progressBarString: ':current done' })
  instance.emit('start')
  instance.emit('tick', { counter: 200, bytes: 0 })
  instance.emit('tick', { counter: 300, bytes: 0 })
  await waitFor(() => outputStream.text.includes('500 done'))
  t.match(outputStream.text, '500 done')
  instance.emit('done', healthy())
})

t.test('each part can be left out', async (t) => {
  const text = (options) => {
    const instance = fakeInstance()
    const outputStream = recordingStream({ isTTY: true, columns: 200 })
    track(instance, { outputStream, ...options })
    instance.emit('start')
    instance.emit('done', trouble())
    return shown(outputStream.text)
  }
  const printed = (options) => withoutEscapes(printResult(trouble(), { outputStream, ...options }))
  const outputStream = recordingStream({ isTTY: true, columns: 200 })
  t.equal(text({ renderProgressBar: false }), printed())
  t.equal(text({ renderResultsTable: false }), HEADING)
  t.equal(text({ verbose: false }), HEADING + printed({ verbose: false }))
  t.equal(text({ renderResultsTable: false, renderProgressBar: false }), '')
  for (const option of ['renderLatencyTable', 'renderStatusCodes']) {
    t.equal(text({ [option]: true }), HEADING + printed({ [option]: true }))
    t.equal(text({ [option]: true, renderResultsTable: false }), HEADING + printed({ renderResultsTable: false, [option]: true }))
  }
})

t.test('the result can go to another stream than the progress', async (t) => {
  const instance = fakeInstance()
  const [outputStream, resultStream] = [recordingStream(), recordingStream()]
  track(instance, { outputStream, resultStream })
  instance.emit('start')
  instance.emit('done', healthy())
  t.equal(outputStream.text, HEADING)
  t.equal(resultStream.text, printResult(healthy(), { outputStream: resultStream }))
})

t.test('below the tables of a run over TLS, it says whether certificates were verified', async (t) => {
  const text = (opts) => {
    const instance = fakeInstance(opts)
    const outputStream = recordingStream()
    track(instance, { outputStream })
    instance.emit('start')
    instance.emit('done', healthy())
    return outputStream.text
  }
  const note = /\nCertificates were not verified\.\n$/
  t.match(text({ url: 'https://localhost' }), note)
  t.match(text({ url: ['http://localhost', 'https://localhost'], tlsOptions: {} }), note)
  t.notMatch(text({ url: 'https://localhost', tlsOptions: { rejectUnauthorized: true } }), note)
  t.notMatch(text({ url: 'http://localhost' }), note)
})

t.test('a dumb terminal gets no bar', async (t) => {
  environment(t, { TERM: 'dumb' })
  const instance = fakeInstance()
  const outputStream = recordingStream({ isTTY: true })
  track(instance, { outputStream })
  instance.emit('start')
  instance.emit('done', healthy())
  t.notMatch(outputStream.text.replaceAll('\n', ''), /\p{Cc}/u)
})

t.test('by default everything goes to stderr', async (t) => {
  const script = `
    const instance = require('./fixtures/fake-instance')()
    require('../../lib/report/track')(instance)
    instance.emit('start')
    instance.emit('done', require('./fixtures/healthy')())`
  const { stdout, stderr } = await promisify(execFile)(process.execPath, ['-e', script], { cwd: __dirname, timeout: 20000 })
  t.equal(stdout, '')
  t.equal(stderr, HEADING + printResult(healthy(), { outputStream: {} }))
})

t.test('nothing remains when the run is done', async (t) => {
  const instance = fakeInstance()
  instance.on('done', () => {})
  const before = listeners(instance)
  const outputStream = recordingStream({ isTTY: true })
  track(instance, { outputStream })
  instance.emit('start')
  instance.emit('done', healthy())
  t.same(listeners(instance), before)
  const { text } = outputStream
  await sleep(SOME_REDRAWS)
  t.equal(outputStream.text, text, 'no timer draws any more')
})

t.test('nothing remains when the run fails, and the error is still thrown', async (t) => {
  const instance = fakeInstance()
  const outputStream = recordingStream({ isTTY: true })
  track(instance, { outputStream })
  instance.emit('start')
  t.throws(() => instance.emit('error', new Error('boom')), /boom/)
  t.same(listeners(instance), {})
  t.equal(shown(outputStream.text), HEADING)
  const { text } = outputStream
  await sleep(SOME_REDRAWS)
  t.equal(outputStream.text, text)
})

t.test('the measurements of a failed run are shown', async (t) => {
  const text = (opts) => {
    const instance = fakeInstance()
    instance.on('error', () => {})
    const outputStream = recordingStream({ isTTY: false })
    track(instance, { outputStream, statusInterval: 0, ...opts })
    instance.emit('start')
    instance.emit('error', Object.assign(new Error('boom'), { result: healthy() }))
    return outputStream.text
  }
  const table = printResult(healthy(), { outputStream: {} })
  t.equal(text(), HEADING + 'The run failed. Results so far:\n' + table)
  t.equal(text({ renderProgressBar: false }), table)
  t.equal(text({ renderResultsTable: false }), HEADING, 'nor is it if no table is requested')
})

t.test('a run that fails before it starts leaves nothing either', async (t) => {
  const instance = fakeInstance()
  const outputStream = recordingStream({ isTTY: true })
  track(instance, { outputStream })
  t.throws(() => instance.emit('error', new Error('boom')), /boom/)
  t.same(listeners(instance), {})
  t.equal(outputStream.text, '')
})

t.test('the bar does not keep the process of an endless run alive', async (t) => {
  const script = `
    const stream = require('./fixtures/recording-stream')({ isTTY: true })
    const instance = require('./fixtures/fake-instance')()
    require('../../lib/report/track')(instance, { outputStream: stream })
    instance.emit('start')
    setTimeout(() => {}, 250)
    process.on('exit', () => console.log(stream.text.includes('running [')))`
  const { stdout } = await promisify(execFile)(process.execPath, ['-e', script], {
    cwd: __dirname, timeout: 60_000, env: { ...process.env, TERM: 'xterm', NO_COLOR: '1' }
  })
  t.equal(stdout, 'true\n')
})

t.test('tracking that begins during a run catches up at the next tick', async (t) => {
  const instance = fakeInstance()
  const outputStream = recordingStream()
  track(instance, { outputStream })
  instance.emit('tick', { counter: 1, bytes: 1 })
  instance.emit('tick', { counter: 1, bytes: 1 })
  instance.emit('done', healthy())
  t.equal(outputStream.text, HEADING + printResult(healthy(), { outputStream }))
})

t.test('forever is shown round by round', async (t) => {
  const instance = fakeInstance({ forever: true })
  const outputStream = recordingStream({ isTTY: true })
  track(instance, { outputStream })
  const round = HEADING + printResult(healthy(), { outputStream })
  for (let rounds = 1; rounds <= 3; rounds++) {
    instance.emit('start')
    t.equal(bars(outputStream.text).at(-1).endsWith(' 0%'), true, 'the bar starts over')
    instance.emit('done', healthy())
    t.equal(shown(outputStream.text), round.repeat(rounds))
  }
  const { text } = outputStream
  await sleep(SOME_REDRAWS)
  t.equal(outputStream.text, text, 'and between rounds there is no bar')
})

t.test('two runs on one terminal share its last line and print above it', async (t) => {
  const outputStream = recordingStream({ isTTY: true })
  const [first, second] = ['first', 'second'].map((name) => {
    const instance = fakeInstance({ url: `http://${name}` })
    return track(instance, { outputStream, progressBarString: `${name} [:bar]` })
  })
  first.emit('start')
  second.emit('start')
  await waitFor(() => outputStream.text.split('first [').length > 2)
  t.notMatch(outputStream.text, 'second [', 'the line belongs to the first')
  first.emit('done', healthy())
  await waitFor(() => outputStream.text.includes('second ['))
  t.match(outputStream.text, 'second [', 'until it is done')
  second.emit('done', trouble())
  t.equal(shown(outputStream.text), [
    HEADING.replace('localhost:3000', 'first'),
    HEADING.replace('localhost:3000', 'second'),
    printResult(healthy(), { outputStream }),
    printResult(trouble(), { outputStream })
  ].join(''))
})

t.test('a run that ends while another one draws does not disturb it', async (t) => {
  const outputStream = recordingStream({ isTTY: true })
  const [drawing, waiting] = ['drawing', 'waiting'].map((name) => {
    return track(fakeInstance({ url: `http://${name}` }), { outputStream, progressBarString: `${name} [:bar]` })
  })
  drawing.emit('start')
  waiting.emit('start')
  waiting.emit('done', healthy())
  const { length } = outputStream.text
  await waitFor(() => outputStream.text.length > length)
  t.equal(outputStream.text.slice(length).startsWith('\r\u001b[Kdrawing ['), true, 'its bar reappears below the tables')
  drawing.emit('done', healthy())
})

t.test('two runs on different streams are independent', async (t) => {
  const streams = [recordingStream({ isTTY: true }), recordingStream({ isTTY: true })]
  const instances = streams.map((outputStream) => track(fakeInstance(), { outputStream }))
  for (const instance of instances) instance.emit('start')
  for (const { text } of streams) t.ok(bars(text).length >= 1)
  for (const instance of instances) instance.emit('done', healthy())
  t.equal(shown(streams[0].text), shown(streams[1].text))
})

t.test('report/ uses only results and events', async (t) => {
  const script = `
    require('../../lib/report/track')
    const own = Object.keys(require.cache).filter((file) => !file.includes('node_modules'))
    console.log(JSON.stringify(own))`
  const { stdout } = await promisify(execFile)(process.execPath, ['-e', script], { cwd: __dirname, timeout: 20000 })
  const lib = path.resolve(__dirname, '../../lib')
  const foreign = JSON.parse(stdout).map((file) => path.relative(lib, file)).filter((file) => !file.startsWith(`report${path.sep}`))
  const isOfRuns = (file) => /^(run|round|engine|load|plan|protocol|transport|script|study|server|cli|client)\b/.test(file)
  t.same(foreign.filter(isOfRuns), [], 'and nothing about how a run works')
})

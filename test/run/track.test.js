'use strict'

const { execFile, execFileSync } = require('node:child_process')
const path = require('node:path')
const t = require('tap')
const run = require('../..')
const { track, printResult } = run
const { simulate } = require('../simulation/world')
const { delayServer, httpServer } = require('../support/servers')
const { until } = require('../support/wait')
const recordingStream = require('../report/fixtures/recording-stream')
const environment = require('../report/fixtures/environment')
const { ended } = require('../support/ended')

const TRACKED_RUN = path.join(__dirname, 'fixtures/tracked-run.js')
const EVENTS = ['start', 'tick', 'done', 'error']

environment(t, { TERM: 'xterm', NO_COLOR: '1' })

// The text on a terminal after lines were cleared and rewritten.
function shown (text) {
  const lines = ['']
  let row = 0
  for (const piece of text.replaceAll('\r\u001b[K', '\0clear\0').replaceAll('\u001b[A', '\0up\0').replaceAll('\n', '\0down\0').split('\0')) {
    if (piece === 'clear') lines[row] = ''
    else if (piece === 'up') row--
    else if (piece === 'down') lines[++row] ??= ''
    else lines[row] += piece
  }
  return lines.join('\n')
}

const percents = (text) => [...text.matchAll(/running \[[= ]*\] (\d+)%/g)].map(([, percent]) => Number(percent))
const heading = (url, what, connections) => `Running ${what} test @ ${url}\n${connections} connections\n\n`
const listeners = (instance) => EVENTS.map((event) => instance.listenerCount(event))

t.test('in a pipe: the heading at the start, the result at the end, nothing in between', async (t) => {
  const { url } = await delayServer(t, 1)
  const outputStream = recordingStream()
  const instance = run({ url, connections: 2, duration: 0.4, sampleInt: 100 })
  t.equal(track(instance, { outputStream }), instance)
  t.equal(outputStream.text, '', 'not before it has started')
  const seen = []
  const look = () => seen.push(outputStream.text)
  for (const event of ['start', 'tick']) instance.on(event, look)
  const result = await instance
  for (const event of ['start', 'tick']) instance.off(event, look)
  t.same([...new Set(seen)], [heading(url, '0.4s', 2)])
  t.equal(outputStream.text, heading(url, '0.4s', 2) + printResult(result, { outputStream }))
  t.notMatch(outputStream.text.replaceAll('\n', ''), /\p{Cc}/u)
  t.same(listeners(instance), [0, 0, 0, 0])
})

t.test('on a terminal: a progress bar by time, removed at the end', async (t) => {
  const outputStream = recordingStream({ isTTY: true })
  let url
  const { value: result } = await simulate({}, (world) => {
    url = world.server({ serviceTime: 1 }).url
    return track(run({ url, connections: 2, duration: 2, sampleInt: 100 }), { outputStream })
  })
  t.same(percents(outputStream.text), Array.from({ length: 21 }, (_, index) => 5 * index))
  t.equal(shown(outputStream.text), heading(url, '2s', 2) + printResult(result, { outputStream }))
  for (const line of shown(outputStream.text).split('\n')) t.ok(line.length <= 100, line)
})

t.test('and a progress bar by amount', async (t) => {
  const outputStream = recordingStream({ isTTY: true })
  let url
  const { value: result } = await simulate({}, (world) => {
    url = world.server({ serviceTime: 9 }).url
    return track(run({ url, connections: 1, amount: 100, sampleInt: 100 }), { outputStream, progressBarString: ':current of :total [:bar] :percent' })
  })
  const counts = [...outputStream.text.matchAll(/(\d+) of 100/g)].map(([, count]) => Number(count))
  t.same(counts, [0, 12, 23, 34, 45, 56, 67, 78, 89, 100], 'what has been sent')
  t.equal(shown(outputStream.text), heading(url, '100 requests', 1) + printResult(result, { outputStream }))
})

t.test('a warm-up is announced, and the bar begins with the run', async (t) => {
  const { url } = await delayServer(t, 1)
  const outputStream = recordingStream({ isTTY: true })
  const instance = track(run({ url, connections: 2, pipelining: 2, amount: 500, warmup: { connections: 1, duration: 0.4 } }), { outputStream })
  let textAtStart
  instance.prependListener('start', () => { textAtStart = outputStream.text })
  await instance
  t.equal(textAtStart, `Running 0.4s warmup @ ${url}\n1 connections with 2 pipelining factor\n\n`)
  t.match(outputStream.text, `Running 500 requests test @ ${url}\n2 connections`)
  t.equal(percents(outputStream.text)[0], 0)
})

t.test('with forever each round is shown', async (t) => {
  const { url } = await delayServer(t, 1)
  const outputStream = recordingStream({ isTTY: true })
  const results = []
  const instance = track(run({ url, connections: 1, amount: 20, forever: true }), { outputStream })
  instance.on('done', (result) => { if (results.push(result) === 3) instance.stop() })
  await ended(instance)
  t.equal(shown(outputStream.text), results.map((result) => heading(url, '20 requests', 1) + printResult(result, { outputStream })).join(''))
})

t.test('a stopped run shows its result so far', async (t) => {
  const { url } = await delayServer(t, 1)
  const outputStream = recordingStream({ isTTY: true })
  const instance = track(run({ url, connections: 1, duration: 60 }), { outputStream })
  await until(() => percents(outputStream.text).length > 0)
  instance.stop()
  const result = await instance
  t.equal(shown(outputStream.text), heading(url, '60s', 1) + printResult(result, { outputStream }))
})

t.test('a run whose hook fails clears its line and leaves the error to the program', async (t) => {
  const { url } = await delayServer(t, 1)
  const outputStream = recordingStream({ isTTY: true })
  let calls = 0
  const requests = [{ onResponse () { if (++calls === 50) throw new Error('no') } }]
  const instance = track(run({ url, connections: 1, duration: 60, requests }), { outputStream })
  const error = await instance.catch((error) => error)
  t.equal(error.code, 'CANNONADE_HOOK_FAILED')
  const soFar = 'The run failed. Results so far:\n' + printResult(error.result, { outputStream })
  t.equal(shown(outputStream.text), heading(url, '60s', 1) + soFar)
  t.same(listeners(instance), [0, 0, 0, 0])
})

t.test('invalid options print nothing, and tracking does not count as handling the error', async (t) => {
  const outputStream = recordingStream({ isTTY: true })
  await t.rejects(track(run({ url: 'http://localhost', connections: -1 }), { outputStream }), { code: 'CANNONADE_BAD_OPTION' })
  t.equal(outputStream.text, '')
})

t.test('tracking does not affect callback and promise', async (t) => {
  const { url } = await httpServer(t)
  const heard = []
  const instance = run({ url, connections: 1, amount: 5 }, (error, result) => heard.push(error, result))
  const result = await ended(track(instance, { outputStream: recordingStream() }))
  t.same(heard.length, 2)
  t.equal(heard[1], result)
})

t.test('two concurrent runs on one terminal', async (t) => {
  const { url } = await delayServer(t, 1)
  const outputStream = recordingStream({ isTTY: true })
  const results = await Promise.all([0.3, 0.6].map((duration) => track(run({ url, connections: 1, duration }), { outputStream })))
  const text = shown(outputStream.text)
  for (const result of results) t.ok(text.includes(printResult(result, { outputStream })))
  t.equal(text.trimEnd().length + 1, [heading(url, '0.3s', 1), heading(url, '0.6s', 1), ...results.map((result) => printResult(result, { outputStream }))].join('').length)
})

function canMakeTerminals () {
  try {
    return /util-linux/.test(execFileSync('script', ['--version']))
  } catch {
    return false
  }
}

t.test('on a real terminal with 80 columns', { skip: canMakeTerminals() ? false : 'no script(1) here to make one' }, async (t) => {
  const command = `stty cols 80 rows 24 && ${JSON.stringify(process.execPath)} ${JSON.stringify(TRACKED_RUN)}`
  const { error, stdout } = await new Promise((resolve) => {
    execFile('script', ['-qec', command, '/dev/null'], { timeout: 60_000, killSignal: 'SIGKILL' }, (error, stdout) => resolve({ error, stdout }))
  })
  t.equal(error, null)
  const text = shown(stdout.replaceAll('\r\n', '\n'))
  t.ok(percents(stdout).length >= 1, `${percents(stdout)}`)
  t.match(text, /^Running 0\.6s test @ (http:\/\/127\.0\.0\.1:\d+)\n2 connections\n\n\n\1 \(\d{4}-.* UTC\)\n\n┌/)
  t.match(text, /Req\/Bytes counts sampled every 0\.2 seconds\.\n# of samples: \d+\n\n[\d,]+ of [\d,]+ requests answered in \d[\d.]* s, [\d.]+ \w+ read\n/)
  t.notMatch(text, 'running [')
  for (const line of text.split('\n')) t.ok(line.length <= 80, line)
  t.notMatch(stdout, '\u001b[?', 'no mode of the terminal was changed')
})

t.test('in a pipe the same run prints no control characters', async (t) => {
  const { stdout, stderr } = await new Promise((resolve) => {
    execFile(process.execPath, [TRACKED_RUN], { timeout: 60_000, killSignal: 'SIGKILL' }, (error, stdout, stderr) => resolve({ error, stdout, stderr }))
  })
  t.equal(stdout, '')
  t.match(stderr, /^Running 0\.6s test @ (.*)\n2 connections\n\n\1 \(\d{4}-.* UTC\): [\d,]+ of [\d,]+ requests answered in .*\n┌/)
  t.notMatch(stderr.replaceAll('\n', ''), /\p{Cc}/u)
})

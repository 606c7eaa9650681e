'use strict'

// WebSocket clients send messages, so reports on them don't say "requests".

const t = require('tap')
const { printResult, run, toHTML, toJUnit, toMarkdown } = require('../..')
const { BarDisplay, FullScreenDisplay, PlainDisplay } = require('../../lib/report/live/displays')
const headline = require('../../lib/report/headline')
const { compareResults } = require('../../lib/study/compare/comparison-result')
const { liveRun, livePage } = require('../../lib/report/html/live')
const { samplesOf } = require('../../lib/report/run/samples')
const { simulate } = require('../simulation/world')

const TERMINAL = { isTTY: true, columns: 120, write () {}, hasColors: () => false, getColorDepth: () => 1 }
// The visible text and the charts' data: without scripts, styles, and the names of options and fields.
const seen = (page) => page.replace(/<(script(?! type="application\/json")|style)[\s\S]*?<\/(script|style)>|<code>[\s\S]*?<\/code>| id="requests"/g, '')
const WORD = /.{0,60}\breq(uests?)?\b.{0,40}/gi

const RUNS = {
  'in the closed model': { connections: 2, duration: 2, pipelining: 2, requests: [{ body: 'a' }, { body: 'b', title: 'the other' }] },
  'in the open one, too much': { connections: 1, overallRate: 500, duration: 2, timeout: 1, expectBody: 'no', thresholds: ['p99 < 1.1s'] },
  'slower than they are expected': { connections: 1, amount: 5, websocket: { expect: 'reply' }, timeout: 0.002 },
  stopped: { connections: 1, amount: 500, pipelining: 5 }
}

async function resultsOf (runs) {
  const { value } = await simulate({}, async (world) => {
    const { url } = world.server({ websocket: 'echo', serviceTime: 5 })
    const results = []
    for (const [name, opts] of Object.entries(runs)) {
      const instance = run({ url, body: 'hello', ...opts })
      if (name === 'stopped') world.after(100, instance.stop)
      results.push(await instance)
    }
    return [...results, await run({ url: 'ws://10.9.9.9:1', duration: 0.2 })]
  })
  return value
}

t.test('no report of messages says "requests"', async (t) => {
  const results = await resultsOf(RUNS)
  for (const [index, result] of results.entries()) {
    const name = Object.keys(RUNS)[index] ?? 'without a server'
    t.notMatch(seen(toHTML(result)).match(WORD), /./, `${name}: the page`)
    t.notMatch(printResult(result, { outputStream: TERMINAL, renderLatencyTable: true, renderStatusCodes: true }).match(WORD), /./, `${name}: on a terminal`)
    t.notMatch(toMarkdown(result).match(WORD), /./, `${name}: Markdown`)
    t.notMatch(toJUnit(result).match(WORD), /./, `${name}: JUnit`)
    t.notMatch([...result.warnings, ...Object.values(result.errorCodes)].map(({ message }) => message).join('\n').match(WORD), /./, `${name}: messages`)
  }
  t.notMatch(seen(toHTML(results)).match(WORD), /./, 'all of them together')
  const compared = compareResults([[results[0]], [results[0]]])
  const row = { demanded: 50, targets: [{ name: 's', achieved: 50, p50: 1, p99: 2 }] }
  const swept = { kind: 'sweep', knee: null, stoppedBy: null, rows: [row, { ...row, demanded: 100 }], targets: [{ name: 's', url: 'ws://s' }], ratesOf: 'messages', warnings: [] }
  for (const study of [compared, swept]) t.notMatch(seen(toHTML(study)).match(WORD), /./, 'a study')
  t.match(seen(toHTML(compared)), 'messages per second')
  const [closed, open] = results
  t.match(seen(toHTML(closed)), /Messages\/s[\s\S]*Message 1[\s\S]*the other[\s\S]*Messages per second over time/)
  t.match(printResult(open, { outputStream: TERMINAL }), /Msg\/Sec[\s\S]*332 of 1,000 messages completed in 2 s/)
  t.match(printResult(open, { outputStream: { write () {} } }), /Req\/Sec[\s\S]*Req\/Bytes counts sampled/, 'programs find the text that they match')
})

t.test('nor does the progress', async (t) => {
  const opts = { url: 'ws://localhost:1', amount: 100, duration: 10, connections: 1, pipelining: 1 }
  t.equal(headline(opts)[0], 'Running 100 messages test @ ws://localhost:1')
  t.match(headline({ ...opts, url: 'localhost:1', socketio: {} })[0], '100 messages')
  t.match(headline({ ...opts, url: 'http://localhost:1' })[0], '100 requests')
  const tick = { counter: 50, time: 5, requests: 50, sent: 50, errors: 0, p50: 1, p99: 2, connections: 1 }
  const lines = []
  const print = (text) => lines.push(text)
  const colors = new Proxy({}, { get: () => String })
  new PlainDisplay({ print }, { statusInterval: 5 }, opts).update(tick)
  const stream = { ...TERMINAL, rows: 30, write: print }
  const line = { stream, draw: (owner, text) => print(text), release () {}, hold: () => true, letGo () {} }
  for (const display of [new BarDisplay({ line }, { progressBarString: '' }, opts), FullScreenDisplay.on({ line, colors }, {}, opts)]) {
    display.update(tick)
    display.bar?.stop()
    print(display.bar?.below ?? '')
    display.end()
  }
  const shown = lines.join('\n')
  t.match(shown, /^5s: 50 messages, 10 msg\/s[\s\S]*10 msg\/s[\s\S]*messages\/s/)
  t.notMatch(shown.match(WORD), /./)
})

t.test('nor the dashboard', (t) => {
  const { page } = livePage({ url: 'ws://localhost:1' })
  t.notMatch(seen(page).match(WORD), /./)
  t.match(page, 'Messages/s')
  t.match(livePage({ title: 'a study' }).page, 'Requests/s')
  const sample = { time: 1, requests: 5, bytes: 10, errors: 0, connections: 1, p50: 1, p90: 1, p99: 1, max: 1, statuses: {}, messages: { sent: 5, received: 5 } }
  t.notMatch(seen(liveRun(samplesOf({ timeline: [sample, { ...sample, time: 2 }], sampleInt: 1000 })).markup).match(WORD), /./)
  t.end()
})

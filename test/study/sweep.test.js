'use strict'

const t = require('tap')
const { CODES } = require('../../lib/base/errors')
const sweep = require('../../lib/study/sweep')
const { simulate } = require('../simulation/world')
const { httpServer } = require('../support/servers')

const QUICK = { duration: 0.3, pause: 0.01 }
const codesOf = ({ warnings }) => warnings.map(({ code }) => code)

/** A sweep of servers of a simulated world; `use` does something with the study. */
async function swept (servers, settings, optsOf, use = () => {}) {
  const { value } = await simulate({}, (world) => {
    const urls = servers.map((server, index) => world.server({ host: `10.0.0.${index + 1}`, ...server }).url)
    const study = sweep(optsOf(urls, world), settings)
    use(study)
    return study
  })
  return value
}

t.test('rates run in ascending order, with a row for each, and the knee is at the capacity', async (t) => {
  const emitted = []
  // Four at a time in 20 ms are 200/s.
  const { rows, knee, ...result } = await swept([{ slots: 4, serviceTime: 20 }], { rates: { from: 50, to: 350, step: 100 }, duration: 1.6, pause: 0.05 }, ([url]) => ({ url, connections: 60 }), (study) => {
    t.ok(Math.abs(study.seconds - (4 * 1.65 - 0.05)) < 1e-9)
    study.on('row', (row, results) => emitted.push([row, results.length]))
  })
  t.same(rows.map(({ demanded }) => demanded), [50, 150, 250, 350])
  t.same(emitted, rows.map((row) => [row, 1]))
  t.match(result, { kind: 'sweep', stoppedBy: null, duration: 1.6, targets: [{ url: 'http://10.0.0.1:80' }] })
  t.match(rows[0].targets[0], {
    name: '10.0.0.1', keepsUp: true, limitedBy: null, errors: 0, errorPercent: 0, non2xx: 0, timeouts: 0, replyRate: { min: Number, avg: Number, max: Number, stddev: Number }
  })
  for (const field of ['achieved', 'sustained', 'requestRate', 'connectionRate', 'responseTime', 'serviceTime', 'timeToFirstByte', 'p50', 'p90', 'p99', 'netIO', 'completed']) {
    t.type(rows[0].targets[0][field], 'number', field)
    t.ok(rows[0].targets[0][field] > 0, field)
  }
  const last = rows.at(-1).targets[0]
  t.equal(last.keepsUp, false)
  t.ok(Math.abs(last.sustained - 200) <= 4, `${last.sustained}, and 200 is all there is`)
  t.equal(knee.rate, 150)
  t.equal(knee.beyond, 250)
})

t.test('several targets: alternating order, distinct names, a knee for each', async (t) => {
  const [a, b] = [await httpServer(t), await httpServer(t)]
  const runs = []
  const study = sweep([{ url: a.url, title: 'a' }, { url: b.url, title: 'b' }, { url: b.url, title: 'b' }], { ...QUICK, rates: [40, 20, 20], duration: 0.1 })
  study.on('run', (result, { target, name, demanded }) => runs.push([target, name, demanded]))
  const { rows, knee, targets } = await study
  t.same(runs, [[0, 'a', 20], [1, 'b (1)', 20], [2, 'b (2)', 20], [2, 'b (2)', 40], [1, 'b (1)', 40], [0, 'a', 40]])
  t.same(rows.map(({ targets }) => targets.map(({ name }) => name)), new Array(2).fill(['a', 'b (1)', 'b (2)']))
  t.equal(knee.length, 3)
  t.equal(targets.length, 3)
})

t.test('a generator with too few connections says so, instead of blaming the server', async (t) => {
  const { rows, knee, ...result } = await swept([{ slots: 50, serviceTime: 20 }], { rates: [20, 400], duration: 0.5, pause: 0.05 }, ([url]) => ({ url, connections: 2 }))
  const [, { targets: [row] }] = rows
  t.match(row, { keepsUp: false, limitedBy: 'connections' })
  t.match(row.reasons.join(), /2 connections were busy/)
  t.ok(codesOf(result).includes('CONNECTIONS_LIMIT'))
  if (knee !== null) t.equal(knee.limitedBy, 'connections')
})

t.test('a generator that is slow because of its own code says so', async (t) => {
  const { rows: [, { targets: [row] }] } = await swept([{ serviceTime: 1 }], { rates: [5, 400], duration: 0.5, pause: 0.05 }, ([url], world) => ({
    url,
    connections: 20,
    requests: [{
      setupRequest (request) {
        world.hold(10)
        return request
      }
    }]
  }))
  t.match(row, { keepsUp: false, limitedBy: 'generator', saturated: true })
})

t.test('stopWhen ends it after the first row in which all targets are past a limit', async (t) => {
  const settings = { rates: [5, 100, 120, 140], ...QUICK, duration: 0.4 }
  const slow = { slots: 1, serviceTime: 100 }
  const fast = { serviceTime: 1 }
  const opts = (urls) => urls.map((url) => ({ url, connections: 20, timeout: 1 }))
  const ratio = await swept([slow], { ...settings, stopWhen: { achievedRatio: '50%' } }, opts)
  t.equal(ratio.stoppedBy, 'achievedRatio')
  t.same(ratio.rows.map(({ demanded }) => demanded), [5, 100])
  t.match(await swept([slow], { ...settings, stopWhen: { p99: '50ms' } }, opts), { stoppedBy: 'p99', rows: { length: 1 } })
  t.match(await swept([slow, fast], { ...settings, rates: [5, 100], stopWhen: { p99: 60 } }, opts), { stoppedBy: null, rows: { length: 2 } })
  t.match(await swept([{ attempt: () => 'refuse' }], { ...settings, stopWhen: { errorRate: 0.1 } }, opts), { stoppedBy: 'errorRate', rows: { length: 1 }, knee: [null] })
})

t.test('stop() and a signal end it with the complete rows', async (t) => {
  const { url } = await httpServer(t)
  const study = sweep([{ url }, { url, title: 'b' }], { rates: { from: 10, to: 1000, step: 10 }, ...QUICK, duration: 0.1 })
  let runs = 0
  study.on('run', () => { if (++runs === 3) process.nextTick(study.stop) })
  const result = await study
  t.match(result, { stoppedBy: 'stop', rows: { length: 1 } })
  t.match(result.warnings.find(({ code }) => code === 'NO_KNEE').message, /the rates above were not run/)

  const started = performance.now()
  const signal = AbortSignal.timeout(100)
  const aborted = await sweep({ url, signal }, { rates: [10, 20], duration: 30 })
  t.match(aborted, { stoppedBy: 'stop', rows: { length: 0 }, knee: null })
  t.ok(performance.now() - started < 10000)
})

t.test('rates are computed by index, not by addition, so that the last one is included', async (t) => {
  const { rates } = require('../../lib/study/sweep/settings')
  t.same(rates.read({ from: 0.1, to: 0.5, step: 0.1 }, 'rates'), [0.1, 0.2, 0.3, 0.4, 0.5])
  t.same(rates.read({ from: 100, to: 450, step: 100 }, 'rates'), [100, 200, 300, 400])
  t.same(rates.read({ from: 5, to: 5, step: 1 }, 'rates'), [5])
  t.same(rates.read([300, '100', 200, 100], 'rates'), [100, 200, 300])
})

t.test('a sweep without rates, and other invalid input, is one sentence before anything is sent', async (t) => {
  const server = await httpServer(t)
  const { url } = server
  const good = { rates: [10] }
  const bad = [
    [{ url }, undefined, /rates must be an object \{ from, to, step \}, or an array/],
    [{ url }, { rates: { from: 10, to: 20, step: 0 } }, /rates\.step must be a number greater than 0/],
    [{ url }, { rates: { from: 10, to: 20, step: -1 } }, /rates\.step/],
    [{ url }, { rates: { from: 10, to: 20 } }, /rates\.step/],
    [{ url }, { rates: { from: 20, to: 10, step: 1 } }, /rates\.to must be at least rates\.from, which is 20; got 10/],
    [{ url }, { rates: { from: 0, to: 10, step: 1 } }, /rates\.from/],
    [{ url }, { rates: { from: 1, to: 1e9, step: 1 } }, /rates\.step must be large enough for at most 10000 rates/],
    [{ url }, { rates: [] }, /rates/], [{ url }, { rates: [10, 'x'] }, /rates\[1\]/], [{ url }, { rates: [0] }, /rates\[0\]/], [{ url }, { rates: 5 }, /rates/],
    [{ url }, { ...good, duration: 0 }, /duration/], [{ url }, { ...good, pause: -1 }, /pause/],
    [{ url }, { ...good, stopWhen: { p98: 5 } }, /stopWhen has no limit called 'p98': did you mean p99\?/],
    [{ url }, { ...good, stopWhen: { errorRate: 5 } }, /stopWhen\.errorRate must be a share/],
    [{ url }, { ...good, stopWhen: { p99: 'x' } }, /stopWhen\.p99/], [{ url }, { ...good, stopWhen: 5 }, /stopWhen/],
    [{}, good, /url or socketPath/], [[], good, /the options/], [[{ url }, {}], good, /url or socketPath/], [5, good, /the options/],
    [{ url, overallRate: 5 }, good, /overallRate cannot be given here: a sweep sets the rate itself/],
    [{ url, amount: 5 }, good, /amount cannot be given here/], [{ url, forever: true }, good, /forever/], [{ url, thinkTime: 1 }, good, /thinkTime/]
  ]
  for (const [opts, settings, message] of bad) await t.rejects(sweep(opts, settings), { code: CODES.BAD_OPTION, message })
  t.equal(server.connections, 0)
  t.match(await sweep({ url, conections: 5 }, { ...QUICK, ...good, pauze: 5 }), { warnings: [{ message: /did you mean 'pause'/ }, { message: /did you mean 'connections'/ }] })
})

t.test('there are 100 connections by default, as in a capacity search', async (t) => {
  const { url } = await httpServer(t)
  const used = async (opts) => {
    const study = sweep(opts, { rates: [20], duration: 0.1, pause: 0 })
    const seen = []
    study.on('begin', (instance) => seen.push(instance.opts.connections))
    await study
    return seen
  }
  t.same(await used({ url }), [100])
  t.same(await used([{ url, connections: 3 }, { url }]), [3, 100])
})

'use strict'

const t = require('tap')
const { CODES } = require('../../lib/base/errors')
const { printResult, toCSV } = require('../..')
const toHTML = require('../../lib/report/html')
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
  const runs = []
  const targetsAt = ([a, b]) => [{ url: a, title: 'a' }, { url: b, title: 'b' }, { url: b, title: 'b' }]
  const { rows, knee, targets } = await swept([{ serviceTime: 1 }, { serviceTime: 1 }], { ...QUICK, rates: [40, 20, 20], duration: 0.1 }, targetsAt, (study) => {
    study.on('run', (result, { target, name, demanded }) => runs.push([target, name, demanded]))
  })
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
  t.match(await swept([slow], { ...settings, stopWhen: { p99: '50ms', errorRate: undefined, achievedRatio: null } }, opts), { stoppedBy: 'p99', rows: { length: 1 } })
  t.match(await swept([slow, fast], { ...settings, rates: [5, 100], stopWhen: { p99: 60 } }, opts), { stoppedBy: null, rows: { length: 2 } })
  t.match(await swept([{ attempt: () => 'refuse' }], { ...settings, stopWhen: { errorRate: 0.1 } }, opts), { stoppedBy: 'errorRate', rows: { length: 1 }, knee: [null] })
})

t.test('stop() and a signal end it with the complete rows', async (t) => {
  let runs = 0
  const result = await swept([{ serviceTime: 1 }], { rates: { from: 10, to: 1000, step: 10 }, ...QUICK, duration: 0.1 }, ([url]) => [{ url }, { url, title: 'b' }], (study) => {
    study.on('run', () => { if (++runs === 3) process.nextTick(study.stop) })
  })
  t.match(result, { stoppedBy: 'stop', rows: { length: 1 } })
  t.match(result.warnings.find(({ code }) => code === 'NO_KNEE').message, /the rates above were not run/)

  const { url } = await httpServer(t)
  const started = performance.now()
  const signal = AbortSignal.timeout(100)
  const aborted = await sweep({ url, signal }, { rates: [10, 20], duration: 60 })
  t.match(aborted, { stoppedBy: 'stop', rows: { length: 0 }, knee: null })
  t.ok(performance.now() - started < 60_000)
})

t.test('samples are as long as the options say, or else a tenth of a run', async (t) => {
  const used = []
  await swept([{ serviceTime: 5 }, { serviceTime: 5 }], { rates: [50], duration: 0.5, pause: 0 }, (urls) => urls.map((url, index) => ({ url, connections: 2, ...(index === 0 && { sampleInt: 77 }) })),
    (study) => study.on('begin', ({ opts }) => used.push(opts.sampleInt)))
  t.same(used, [77, 50])
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
  t.match(await swept([{ serviceTime: 1 }], { ...QUICK, ...good, pauze: 5 }, ([url]) => ({ url, conections: 5 })), { warnings: [{ message: /did you mean 'pause'/ }, { message: /did you mean 'connections'/ }] })
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

t.test('users as the axis: throughput and response time by number of connections, and the knee is at the number of places', async (t) => {
  const runs = []
  // Eight places of 20 ms: up to eight users, each gets a response every 20 ms; more of them share 400 responses a second.
  const { rows, knee, stoppedBy, axis } = await swept([{ slots: 8, serviceTime: 20 }], { connections: { from: 1, to: 32 }, duration: 2, pause: 0.05 }, ([url]) => ({ url }), (study) => {
    study.on('run', (result, { target, name, connections }) => runs.push([target, name, connections, result.connections]))
  })
  t.same({ axis, stoppedBy }, { axis: 'connections', stoppedBy: null })
  const numbers = [1, 2, 3, 5, 8, 12, 18, 27, 32]
  t.same(rows.map(({ connections }) => connections), numbers)
  t.same(runs, numbers.map((number) => [0, '10.0.0.1', number, number]))
  for (const { connections, targets: [{ achieved, p50, errors, keepsUp, limitedBy, saturated }] } of rows) {
    t.same({ errors, keepsUp, limitedBy, saturated }, { errors: 0, keepsUp: null, limitedBy: null, saturated: false })
    const most = Math.min(connections, 8) / 0.02
    t.ok(achieved <= most && achieved >= most - connections / 2 - 1, `${connections} users: ${achieved} of ${most}`)
    t.ok(Math.abs(p50 - Math.max(20, connections / 8 * 20)) <= 20, `${connections} users: ${p50} ms`)
  }
  t.match(knee, { name: '10.0.0.1', connections: 8, beyond: 12, reason: 'throughput', limitedBy: 'server' })
})

t.test('users as the axis: what people and spreadsheets see of it', async (t) => {
  const result = await swept([{ slots: 2, serviceTime: 20 }], { connections: [1, 2, 4, 8], duration: 1, pause: 0 }, ([url]) => ({ url }))
  const text = printResult(result, { outputStream: {} })
  t.match(text.replace(/\s+/g, ' '), 'The knee of 10.0.0.1 is at 2 connections (98 requests per second, p50 20 ms, p99 20 ms): with 4 latency grows more than throughput.')
  t.match(text, /│ Connections │ Achieved +│ p50 +│ p99 +│ Failures │/)
  t.notMatch(text, /Kept up|Demanded/)
  const page = toHTML(result)
  const [throughput, latency] = ['achieved-by-rate', 'latency-by-rate'].map((id) => JSON.parse(/<script type="application\/json"[^>]*>([^]*?)<\/script>/.exec(page)[1]).find((chart) => chart.id === id))
  t.same(throughput.data[0], [1, 2, 4, 8])
  const [, achieved, alone] = throughput.data
  t.same(alone, [achieved[0], 2 * achieved[0], null, null], 'as if no user waited for others, as far as that is near')
  t.match(throughput, { x: { label: 'connections' }, lines: [{ x: 2, label: 'knee 2' }] })
  t.same(latency.data[0], [1, 2, 4, 8])
  t.same(toCSV(result).split('\n').map((line) => line.split(',')[0]), ['connections', '1', '2', '4', '8', ''])
  t.throws(() => toCSV(result, { columns: 'autobench' }), { code: CODES.BAD_OPTION })
})

t.test('a target that exceeds one limit, and then another, is stopped by the first one', async (t) => {
  // The first target becomes slow at 40/s and fails at 60/s, the second one fails at 80/s.
  const behavior = { a: { 40: { serviceTime: 30 }, 60: { status: 500 } }, b: { 80: { status: 500 } } }
  const { value: { stoppedBy, rows } } = await simulate({}, (world) => {
    const now = { a: {}, b: {} }
    const servers = ['a', 'b'].map((name, index) => world.server({ host: `10.0.0.${index + 1}`, serviceTime: () => now[name].serviceTime ?? 1, answer: () => now[name].status ?? 200 }))
    const study = sweep(servers.map(({ url }, index) => ({ url, title: 'ab'[index] })), { rates: [20, 40, 60, 80, 100], duration: 0.2, pause: 0, stopWhen: { failureRate: '10%', p99: 20 } })
    study.on('begin', (instance, { name, demanded }) => { now[name] = behavior[name][demanded] ?? {} })
    return study
  })
  t.same([rows.length, stoppedBy], [4, 'p99, failureRate'])
})

t.test('two targets that respond at some of the rates: where the sweep ends, and what it says', async (t) => {
  const RATES = [20, 40, 60]
  const patterns = Array.from({ length: 8 }, (_, number) => RATES.map((_, row) => (number >> row & 1) === 1))
  // A target that has responded before and no longer does is done with; one that has never responded may still begin to.
  const doneAt = (responds) => responds.findIndex((does, row) => !does && responds.slice(0, row).includes(true))
  const warningOf = (name, responds) => {
    const since = responds.lastIndexOf(true) + 1
    if (since === responds.length) return []
    return [since === 0 ? `${name} did not respond at all` : `${name} stopped responding at ${RATES[since]} requests per second`]
  }
  for (const a of patterns) {
    for (const b of [[true, true, true], [true, false, false], [false, false, true]]) {
      const { rows, stoppedBy, warnings } = (await simulate({}, (world) => {
        const servers = [1, 2].map((host) => world.server({ host: `10.0.0.${host}`, serviceTime: 1 }))
        const study = sweep(servers.map(({ url }, index) => ({ url, title: 'ab'[index] })), { rates: RATES, duration: 0.1, pause: 0 })
        study.on('begin', (instance, { target, demanded }) => {
          if ([a, b][target][RATES.indexOf(demanded)]) servers[target].accept()
          else servers[target].refuse()
        })
        return study
      })).value
      const ends = [a, b].map(doneAt)
      const length = ends.includes(-1) ? RATES.length : Math.max(...ends) + 1
      const silent = warnings.filter(({ code }) => code === 'NO_ANSWER' || code === 'SERVER_GONE').map(({ message }) => message.replace(/ \(.*/, ''))
      t.same([rows.length, stoppedBy, silent.sort()], [length, ends.includes(-1) ? null : 'no answer', ['a', 'b'].flatMap((name, index) => warningOf(name, [a, b][index].slice(0, length)))], `${a} and ${b}`)
    }
  }
})

t.test('users as the axis: pauses between requests, sessions, errors, silence, limits', async (t) => {
  // A user who thinks for 80 ms keeps a place busy for a fifth of the time: two places are enough for ten users.
  const thinking = await swept([{ slots: 2, serviceTime: 20 }], { connections: [1, 5, 10, 20, 40], duration: 2, pause: 0 }, ([url]) => ({ url, thinkTime: 0.08 }))
  t.match(thinking.knee, { connections: 10, beyond: 20, reason: 'throughput' })
  const sessions = await swept([{ slots: 4, serviceTime: 10 }], { connections: [1, 4, 16], duration: 2, pause: 0 }, ([url]) => ({ url, sessions: { calls: 2 } }))
  t.same(sessions.ratesOf, 'sessions')
  t.ok(Math.abs(sessions.rows[0].targets[0].achieved - 50) <= 2, 'a session of two calls takes 20 ms')
  const limited = await swept([{ slots: 4, serviceTime: 20 }], { connections: [1, 4, 16, 64], duration: 1, pause: 0, stopWhen: { p99: 50 } }, ([url]) => ({ url }))
  t.same([limited.stoppedBy, limited.rows.length], ['p99', 3])
  const few = await swept([{ slots: 4, serviceTime: 20 }], { connections: [1, 2, 3], duration: 1, pause: 0 }, ([url]) => ({ url }))
  t.equal(few.knee, null)
  t.match(few.warnings.find(({ code }) => code === 'NO_KNEE').message, /^Up to 3 connections 10\.0\.0\.1 shows no knee: sweep higher to find it\.$/)
})

t.test('users as the axis: what cannot be asked', async (t) => {
  const refused = (settings, message, opts = { url: 'localhost:1' }) => t.rejects(sweep(opts, settings), { code: CODES.BAD_OPTION, message })
  await refused({ rates: [1], connections: [1] }, /^rates and connections cannot be given together: a sweep steps through one of them$/)
  await refused({ connections: [] }, /^connections must be .*got \[\]$/)
  await refused({ connections: [1.5] }, /^connections\[0\] must be/)
  await refused({ connections: { from: 5, to: 1 } }, /^connections\.to must be at least connections\.from, which is 5; got 1$/)
  await refused({ connections: { from: 1, to: 50000, step: 1 } }, /^connections\.step must be large enough for at most 10000 numbers/)
  await refused({ connections: [1], stopWhen: { achievedRatio: '90%' } }, /^stopWhen\.achievedRatio and connections cannot be given together/)
  await refused({ connections: [1] }, /^overallRate cannot be given here: in a sweep of connections/, { url: 'localhost:1', overallRate: 5 })
  await refused({ connections: [1] }, /^connections cannot be given here: the sweep sets them/, { url: 'localhost:1', connections: 5 })
})

t.test('a sweep that a limit ended is not advised to go on', async (t) => {
  for (const [stopWhen, rates, about] of [[{ failureRate: '5%' }, [20, 40], 'the rates above were not run'], [{ failureRate: '60%' }, [20, 40], 'sweep higher to find it']]) {
    const { value } = await simulate({ seed: 1 }, (world) =>
      sweep({ url: world.server({ serviceTime: 5, answer: ({ number }) => number % 2 === 0 ? 500 : 200 }).url }, { rates, duration: 0.5, pause: 0, stopWhen }))
    t.equal(value.warnings.find(({ code }) => code === 'NO_KNEE').message, `Up to ${value.rows.at(-1).demanded} requests per second 10.0.0.1 shows no knee: ${about}.`)
  }
})

'use strict'

// Where a broadcast jams, in worlds in which it can be computed, and once with real sockets.

const fs = require('node:fs')
const t = require('tap')
const { findJamming, printResult, startServer, toCSV, toHTML } = require('../..')
const { CODES } = require('../../lib/base/errors')
const { jammingDocument } = require('../../lib/report/study/jamming')
const { jammingResult } = require('../../lib/study/jamming/jamming-result')
const { recoveredAfter } = require('../../lib/study/jamming/point')
const { runCommand } = require('../cli/command')
const { simulate } = require('../simulation/world')
const { serverFrame } = require('../simulation/world/websocket')
const { flawsOfStudy } = require('../support/schemas')

const codesOf = ({ warnings }) => warnings.map(({ code }) => code)

// Each copy takes the server 1 ms, one after the other: it sends at most 1,000 messages/s.
const WALL = 1000
const walled = { websocket: 'broadcast', slots: 1, serviceTime: ({ peer }) => peer.server.openConnections.length }
// 250, 450, 650, 850, 1,050 … outgoing messages per second.
const STAIRS = { connections: [5, 10], duration: 2, pause: 1, drain: 3, limit: '45ms', start: (count) => 250 / count, step: (count) => 200 / count, maxRate: (count) => 3000 / count }

/** The result of the study for a simulated server. */
async function jam (server, settings, { opts, client, story } = {}) {
  const { value, world } = await simulate({ seed: 1, limit: 3600, client }, (world) => {
    const made = world.server(server)
    story?.(world, made)
    return findJamming({ url: made.url, ...(typeof opts === 'function' ? opts(world) : opts) }, { ...STAIRS, ...settings })
  })
  return { result: checked(value), world }
}

function checked (result) {
  const flaws = flawsOfStudy(result)
  if (flaws.length > 0) throw new Error(flaws.join('; '))
  return result
}

// Used by several tests.
let found

t.before(() => { found = jam(walled, {}) })

t.test('the jamming point is found for each number of connections, and the recovery time', async (t) => {
  const { result, world } = await found
  t.match(result, { kind: 'jamming', threshold: { outgoing: 1050, spread: [1050, 1050] }, limitedBy: 'server', reasons: [], payloads: [], warnings: [] })
  t.match(result.levels.map(({ connections }) => connections), [5, 10])
  for (const { connections, baseline, points, knee, failure, lastGood, recovery, limitedBy } of result.levels) {
    t.ok(Math.abs(baseline - connections) <= 0.002, 'idle, a message takes 1 ms for each copy')
    t.same(points.map(({ outgoing }) => outgoing), [250, 450, 850, 1050, 1250, 1650], '850 doubles to 1,650, and is bisected')
    t.same({ knee, failure, lastGood, limitedBy }, {
      knee: { rate: 1050 / connections, outgoing: 1050, reason: 'latency' },
      failure: null,
      lastGood: { rate: 850 / connections, outgoing: 850 },
      limitedBy: 'server'
    })
    for (const point of points) {
      t.equal(point.sent, 2 * point.rate)
      t.match(point, { received: point.sent * connections, lost: 0, drops: 0, ratio: 1, saturated: false, atLeast: [] })
      if (point.outgoing < WALL) t.ok(point.max <= connections + 0.002 && point.p50 >= connections - 0.002)
    }
    // In 2 s, copies of 100 messages accumulate, so the last one waits 100 ms, and the one in the middle 50 ms.
    const { max, p50 } = points.find(({ outgoing }) => outgoing === knee.outgoing)
    t.ok(Math.abs(max - connections - 100) < 2 * connections && Math.abs(p50 - connections - 50) < connections, `${p50}`)
    // These 100 ms of work are done with the 15% of capacity that 850/s leave, in 0.67 s; samples are 0.2 s long.
    t.equal(recovery.rate, 850 / connections)
    t.ok(recovery.seconds > 0.45 && recovery.seconds <= 0.9, `${recovery.seconds} s`)
  }
  t.same(world.leftovers, [])
  t.equal(result.threshold.outgoing - 200 < WALL && WALL < result.threshold.outgoing, true, 'the jamming point lies between the last good point and the knee')
})

t.test('undelivered messages and lost connections are failures', async (t) => {
  // From 20 messages/s on, the first connection of the server receives no copies anymore.
  const deaf = {
    websocket: ({ peer, method, path, numberOnConnection }) => {
      const all = peer.server.openConnections.filter(({ isUpgraded }) => isUpgraded)
      return (numberOnConnection > 15 ? all.slice(1) : all).map((to) => ({ to, frame: serverFrame(method, path) }))
    }
  }
  const { result } = await jam(deaf, { connections: 2, duration: 1, drain: 0.5, start: 10, step: 30, maxRate: 100 })
  t.match(result, { levels: [{ points: [{ lost: 0 }, { rate: 40, ratio: Number }], knee: { rate: 40, reason: 'undelivered' }, failure: { rate: 40, outgoing: 80, reason: 'undelivered' }, lastGood: { rate: 10 } }] })
  t.ok(result.levels[0].points[1].lost > 0)
  t.ok(result.levels[0].points[1].atLeast.includes('lastCopyP99'))
  t.match(printResult(result), /≥.*no: undelivered/)
  const dropping = { ...walled, answer: ({ numberOnConnection }) => numberOnConnection > 90 ? 'end' : 200 }
  const { result: dropped } = await jam(dropping, { connections: 1, duration: 1, start: 60, step: 60, maxRate: 200 })
  t.match(dropped, { levels: [{ knee: { rate: 120, reason: 'connection lost' }, failure: { rate: 120, reason: 'connection lost' }, points: { length: 2 }, lastGood: { rate: 60 } }] })
  t.ok(dropped.levels[0].points[1].drops > 0)
  // Each count is in its own column.
  for (const each of [result, dropped]) {
    const { columns, rows } = jammingDocument(each, {}).sections[2].parts[0].table
    const shown = rows.map((row) => ['Lost', 'Drops'].map((name) => row[columns.findIndex((column) => column.name === name)].value))
    t.same(shown, each.levels[0].points.map(({ lost, drops }) => [lost, drops]))
  }
})

t.test('a load generator that jams is not mistaken for the server', async (t) => {
  // Reading a copy takes it 0.5 ms: with ten connections, and sending, that is 5.5 ms per message, or 181 messages/s.
  const opts = (world) => ({
    body: '{"n":"[<id>]"}', idReplacement: true, websocket: { match: (text) => { world.hold(0.5); return JSON.parse(text).n } }
  })
  const { result } = await jam({ websocket: 'broadcast' }, { connections: 10, duration: 1, start: 60, step: 60, maxRate: 600 }, { opts })
  t.match(result, { threshold: null, limitedBy: 'generator', levels: [{ limitedBy: 'generator', knee: { rate: 240 }, lastGood: { rate: 180 }, recovery: null }] })
  t.equal(result.levels[0].points.at(-1).saturated, true)
  t.ok(codesOf(result).includes('GENERATOR_LIMIT'))
  t.match(result.reasons.join(), /load generator/)
  t.match(printResult(result), /The load generator jammed before the server did/)
  // The advice depends on what is already used.
  const said = (workers) => jammingResult({ levels: result.levels, silence: null, study: {} }, { settings: { payload: null }, target: { plan: { workers } }, warnings: [] }, true).warnings[0].message
  t.match(said(null), /: use workers, which read copies in several threads\.$/)
  t.match(said(2), /limited by the cores available/)
})

t.test('no jam below the highest rate, and the payload as another axis', async (t) => {
  const bytes = []
  const costly = { websocket: 'broadcast', slots: 1, serviceTime: ({ peer, path }) => { bytes.push(path.length); return peer.server.openConnections.length * (path.length > 500 ? 2 : 1) } }
  const { result } = await jam(costly, { connections: [5], payload: [20, 1000], limit: '1s', maxRate: (count) => 700 / count })
  const empty = '{"id":"","payload":""}'.length + 28
  t.same([...new Set(bytes)].filter((length) => length > 2).sort((a, b) => a - b), [empty + 20, empty + 1000])
  t.match(result.levels, [{ payload: 20, knee: null, lastGood: { outgoing: 650 }, limitedBy: 'maximum asked for' }, { payload: 1000, knee: { outgoing: 650, reason: 'growing latency' }, lastGood: { outgoing: 450 } }], 'with 1,000 bytes, the wall is at 500/s; in 2 s, times come to 0.46 s, below the limit, and grow until the end')
  t.match(result.payloads, [{ payload: 20, threshold: null, limitedBy: 'maximum asked for' }, { payload: 1000, threshold: { outgoing: 650 }, limitedBy: 'server' }])
  t.match(printResult(result), /With 20 bytes: The server did not jam[^]*With 1,000 bytes: The server jams at 650 outgoing messages per second; at 450,\s+messages arrived in time\./)
  const [head, ...lines] = toCSV(result).trimEnd().split('\n')
  t.equal(head, 'connections,rate,sent,outgoing,received,p50,p99,mean,max,lost,drops,saturated,ratio,lastCopyP50,lastCopyP99,atLeast,reasons,payload')
  t.equal(lines.length, result.levels.flatMap(({ points }) => points).length)
  t.match(lines[0], /^5,50,100,250,500,5[.\d]*,.*,20$/)
  t.match(toCSV(result, { separator: ';' }), /^connections;rate;/)
  t.throws(() => toCSV(result, { columns: 'autobench' }), { code: CODES.BAD_OPTION })
  t.throws(() => toCSV({ kind: 'jamming' }), { code: CODES.BAD_RESULT })
})

t.test('the report has a line for each level, by messages received and by messages sent', async (t) => {
  const { result } = await found
  const chartsOf = (page) => JSON.parse(/<script type="application\/json" id="charts">([^<]*)</.exec(page)[1])
  for (const [settings, scale] of [[undefined, 'linear'], [{ scale: 'log' }, 'log']]) {
    const charts = chartsOf(toHTML(JSON.parse(JSON.stringify(result)), settings))
    t.same(charts.map(({ id, y }) => [id, y.scale]), [['by-received', scale], ['by-sent', scale]])
    t.same(charts[0].series.map(({ name }) => name), ['5 connections', '10 connections', '5 connections, mean', '10 connections, mean'])
    t.same(charts[1].data[0], [250, 450, 850, 1050], 'by messages sent, the lines coincide')
    t.equal(charts[1].lines[0].x, 1050)
    t.same(charts[0].data[0], [25, 45, 50, 85, 90, 105, 170, 210], 'up to the knee')
  }
  t.throws(() => toHTML(result, { scale: 'square' }), { code: CODES.BAD_OPTION, message: /^scale must be 'linear' or 'log'/ })
})

t.test('stopped, or without responses, it says what it knows', async (t) => {
  const { value } = await simulate({ seed: 1 }, (world) => {
    const study = findJamming({ url: world.server(walled).url }, { ...STAIRS, payload: [20, 1000] })
    let points = 0
    return study.on('point', () => { if (++points === 2) study.stop() })
  })
  t.match(checked(value), { threshold: null, limitedBy: null, levels: [{ points: { length: 2 }, knee: null, limitedBy: null }] })
  t.same(value.payloads, [20, 1000].map((payload) => ({ payload, threshold: null, limitedBy: null })))
  t.same(codesOf(value), ['STOPPED'])
  const { result: refused } = await jam({ ...walled, attempt: () => 'refuse' }, { duration: 0.5, drain: 0.5 })
  t.match(refused, { levels: [], threshold: null, limitedBy: null })
  t.ok(codesOf(refused).includes('NO_ANSWER'))
  t.match(printResult(refused), /The threshold is unknown: the search ended before it was found\./)
  const { result: mute } = await jam({ websocket: 'silence' }, { duration: 0.5, drain: 0.5 })
  t.ok(codesOf(mute).includes('NO_ANSWER'), 'a server that never sends a copy has no threshold')
  // During the recovery of the first level.
  const { result: gone } = await jam(walled, { start: 50, step: 160, connections: [5, 10] }, { story: (world, server) => world.after(10_000, () => { server.refuse(); server.resetAll() }) })
  t.ok(codesOf(gone).includes('SERVER_GONE'))
})

t.test('a search that is stopped while a level recovers ends without its recovery', async (t) => {
  const { value } = await simulate({ seed: 1, limit: 3600 }, (world) => {
    const study = findJamming({ url: world.server(walled).url }, { ...STAIRS, connections: 5, start: 50, step: 160 })
    return study.on('begin', (instance, { phase }) => { if (phase.includes('recovery')) instance.stop() })
  })
  const { levels: [{ knee, recovery }] } = checked(value)
  t.ok(knee !== null && recovery === null)
  t.ok(codesOf(value).includes('STOPPED'))
})

t.test('however slow a server is, its copies are awaited until the end of the drain', async (t) => {
  const slow = { ...walled, slots: Infinity, serviceTime: 11_500 }
  const { result } = await jam(slow, { connections: [2], duration: 6, drain: 12, limit: '20s', start: 1, step: 1, maxRate: 2 })
  t.match(result, { threshold: null, limitedBy: 'maximum asked for' })
  t.same(result.levels[0].points.map(({ rate, lost, p99 }) => [rate, lost, p99]), [[1, 0, 11_500], [2, 0, 11_500]])
})

t.test('a server that answered one message has answered', async (t) => {
  const once = { websocket: ({ peer, method, path, number }) => number === 1 ? peer.server.openConnections.map((to) => ({ to, frame: serverFrame(method, path) })) : [] }
  const { result } = await jam(once, { connections: [1], duration: 1, drain: 0.5, start: 4, step: 4, maxRate: 8 })
  t.match(result.levels, [{ points: [{ rate: 4 }], knee: { rate: 4, reason: 'undelivered' } }])
  t.notOk(codesOf(result).includes('NO_ANSWER'))
})

t.test('one slow run is an accident, and no knee', async (t) => {
  // A stall of 150 ms in a step of 0.3 s, at the second of three rates.
  const { result } = await jam(walled, { connections: 2, duration: 0.3, pause: 0, start: 50, step: 50, maxRate: 150 }, { story: (world, server) => world.after(301, () => server.stall(290)) })
  t.match(result, { threshold: null, limitedBy: 'maximum asked for', levels: [{ points: { length: 3 }, knee: null }] })
})

t.test('recovery must last, and silence is no recovery', async (t) => {
  const sample = (time, p50, requests = 1) => ({ time, p50, requests })
  const usual = { p50: 10, p99: 15 }
  t.equal(recoveredAfter([sample(1, 10), sample(2, 90), sample(3, 40), sample(4, 20), sample(5, 10)], 2, usual), 2)
  t.equal(recoveredAfter([sample(3, 10), sample(4, 90), sample(5, 10)], 2, usual), 3)
  t.equal(recoveredAfter([sample(3, 10)], 2, usual), 1)
  t.equal(recoveredAfter([sample(3, 0, 0), sample(4, 21)], 2, usual), null)
  t.equal(recoveredAfter([sample(3, 0, 0)], 2, usual), null)
  t.equal(recoveredAfter([sample(3, 50)], 2, { p50: 10, p99: 60 }), 1)
})

t.test('invalid input is one sentence, before anything is sent', async (t) => {
  const url = 'ws://localhost:1'
  for (const [opts, settings, message] of [
    [undefined, {}, /the options must be an object/],
    [{ url: 'http://localhost:1' }, {}, /url must be a ws:\/\/ or wss:\/\/ URL/],
    [{ url, connections: 5 }, {}, /connections cannot be given here: use the setting connections/],
    [{ url, overallRate: 5 }, {}, /overallRate cannot be given here/], [{ url, timeout: 5 }, {}, /timeout cannot be given here/],
    [{ url, pipelining: 5 }, {}, /pipelining cannot be given here: it is unlimited/],
    [{ url, websocket: { expect: 'reply' } }, {}, /websocket\.expect must be 'broadcast' here/],
    [{ url }, { connections: [] }, /connections must be/], [{ url }, { connections: [5, 0] }, /connections\[1\] must be a whole number, 1 or more/],
    [{ url }, { start: 0 }, /start must be a number greater than 0/], [{ url }, { start: () => 'x' }, /start\(25\) must be/],
    [{ url }, { start: 50, maxRate: 10 }, /maxRate must be at least 50, the first rate with 25 connections/],
    [{ url }, { step: 1e-6 }, /step must be large enough for at most 10000 steps/],
    [{ url }, { limit: 'x' }, /limit must be a number of milliseconds/], [{ url }, { payload: -1 }, /payload must be a whole number/],
    [{ url, body: 'x' }, { payload: 5 }, /payload and body cannot be given together/],
    [{ url, websocket: { match: (text) => text } }, { payload: 5 }, /payload and websocket\.match cannot be given together/]
  ]) await t.rejects(findJamming(opts, settings), { code: CODES.BAD_OPTION, message })
})

t.test('the command: what it prints, and its files', async (t) => {
  const files = t.testdir({})
  const play = async (...argv) => (await simulate({ seed: 1, limit: 3600 }, (world) => {
    world.server(walled)
    return runCommand(t, ['jamming', '-c', '5,10', '--start', 25, '--step', 60, '--max-rate', 300, '-d', 1, '--pause', 0, '--drain', 2, '--limit', '20ms', ...argv, 'ws://10.0.0.1'])
  })).value
  const { code, stderr } = await play('--html', `${files}/jam.html`, '--csv', `${files}/jam.csv`, '--scale', 'log')
  t.equal(code, 0)
  // To 5 connections: 125, 425, 1,025/s, at which the message in the middle waits 12 ms, and 725; to 10: 250, 850, 2,050 and 1,450.
  t.match(stderr, /^Raising the rate until it jams \(at most .*\)\n5 connections, 25\/s: 125\/s outgoing, p50 5[.\d]* ms, .*, good\n/)
  t.match(stderr, /The server jams at 1,238 outgoing messages per second \(1,025 to 1,450\); at 725,/)
  t.match(fs.readFileSync(`${files}/jam.html`, 'utf8'), /round trip \(ms, logarithmic\)/)
  t.match(fs.readFileSync(`${files}/jam.csv`, 'utf8'), /^connections,rate,[^]*\n10,145,/)
  for (const [argv, message] of [[['--scale', 'x'], /^--?scale must be|scale must be/m], [['-c', 'x'], /must be a whole number/], [['--payload', 'x'], /payload/]]) {
    const refused = await play(...argv)
    t.equal(refused.code, 2)
    t.match(refused.stderr, message)
  }
  t.match(JSON.parse((await play('-j')).stdout), { kind: 'jamming', levels: [{ connections: 5 }, { connections: 10 }] })
})

t.test('a real server: counts are exact on any machine', async (t) => {
  const server = await startServer({ port: 0, websocket: 'broadcast' })
  t.teardown(() => server.close())
  const result = checked(await findJamming({ url: server.url }, { connections: [3, 6], start: 20, step: 20, maxRate: 40, duration: 0.3, pause: 0, drain: 5, limit: '1m' }))
  t.match(result, { threshold: null, limitedBy: 'maximum asked for' })
  for (const { connections, points } of result.levels) {
    t.same(points.map(({ rate, sent, received, outgoing, lost, drops }) => ({ rate, sent, received, outgoing, lost, drops })), [
      { rate: 20, sent: 6, received: 6 * connections, outgoing: 20 * connections, lost: 0, drops: 0 },
      { rate: 40, sent: 12, received: 12 * connections, outgoing: 40 * connections, lost: 0, drops: 0 }
    ])
  }
})

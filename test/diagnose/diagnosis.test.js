'use strict'

// Diagnoses computed from artificial recordings with known results.

const { EventEmitter } = require('node:events')
const fs = require('node:fs')
const path = require('node:path')
const { pathToFileURL } = require('node:url')
const t = require('tap')
const { compare, printResult, run, toHTML } = require('../..')
const Diagnosis = require('../../lib/diagnose')
const DiagnosisChannel = require('../../lib/diagnose/channel')
const { diagnosisOf } = require('../../lib/diagnose/diagnosis')
const { toOriginalPlaces } = require('../../lib/diagnose/source-maps')
const { findStalls } = require('../../lib/diagnose/stalls')
const { DIAGNOSER } = require('../../lib/diagnose/target')
const { StartedServer } = require('../../lib/launch/started-server')
const { compareResults } = require('../../lib/study/compare/comparison-result')
const { hotOf } = require('../../lib/study/compare/hot')
const world = require('../../lib/world')
const { runCommand } = require('../cli/command')
const { simulate } = require('../simulation/world')
const { flawsOfStudy } = require('../support/schemas')
const { FRAMES, recording, START, suspendedAfter } = require('./recordings')

const NO_FLIGHTS = { sent: [], ended: [] }
const statistics = (p50) => ({ p50, totalCount: 100 })
const resultOf = ({ p50 = 1, saturated = false, timeline = [] } = {}) => ({
  latency: statistics(p50), serviceTime: statistics(p50), timeToFirstByte: statistics(p50), generator: { saturated }, timeline
})

function diagnose (recordings, { seconds = 1, flights = NO_FLIGHTS, slowest = [], isComplete = true, port = 80, ...result } = {}) {
  return diagnosisOf({ recordings, isComplete, port, startedAt: START, seconds, flights, slowest, result: resultOf(result) })
}

const codesOf = (...args) => diagnose(...args).diagnosis.findings.map(({ code }) => code)
const repeat = (times, ...script) => Array(times).fill(script).flat()

t.test('functions: shares of busy time, of themselves and including their callees', async (t) => {
  const { diagnosis: { processes: [process] } } = diagnose([recording([
    ['emit handle', 100], ['emit handle work', 300], ['emit handle work work', 50], ['emit handle parse', 25], ['gc', 20], ['agent', 30], ['agent native', 10], ['emit handle native', 5], ['idle', 460]
  ], { cpu: 50 })])
  t.match(process, { pid: 100, thread: 0, node: 'v20.0.0', script: '/app/server.js', cpu: { user: 50, system: 0 }, profile: null })
  t.equal(process.eventLoop.utilization, 0.5, 'our own time is excluded')
  t.same(process.hot, [
    { function: 'work', file: '/app/server.js', line: 20, package: null, self: 0.7, total: 0.7 },
    { function: 'handle', file: '/app/server.js', line: 10, package: null, self: 0.2, total: 0.96 },
    { function: 'parse', file: '/app/node_modules/outer/node_modules/@scope/fast/index.js', line: 3, package: '@scope/fast', self: 0.05, total: 0.05 },
    { function: '(garbage collector)', file: null, line: null, package: null, self: 0.04, total: 0.04 },
    { function: 'run', file: null, line: null, package: null, self: 0.01, total: 0.01 }
  ])
})

t.test('only the window of the run counts, for heap and garbage collections as well', async (t) => {
  const { diagnosis: { processes: [{ eventLoop, gc, heap, hot }] }, servers } = diagnose([recording([['parse', 500], ['idle', 500], ['work', 250], ['idle', 750], ['parse', 500]], {
    ahead: 1000, cpu: 20, collections: [[-5, 10], [100, 20], [990, 30], [1200, 50]]
  })], { timeline: [{ time: 0.5, seconds: 0.5 }, { time: 1, seconds: 0.5 }] })
  t.equal(eventLoop.utilization, 0.25)
  t.same(hot.map((each) => each.function), ['work'])
  t.same(gc, { count: 3, total: 35, longest: 20, share: 0.035 })
  t.equal(heap.peak, 1_001_990)
  t.match(servers, [{ utilization: 0.5, gc: 25, cpu: 20 }, { utilization: 0, delay: 0, gc: 10, cpu: 20 }])
  t.equal(servers[0].delay, 250, 'a timer that was due at its beginning waited for all of it')
})

t.test('delay: every timer that was due during a stall waited until it ended', async (t) => {
  const { diagnosis: { processes: [{ eventLoop: { delay } }] } } = diagnose([recording([['idle', 500], ['handle work', 100], ['idle', 400]])])
  // 100, 90, … 10 ms, and 90 on time
  t.match(delay, { totalCount: 100, max: 100, total: 550, p90: 0 })
  const { diagnosis: { processes: [ended] } } = diagnose([recording([['idle', 400], ['handle work', 100]])])
  t.match(ended.eventLoop.delay, { totalCount: 51, total: 550 }, 'no timer was due after its end')
})

t.test('stalls: start, length, cause, and number of waiting requests', async (t) => {
  const counts = (...pairs) => pairs.reduce((list, [ms, count]) => Object.assign(list, { [ms]: count }), Array(1000).fill(0))
  const { diagnosis: { stalls } } = diagnose([recording([
    ['idle', 200], ['emit handle work', 60], ['emit handle parse', 30], ['idle', 110], ['emit handle', 49], ['idle', 151], ['handle', 30], ['gc', 70], ['idle', 300]
  ])], {
    // Two are in flight when it begins and three are sent during it; one ended before it, and one is sent after it.
    flights: { ...NO_FLIGHTS, sent: counts([100, 3], [250, 3], [295, 1]), ended: counts([150, 1], [290, 5], [299, 1]) }
  })
  const frame = (name, line) => ({ function: name, file: '/app/server.js', line })
  t.match(stalls, [
    { pid: 100, thread: 0, at: 0.2, duration: 90, kind: 'code', stack: [frame('handle', 10), frame('work', 20)], waiting: 5 },
    { at: 0.6, duration: 100, kind: 'gc', stack: [frame('handle', 10)], waiting: 0 }
  ])
  t.equal(stalls.length, 2, '49 ms are not a stall')
})

t.test('the next request of a connection, sent in the millisecond in which the stall ended, did not wait', async (t) => {
  // Ten connections whose requests take a millisecond each, except for those that wait until the stall ends.
  const counts = (first) => Array.from({ length: 1000 }, (_, ms) => ms === 0 ? first : ms >= 200 && ms < 290 ? 0 : 10)
  const flights = { ...NO_FLIGHTS, sent: counts(20), ended: counts(10) }
  const { diagnosis: { stalls } } = diagnose([recording([['idle', 200], ['handle work', 90], ['idle', 710]])], { flights })
  t.same(stalls.map(({ waiting }) => waiting), [10])
})

t.test('short tasks, and a process that the system did not schedule, are not stalls', async (t) => {
  const pieces = recording(repeat(50, ['handle', 9], ['idle', 11]))
  t.same(diagnose([pieces]).diagnosis.stalls, [])
  const stopped = recording([['idle', 500], ['handle', 20], ['idle', 480]])
  // Both the samples and the beats of 200 ms are missing.
  const { profile, beats } = stopped
  profile.timeDeltas[510] += 200_000
  beats.time = beats.time.map((time) => time > START + 510_000 ? time + 200_000 : time)
  const { stalls, flame: { nodes: [[, , busy]] } } = diagnose([stopped]).diagnosis
  t.same([stalls, busy], [[], 19 + 10], 'nor does the time belong to what it executed before')
})

t.test('each kind of server has all findings that are true, and no others', async (t) => {
  // Mostly busy, with tasks too short to be stalls, and sometimes idle.
  const at = (what, busy = 19, idle = 1, pieces = 50) => repeat(pieces, ...[what].flat().map((each) => [each, busy / [what].flat().length]), ['idle', idle])
  const slow = { p50: 250 }
  const waited = { slowest: [[490, 620], [500, 640], [590, 700], [100, 150]].map(([sentAt, endedAt]) => ({ sentAt: sentAt * 1000, endedAt: endedAt * 1000 })) }
  const server = (script, more) => recording(script, more)
  const npm = server([['idle', 1000]], { pid: 90, ports: [], script: '/usr/bin/npm' })
  const primary = server([['emit', 10], ['idle', 990]], { pid: 100, parent: 1 })
  const worker = (pid, script) => server(script, { pid, parent: 100 })
  const routes = ['emit', 'emit', 'emit', 'emit', 'handle', 'parse', 'work', 'require', 'require', 'require']
  const kinds = {
    'CPU-bound in the program': [[server(at('emit handle work'))], slow, ['EVENT_LOOP_BUSY', 'HOT_FUNCTION']],
    'CPU-bound in a dependency': [[server(at('emit handle parse'))], slow, ['EVENT_LOOP_BUSY', 'HOT_FUNCTION']],
    'CPU-bound in JSON': [[server(at('handle native'))], slow, ['EVENT_LOOP_BUSY', 'HOT_FUNCTION']],
    'CPU-bound in Node.js itself': [[server(at('emit'))], slow, ['EVENT_LOOP_BUSY']],
    'CPU-bound in native code without a caller': [[server(at('native'))], slow, ['EVENT_LOOP_BUSY']],
    'CPU-bound everywhere a little': [[server(at(routes, 20, 1))], slow, ['EVENT_LOOP_BUSY']],
    'much garbage': [[server([...at('emit', 8, 10), ['gc', 100]], { collections: [[900, 100]] })], {}, ['GARBAGE_COLLECTION']],
    'synchronous files': [[server(at(['emit', 'emit', 'emit', 'handle readFileSync native'], 12, 8))], {}, ['SYNCHRONOUS_IO']],
    'synchronous crypto': [[server(at(['emit', 'emit', 'emit', 'handle pbkdf2Sync native'], 12, 8))], {}, ['SYNCHRONOUS_IO']],
    'synchronous files before the run': [[server([['handle readFileSync', 400], ['idle', 100], ...at('emit', 8, 12)], { ahead: 500 })], {}, []],
    'a stall': [[server([['idle', 500], ['handle work', 100], ['idle', 400]])], { p50: 1, ...waited }, ['STALLS']],
    'a stall of which few requests know': [[server([['idle', 800], ['handle work', 100], ['idle', 100]])], { p50: 1, ...waited }, []],
    'waiting for an upstream': [[server(at('emit handle', 2, 18))], slow, ['EVENT_LOOP_IDLE']],
    'waiting for the thread pool': [[server(at('emit handle', 2, 18), { cpu: 190 })], slow, []],
    'fast, under little load': [[server(at('emit handle', 2, 18))], { p50: 1 }, []],
    'a cluster that waits': [[primary, worker(101, at('emit', 2, 18)), worker(102, at('emit', 3, 17))], slow, ['EVENT_LOOP_IDLE']],
    'a cluster of which one worker is busy': [[primary, worker(101, at('emit', 2, 18)), worker(102, at('emit'))], slow, ['EVENT_LOOP_BUSY']],
    'npm start, waiting': [[npm, server(at('emit handle', 2, 18), { parent: 91 })], slow, ['EVENT_LOOP_IDLE']],
    'npm start, busy': [[npm, server(at('emit'), { parent: 91 })], slow, ['EVENT_LOOP_BUSY']],
    'a loader with a thread of its own, which compiled before the run': [[server(at('emit', 8, 12)), server([['handle work', 450], ['idle', 1050]], { thread: 1, ports: [], ahead: 500 })], slow, ['EVENT_LOOP_IDLE']],
    'worker threads that do the work': [[server(at('emit', 2, 18)), server(at('handle work'), { thread: 1, ports: [] })], slow, ['HOT_FUNCTION']],
    'no Node.js': [[], slow, []]
  }
  const found = new Map()
  for (const [name, [recordings, options, expected]] of Object.entries(kinds)) {
    const codes = codesOf(recordings, options)
    t.same(codes.toSorted(), expected.toSorted(), name)
    t.same(codesOf(recordings, { ...options, saturated: true }), [], `${name}, but the load generator was the limit`)
    for (const code of codes) found.set(code, (found.get(code) ?? 0) + 1)
    const { diagnosis: { stalls } } = diagnose(recordings, options)
    for (const what of ['emit', 'handle', 'work', 'native', 'gc', 'idle']) {
      if (!recordings.some(({ profile: { nodes } }) => nodes.some(({ callFrame }) => callFrame === FRAMES[what]))) continue
      const { diagnosis } = diagnose(recordings.map((each) => suspendedAfter(each, what)), { ...options, seconds: 10 })
      t.same(diagnosis.findings.map(({ code }) => code).filter((code) => !expected.includes(code)), [], `${name}, suspended in ${what}: nothing that is not true`)
      t.ok(diagnosis.stalls.length <= stalls.length, `${diagnosis.stalls.length} stalls of ${stalls.length}`)
    }
  }
  t.same([...found.keys()].sort(), ['EVENT_LOOP_BUSY', 'EVENT_LOOP_IDLE', 'GARBAGE_COLLECTION', 'HOT_FUNCTION', 'STALLS', 'SYNCHRONOUS_IO'])
})

t.test('findings: the event loop', async (t) => {
  const busy = (share) => recording(repeat(100, ['emit', share / 10], ['idle', 10 - share / 10]))
  t.same(codesOf([busy(90)], { p50: 20 }), ['EVENT_LOOP_BUSY'])
  t.same(codesOf([busy(80)], { p50: 20 }), [])
  const message = (cpu) => diagnose([{ ...recording(repeat(100, ['emit', 9], ['idle', 1]), { cpu }) }]).diagnosis.findings[0].message
  t.equal(message(45), 'The event loop of the server was busy 90% of the time: this process is the limit. Make its code faster, or run more processes.')
  t.match(message(44), /busy 90% of the time, but its process had only 44% of a core: it waited for the processor/)
  const cluster = [busy(10), busy(90), recording(repeat(50, ['emit', 19], ['idle', 1])), busy(90), busy(80)].map((each, index) => ({ ...each, pid: 100 + index, parent: index === 0 ? 1 : 100 }))
  const several = diagnose(cluster).diagnosis.findings.filter(({ code }) => code === 'EVENT_LOOP_BUSY')
  t.same(several.map(({ share }) => share), [0.95], 'the heaviest')
  t.match(several[0].message, /busy 95% of the time \(.*process 102\).* \(So it is in 3 processes or threads\.\)$/)
  t.same(codesOf([busy(40)], { p50: 20 }), ['EVENT_LOOP_IDLE'])
  t.same(codesOf([busy(50)], { p50: 20 }), [])
  t.same(codesOf([busy(40)], { p50: 10 }), [], 'not slow')
  t.same(codesOf([busy(90)], { p50: 20, saturated: true }), [], 'the load generator was the limit')
  // An idle event loop that gets to its timers every 40 ms only: most are up to 30 ms late.
  const starved = busy(10)
  starved.beats = Object.fromEntries(Object.entries(starved.beats).map(([name, values]) => [name, values.filter((_, index) => index % 4 === 0)]))
  t.same(codesOf([starved], { p50: 70 }), [], 'what it waits for is a processor')
  t.same(codesOf([starved], { p50: 71 }), ['EVENT_LOOP_IDLE'])
  t.same(codesOf([busy(10), { ...starved, thread: 1, ports: [] }], { p50: 20 }), ['EVENT_LOOP_IDLE'], 'requests do not wait for the timers of another thread')
  t.same(codesOf([busy(10)], { p50: 20, isComplete: false }), [], 'a process is missing')
  t.same(codesOf([{ ...busy(10), ports: [] }], { p50: 20 }), [], 'npm alone proves nothing')
  t.same(codesOf([recording([['idle', 1000]], { cpu: 200 })], { p50: 20 }), [], 'the thread pool works')
  t.same(codesOf([busy(10), { ...busy(80), thread: 1, ports: [] }], { p50: 20 }), [], 'another thread works')
  t.same(codesOf([{ ...busy(90), ports: [] }, busy(80)], { p50: 20 }), [], 'another process is busy, which is not the server')
})

t.test('findings: a cluster', async (t) => {
  const [primary, idle, busy] = [['idle', 1000], ['emit', 400], ['emit', 960]].map(([what, ms], index) => recording([[what, ms], ['idle', 1000 - ms]], { pid: index === 0 ? 1 : 100 + index, parent: index === 0 ? 0 : 1 }))
  t.same(codesOf([primary], { p50: 20 }), ['EVENT_LOOP_IDLE'], 'without workers, it is a server like any other')
  t.match(diagnose([primary, idle, busy]).diagnosis, {
    processes: [{ pid: 102 }, { pid: 101 }, { pid: 1 }],
    findings: [{ code: 'EVENT_LOOP_BUSY', share: 0.96, message: /busy 96% of the time \(server\.js, process 102\): this process is the limit/ }]
  })
})

t.test('findings: functions', async (t) => {
  const message = (script) => diagnose([recording(script)]).diagnosis.findings.find(({ code }) => code === 'HOT_FUNCTION')?.message
  t.equal(message([['handle work', 120], ...repeat(60, ['emit', 8], ['idle', 5]), ['idle', 100]]), 'work (/app/server.js:20) took 20% of the busy time by itself.')
  t.equal(message([['handle work', 119], ...repeat(60, ['emit', 8], ['idle', 5]), ['idle', 101]]), undefined)
  t.equal(message([['handle work', 300], ['idle', 700]]), undefined, 'the process is not busy')
  t.equal(message([['emit', 900], ['idle', 100]]), undefined, 'Node.js itself')
  t.match(message([['handle parse', 300], ['handle', 50], ['emit', 400], ['idle', 250]]), /^parse of the package @scope\/fast \(.*index\.js:3\) took 40% of/)
  t.match(message([['handle native', 300], ['emit', 400], ['idle', 300]]), /^handle .* took 42\.9% of/, 'native code that a function calls')
  t.equal(message([['handle', 30], ['emit', 30]].map(([what, ms]) => [what, ms])), undefined, 'too short to prove anything')
})

t.test('findings: garbage collection', async (t) => {
  const collecting = (ms, collections) => codesOf([recording([...repeat(100, ['emit', 3], ['idle', 5]), ['gc', ms], ['idle', 200 - ms]], { collections })])
  t.same(collecting(100, [[0, 100]]), ['GARBAGE_COLLECTION'])
  t.same(collecting(99, [[0, 100]]), [], 'the profile knows less')
  t.same(collecting(100, [[0, 99]]), [])

  // 10 samples of garbage collection, after each of which the process was suspended for 9 ms.
  const suspended = recording([['gc', 10], ...repeat(50, ['emit', 10], ['idle', 8])], { collections: [[0, 100]] })
  suspended.profile.timeDeltas.fill(10_000, 1, 11)
  t.same(codesOf([suspended]), [], 'it was the system that took most of the time')
})

t.test('findings: synchronous calls, with their callers', async (t) => {
  const found = (script) => diagnose([recording(script)]).diagnosis.findings.find(({ code }) => code === 'SYNCHRONOUS_IO')?.message
  const rest = [...repeat(19, ['emit', 10], ['idle', 10])]
  t.match(found([['emit handle work readFileSync native', 10], ...rest]), /^readFileSync of fs, called by work \(\/app\/server\.js:20\), took 5% of the busy time/)
  t.equal(found([['emit handle work readFileSync native', 9], ['emit', 1], ...rest]), undefined)
  t.match(found([['handle pbkdf2Sync native', 100], ...rest]), /^pbkdf2Sync of crypto, called by handle/)
  t.match(found([['parse gzip native', 100], ...rest]), /^A synchronous function .* of zlib, called by parse of the package @scope\/fast/)
  t.match(found([['handle log readFileSync', 100], ...rest]), /^console, which writes to a file or terminal synchronously \(readFileSync of fs\), called by handle .* Log less, or with a logger that writes asynchronously\.$/)
  t.equal(found([['require readFileSync', 100], ...rest]), undefined, 'nobody calls it: modules are loaded')
  t.match(found([['handle pbkdf2Sync native', 50], ['handle work readFileSync native', 60], ['parse gzip native', 55], ...rest]), /^readFileSync of fs/, 'the one that took longest')
})

t.test('findings: stalls that explain the slowest requests', async (t) => {
  const server = recording([['idle', 500], ['handle work', 100], ['idle', 400]])
  const slowest = (...spans) => spans.map(([sentAt, endedAt]) => ({ sentAt: sentAt * 1000, endedAt: endedAt * 1000 }))
  const [one, two, three, before] = [[490, 600], [510, 610], [595, 605], [300, 500]]
  t.same(codesOf([server], { slowest: slowest(one, two, before) }), [])
  const { diagnosis: { findings: [finding] } } = diagnose([server], { slowest: slowest(one, two, three, before) })
  t.match(finding, { code: 'STALLS', message: '3 of the 4 slowest requests were in flight while the event loop of the server was blocked for 50 ms or more; the longest of these stalls lasted 100 ms, in work (/app/server.js:20).' })
  t.equal(finding.share, Math.round((100 + 90 + 5) / (110 + 100 + 10 + 200) * 10_000) / 10_000)
  t.same(codesOf([server, { ...recording([['idle', 1000]]), pid: 101 }], { slowest: slowest(one, two, three) }), [], 'nobody knows which process they went to')
  t.same(codesOf([recording([['idle', 1000]]), { ...server, thread: 1, ports: [] }], { slowest: slowest(one, two, three) }), [], 'another thread')
})

t.test('findings: of several stalls, only those count during which a slow request was in flight', async (t) => {
  const script = [['idle', 100], ['handle work', 60], ['idle', 140], ['parse', 80], ['idle', 120], ['gc', 120], ['idle', 80], ['handle', 200], ['idle', 100]]
  const places = ['in work (/app/server.js:20)', 'in parse (/app/node_modules/outer/node_modules/@scope/fast/index.js:3)', 'in garbage collection', 'in handle (/app/server.js:10)']
  const stalls = [[100, 160], [300, 380], [500, 620], [700, 900]]
  for (let set = 1; set < 2 ** stalls.length; set++) {
    const chosen = stalls.map((stall, index) => ({ stall, place: places[index] })).filter((_, index) => set & (1 << index))
    // Three requests for each of them: one that it covers, one that is sent during it, and one that ends during it; and one beside all.
    const spans = [...chosen.flatMap(({ stall: [from, to] }) => [[from + 5, to - 5], [from + 20, to + 10], [from - 10, from + 30]]), [170, 290]]
    const { findings } = diagnose([recording(script)], { slowest: spans.map(([sentAt, endedAt]) => ({ sentAt: sentAt * 1000, endedAt: endedAt * 1000 })) }).diagnosis
    const { message, share } = findings.find(({ code }) => code === 'STALLS')
    const counted = spans.slice(0, 10)
    const overlaps = counted.map(([sentAt, endedAt]) => stalls.reduce((sum, [from, to]) => sum + Math.max(0, Math.min(endedAt, to) - Math.max(sentAt, from)), 0))
    const { stall: [from, to], place } = chosen.filter(({ stall: [from, to] }) => counted.some(([sentAt, endedAt]) => sentAt < to && endedAt > from)).at(-1)
    const covered = overlaps.filter((overlap) => overlap > 0).length
    t.equal(message, `${covered} of the ${counted.length} slowest requests were in flight while the event loop of the server was blocked for 50 ms or more; the longest of these stalls lasted ${to - from} ms, ${place}.`)
    const all = counted.reduce((sum, [sentAt, endedAt]) => sum + endedAt - sentAt, 0)
    t.equal(share, Math.round(overlaps.reduce((sum, overlap) => sum + overlap, 0) / all * 10_000) / 10_000)
  }
})

t.test('the stall of a slow request: the one that covers most of its service time, and at least a tenth', async (t) => {
  // Stalls from 300 to 400 ms, 500 to 650 ms, and one of a thread that serves nobody.
  const script = [['idle', 300], ['handle work', 100], ['idle', 100], ['handle work', 150], ['idle', 350]]
  const other = { ...recording([['idle', 700], ['work', 200], ['idle', 100]]), thread: 1, ports: [] }
  const { diagnosis: { stalls }, stallOf } = diagnose([recording(script), other])
  const at = (from, to) => stallOf({ sentAt: from / 1000, endedAt: to / 1000 })
  t.same(stalls.map((stall) => [stall.at, stall.duration, stall.thread]), [[0.3, 100, 0], [0.5, 150, 0], [0.7, 200, 1]])
  t.same([at(290, 410), at(490, 660), at(350, 560), at(320, 560)], [0, 1, 1, 0])
  t.same([at(390, 490), at(391, 491)], [0, null], 'a tenth of it, and less')
  t.same([at(410, 490), at(700, 900), at(100, 100)], [null, null, null])
  const { stallOf: nobodyKnows } = diagnose([recording(script), { ...recording([['idle', 1000]]), pid: 101 }])
  t.equal(nobodyKnows({ sentAt: 0.29, endedAt: 0.41 }), null)
})

t.test('the flame graph covers all busy time; functions below 0.1% are merged into their callers', async (t) => {
  const { diagnosis: { flame: { frames, nodes } } } = diagnose([recording([['emit handle', 1000], ['emit handle work', 1000], ['emit handle parse', 1], ['gc', 98], ['idle', 900]])], { seconds: 3 })
  const name = (index) => frames[nodes[index][1]].function
  t.same(nodes.map(([parent, , ms], index) => [parent === -1 ? null : name(parent), name(index), ms]), [
    [null, 'server.js, process 100', 2099], ['server.js, process 100', 'emit', 2001], ['emit', 'handle', 2001], ['handle', 'work', 1000], ['server.js, process 100', '(garbage collector)', 98]
  ])
  t.ok(nodes.every(([parent], index) => parent < index))
  t.equal(diagnose([recording([['idle', 1000]])]).diagnosis.flame, null)
})

t.test('times of another clock are converted to ours', async (t) => {
  const server = recording([['handle', 500], ['idle', 500]])
  server.profile.startTime -= 77_000_000
  t.equal(diagnose([{ ...server, shift: 77_000_000 }]).diagnosis.processes[0].eventLoop.utilization, 0.5)
})

// A launched server that is busy at the beginning of each run, and idle afterwards.
function launched (script) {
  let begunAt
  const channel = {
    isRecording: false,
    begin: async () => { channel.isRecording = true; begunAt = world.monotonic() },
    end: async () => {
      channel.isRecording = false
      const length = Math.round((world.monotonic() - begunAt) / 1000)
      const made = recording([...script, ['idle', length - script.reduce((sum, [, ms]) => sum + ms, 0)]])
      // The recording begins with the run; its agent reads the same clock as the run.
      const shift = begunAt - START
      made.beats.time = made.beats.time.map((time) => time + shift)
      return { recordings: [{ ...made, shift }], silent: [] }
    }
  }
  return { [DIAGNOSER]: { channel, port: 80 } }
}

t.test('a run: requests in flight, and the clocks of both sides, after a warm-up and with workers', async (t) => {
  for (const more of [{}, { workers: 2 }, { warmup: { duration: 0.3 } }, { overallRate: 20 }]) {
    const { value: result } = await simulate({ seed: 1 }, (simulated) => {
      const { url } = simulated.server({ host: '127.0.0.1', serviceTime: 100 })
      return run({ url, connections: 2, duration: 1, pacing: 'precise', diagnose: { target: launched([['idle', 213], ['handle work', 74]]) }, ...more })
    })
    const [stall] = result.diagnosis.stalls
    // Two requests every 100 ms, or one every 50 ms, which take 100 ms each.
    const [each, count] = more.overallRate ? [50, 1] : [100, 2]
    const spans = Array.from({ length: 20 }, (_, index) => [index * each, index * each + 100])
    const [from, to] = [stall.at * 1000, stall.at * 1000 + 74]
    t.equal(stall.waiting, count * spans.filter(([sent, ended]) => sent <= to && ended >= from).length, `${JSON.stringify(more)}: from ${from} to ${to}`)
    // Threads agree on a start slightly in the future.
    t.ok(more.workers ? stall.at > 0 && stall.at < 0.213 : Math.abs(stall.at - 0.213) < 0.001, String(stall.at))
    t.equal(stall.duration, 74)
    t.ok(result.slowest.some((request) => request.stall === 0) && result.slowest.some((request) => request.stall === null), 'some of the slowest requests waited for it')
    t.same(result.warnings.map(({ code }) => code).filter((code) => code.endsWith('DIAGNOSED')), ['DIAGNOSED'])
  }
})

t.test('boundaries: stalls of exactly 50 ms, half of which is garbage collection, and which end with the request', async (t) => {
  const counts = (...pairs) => pairs.reduce((list, [ms, count]) => Object.assign(list, { [ms]: count }), Array(1600).fill(0))
  const script = [['idle', 200], ['handle', 50], ['idle', 150], ['handle', 30], ['gc', 30], ['idle', 140], ['handle', 49], ['idle', 551], ['handle', 100], ['idle', 300]]
  const flights = { ...NO_FLIGHTS, sent: counts([199, 33], [200, 2], [249, 4], [250, 8]), ended: counts([199, 16], [200, 32], [1250, 64]) }
  const { diagnosis: { stalls } } = diagnose([recording(script)], { flights })
  t.match(stalls.map(({ at, duration, kind }) => [at, duration, kind]), [[0.2, 50, 'code'], [0.4, 60, 'code'], [1.2, 100, 'code']], 'the last one in the drain')
  t.equal(stalls[0].waiting, 33 + 2 + 4 - 16, 'sent before its end, without those that had ended when it began')
  const { diagnosis: { stalls: ofWindow } } = diagnose([recording(script)], { flights: { ...flights, ended: counts([100, 1]).slice(0, 1000) } })
  t.equal(ofWindow.length, 2, 'nothing was in flight any more')
  const collecting = recording([['idle', 200], ['handle', 29], ['gc', 31], ['idle', 740]])
  t.equal(diagnose([collecting]).diagnosis.stalls[0].kind, 'gc')
})

t.test('the parts of a stall: it ends with the work, and its stack is where most of it was, from the code of the program', async (t) => {
  // The event loop comes to its timer only 35 ms after the work.
  const late = (script, from, to) => {
    const made = recording(script)
    const kept = made.beats.time.map((time) => time <= START + from * 1000 || time >= START + to * 1000)
    return { ...made, beats: Object.fromEntries(Object.entries(made.beats).map(([name, values]) => [name, values.filter((_, index) => kept[index])])) }
  }
  const stallsOf = (recorded) => diagnose([recorded]).diagnosis.stalls.map(({ at, duration, stack }) => [at * 1000, duration, ...stack.map((frame) => frame.function)])
  t.same(stallsOf(late([['idle', 200], ['handle work', 60], ['idle', 740]], 200, 295)), [[200, 60, 'handle', 'work']])
  t.same(stallsOf(late([['idle', 200], ['handle work', 60], ['idle', 5], ['work', 70], ['idle', 665]], 200, 340)), [[200, 60, 'handle', 'work'], [265, 70, 'work']])
  const stackOf = (...script) => stallsOf(recording([['idle', 200], ...script, ['idle', 700]])).map(([, , ...names]) => names.join(' '))
  t.same(stackOf(['handle', 30], ['handle work', 30]), ['handle'], 'half of it was in the function itself')
  t.same(stackOf(['handle', 30], ['handle work', 31]), ['handle work'])
  t.same(stackOf(['native', 60], ['handle', 40]), ['handle'], 'native code outside of any function')
  t.same(stackOf(['emit parse handle work', 60]), ['handle work'])
  t.same(stackOf(['emit parse native', 60]), ['parse run'], 'only a package')
  t.same(stackOf(['preload handle', 60]), ['handle'], 'not what launches the program')
  t.same(stallsOf(recording([['idle', 10], ['work', 100], ['idle', 900]], { ahead: 50 })), [[0, 60, 'work']], 'as far as it is within the run')
})

t.test('of more than a thousand stalls, the longest are listed, in their order', async (t) => {
  const lengths = Array.from({ length: 1002 }, (_, index) => index === 1 ? 50_000 : index === 1001 ? 90_000 : 52_000)
  const beats = { gaps: () => lengths.map((length, index) => [index * 100_000, index * 100_000 + length]) }
  const profile = {
    frames: [],
    nodes: [],
    isBusy: () => true,
    each (from, to, visit) { for (let at = from; at < to; at += 2000) visit(0, at, 2000) },
    selfTimes: () => new Map(),
    stackOf: () => []
  }
  const stalls = findStalls(beats, profile)
  t.same([stalls.length, stalls[0].from, stalls[1].from, stalls.at(-1).from], [1000, 0, 200_000, 100_100_000])
})

t.test('a server that ended during the run, and one with system time', async (t) => {
  const short = recording([['emit', 300], ['idle', 200]], { cpu: 40 })
  short.beats.system = short.beats.time.map((time) => (time - START) / 4)
  const { diagnosis: { processes: [process] }, servers } = diagnose([short], { timeline: [{ time: 0.5, seconds: 0.5 }, { time: 1, seconds: 0.5 }] })
  t.same([process.cpu, process.eventLoop.utilization], [{ user: 40, system: 25 }, 0.6], 'of the time in which it was there')
  t.match(servers, [{ cpu: 65, utilization: 0.6 }, null])
})

t.test('the flame graph includes calls that took exactly 0.1%', async (t) => {
  const functionsIn = (ms) => {
    const { diagnosis: { flame: { frames } } } = diagnose([recording([['emit handle', 1000 - ms], ['emit parse', ms], ['idle', 10]])], { seconds: 3 })
    return frames.map((frame) => frame.function).filter((name) => name === 'parse').length
  }
  t.equal(functionsIn(1), 1)
})

const PLAN = { targets: [{ port: '80' }] }

t.test('why there is no diagnosis, or only part of one', async (t) => {
  const mine = { pid: 100, ports: [80], hasLeft: false }
  const other = { pid: 101, ports: [], hasLeft: true }
  for (const [ending, codes, problem] of [
    [{ recordings: [mine] }, ['DIAGNOSED'], null],
    [{ recordings: [mine, other] }, ['DIAGNOSED'], null], // another of its processes may end
    [{ recordings: [mine], silent: [{ pid: 7, reason: 'it did not answer' }, { pid: 8 }] }, ['DIAGNOSED', 'NOT_DIAGNOSED'], 'The server was not completely diagnosed: process 7 left no data, because it did not answer.'],
    [{ recordings: [{ ...mine, hasLeft: true }] }, ['DIAGNOSED', 'NOT_DIAGNOSED'], 'The server was not completely diagnosed: it ended during the run, and its figures end there.'],
    [{ recordings: [other] }, ['DIAGNOSED', 'NOT_DIAGNOSED'], 'The server was not completely diagnosed: the process that listens on port 80 could not be recorded.'],
    [{ recordings: [], hasHeard: true }, ['NOT_DIAGNOSED'], 'The server was not diagnosed: it had ended before the run.'],
    [{ recordings: [] }, ['NOT_DIAGNOSED'], 'The server was not diagnosed: it does not run on Node.js, or it removes NODE_OPTIONS from the environment.']
  ]) {
    const channel = { isRecording: false, hasHeard: ending.hasHeard === true, begin: async () => { channel.isRecording = true }, end: async () => ({ silent: [], ...ending }) }
    const diagnosis = new Diagnosis({ target: { [DIAGNOSER]: { channel, port: 80 } }, profile: null }, PLAN)
    await diagnosis.begin()
    await diagnosis.end()
    t.same(diagnosis.warnings.map(({ code }) => code), codes)
    t.equal(diagnosis.warnings.find(({ code }) => code === 'NOT_DIAGNOSED')?.message ?? null, problem)
  }
  const without = new Diagnosis({ target: { [DIAGNOSER]: { channel: null, port: 80 } }, profile: null }, PLAN)
  await without.begin()
  await without.end()
  t.match(without.warnings, [{ code: 'NOT_DIAGNOSED', message: 'The server was not diagnosed: it was launched without diagnose.' }])
  const taken = new Diagnosis({ target: { [DIAGNOSER]: { channel: { isRecording: true }, port: 80 } }, profile: null }, PLAN)
  await taken.begin()
  t.match(taken.warnings, [{ message: 'The server was not diagnosed: another run is diagnosing it.' }])
  t.equal(taken.addTo('result', { slowest: {} }), 'result', 'a result without recordings stays as it is')
})

t.test('a comparison of two diagnosed servers: the functions that differ, by self time per request', async (t) => {
  const scripts = [[['idle', 5], ['handle work', 300], ['handle', 100], ['gc', 4]], [['idle', 5], ['handle work', 100], ['handle parse', 50], ['handle', 100], ['gc', 4]]]
  const completed = [[], []]
  const { value: result } = await simulate({ seed: 1 }, (simulated) => {
    const sides = scripts.map((script, index) => {
      const { url } = simulated.server({ host: `127.0.0.${index + 1}`, serviceTime: index === 0 ? 100 : 50 })
      return { url, connections: 2, diagnose: launched(script), title: 'ab'[index] }
    })
    return compare(sides, { rounds: 2, duration: 1, pause: 0, warmup: 0.2 }).on('run', (run, { target }) => completed[target].push(run.accounting.completed))
  })
  const perRequest = (side, ms) => {
    const [one, other] = completed[side]
    return Math.round((ms / one + ms / other) / 2 * 1e6) / 1e6
  }
  const [{ hot }] = result.comparisons
  t.same(hot, [
    { function: 'work', file: '/app/server.js', line: 20, package: null, a: perRequest(0, 300), b: perRequest(1, 100) },
    { function: 'handle', file: '/app/server.js', line: 10, package: null, a: perRequest(0, 100), b: perRequest(1, 100) },
    { function: 'parse', file: '/app/node_modules/outer/node_modules/@scope/fast/index.js', line: 3, package: '@scope/fast', a: 0, b: perRequest(1, 50) }
  ].sort((a, b) => Math.abs(b.a - b.b) - Math.abs(a.a - a.b)), 'without garbage collection, which differs by less than 1%')
  t.match(result.warnings.find(({ code }) => code === 'DIAGNOSED').message, /^The servers ran under a profiler/)
  for (const text of [printResult(result, { outputStream: { write () {} } }), toHTML(result)]) t.match(text, /work[^]*per request[^]*parse|per request[^]*work[^]*parse/)
  t.same(flawsOfStudy(result), [])
  const side = (more) => ({ url: 'http://127.0.0.1', diagnose: launched([]), ...more })
  const refused = (items, message) => t.rejects(async () => compare(items, { rounds: 1 }), { code: 'CANNONADE_BAD_OPTION', message })
  await refused([side(), side({ diagnose: undefined })], 'a profiler makes a server slower: diagnose all servers of a comparison, or none')
  await refused([side(), side({ diagnose: { target: launched([]), profile: 'x.cpuprofile' } })], 'a comparison has many runs; write the CPU profile of a single run')
})

t.test('a comparison of two diagnosed servers whose main files have different names', (t) => {
  const resultOf = (script, time, more) => ({
    accounting: { completed: 10 },
    diagnosis: {
      processes: [{ script }, { script: '/app/other.js' }],
      flame: { frames: [{ function: 'handle', file: script, line: 3, package: null }, { function: 'parse', file: more, line: 4, package: null }], nodes: [[-1, 0, time + 20], [0, 0, time], [0, 1, 20]] }
    }
  })
  t.same(hotOf([resultOf('/app/before.js', 500, '/app/lib/parse.js')], [resultOf('/app/after.js', 200, '/app/other.js')]), [
    { function: 'handle', file: '/app/before.js', line: 3, package: null, a: 50, b: 20 },
    { function: 'parse', file: '/app/other.js', line: 4, package: null, a: 0, b: 2 },
    { function: 'parse', file: '/app/lib/parse.js', line: 4, package: null, a: 2, b: 0 }
  ])
  t.end()
})

t.test('saved results of which only some were diagnosed give a warning', async (t) => {
  const { value: plain } = await simulate({}, (simulated) => run({ url: simulated.server({ host: '127.0.0.1', serviceTime: 5 }).url, connections: 1, duration: 2 }))
  const { value: profiled } = await simulate({}, (simulated) => run({ url: simulated.server({ host: '127.0.0.1', serviceTime: 5 }).url, connections: 1, duration: 2, diagnose: launched([['handle', 100]]) }))
  const { comparisons: [{ hot }], warnings } = compareResults([{ ...plain, title: 'plain' }, { ...profiled, title: 'profiled' }])
  t.equal(hot, undefined)
  t.match(warnings.find(({ code }) => code === 'DIAGNOSED').message, /^profiled ran under a profiler, which makes a server slower, and plain did not/)
})

t.test('nothing is concluded from the rest that a server had which ended during the run', async (t) => {
  const codesWith = async (hasLeft) => {
    const target = launched([['handle', 20]])
    const { channel } = target[DIAGNOSER]
    const { end } = channel
    channel.end = async () => {
      const { recordings: [one] } = await end()
      return { recordings: [{ ...one, hasLeft }], silent: [] }
    }
    const { value: result } = await simulate({}, (simulated) => run({ url: simulated.server({ host: '127.0.0.1', serviceTime: 50 }).url, connections: 1, duration: 1, diagnose: target }))
    return result.diagnosis.findings.map(({ code }) => code)
  }
  t.same([await codesWith(false), await codesWith(true)], [['EVENT_LOOP_IDLE'], []])
})

t.test('a second recording waits for its own answers', async (t) => {
  const channel = new DiagnosisChannel(t.testdir())
  const said = []
  const agent = { socket: { write: (word) => said.push(word.trim()) }, isThere: true, hasBegun: true, hasEnded: true, failure: 'none', identity: { pid: 1, thread: 0 } }
  channel.agents.push(agent)
  const begun = channel.begin()
  t.match(agent, { hasBegun: false, hasEnded: false, failure: null })
  channel.hear(agent, { type: 'begun' })
  await begun
  const ended = channel.end()
  channel.hear(agent, { type: 'ended' })
  t.same(await ended, { recordings: [], silent: [{ pid: 1, thread: 0, reason: 'it did not answer' }] })
  t.same(said, ['begin', 'end'])
})

t.test('a process that is started during a recording is recorded as well', async (t) => {
  const channel = new DiagnosisChannel(t.testdir())
  const newcomer = () => {
    const said = []
    const agent = { socket: { write: (word) => said.push(word.trim()) }, isThere: true, hasBegun: false, hasEnded: false, failure: null, identity: null }
    channel.hear(agent, { type: 'hello', pid: 7, thread: 0 })
    return { agent, said }
  }
  const before = newcomer()
  t.same([before.agent.identity, before.said, channel.hasHeard], [{ pid: 7, thread: 0 }, [], true], 'nobody records yet')
  const begun = channel.begin()
  channel.hear(before.agent, { type: 'begun' })
  await begun
  const during = newcomer()
  t.same([before.said, during.said], [['begin'], ['begin']])
  channel.hear(during.agent, { type: 'failed', reason: 'no profiler' })
  const ended = channel.end()
  channel.hear(before.agent, { type: 'ended' })
  t.same((await ended).silent.map(({ reason }) => reason), ['it did not answer', 'no profiler'])
  t.same(newcomer().said, [], 'it is over')
})

t.test('messages of a process are the same in whatever pieces they arrive, until it has gone', async (t) => {
  const channel = new DiagnosisChannel(t.testdir())
  const messages = [{ type: 'hello', pid: 7, thread: 0, script: '/app/ü.js' }, { type: 'begun' }, { type: 'ended' }, { type: 'failed', reason: 'no\nprofiler' }]
  const text = messages.map((message) => JSON.stringify(message) + '\n').join('')
  for (const length of [1, 2, 7, 20, text.length]) {
    const socket = Object.assign(new EventEmitter(), { setEncoding () {}, unref () {}, write () {} })
    channel.accept(socket)
    for (let from = 0; from < text.length; from += length) socket.emit('data', text.slice(from, from + length))
    const agent = channel.agents.at(-1)
    const { socket: own, ...known } = agent
    t.same(known, { isThere: true, hasBegun: true, hasEnded: true, failure: 'no\nprofiler', identity: { pid: 7, thread: 0, script: '/app/ü.js' } }, `${length}`)
    socket.emit('close')
    t.equal(agent.isThere, false)
  }
  t.equal(channel.agents.length, 5)
})

t.test('a diagnosis of a server on another port explains nothing about the requests', async (t) => {
  const { value: result } = await simulate({}, (simulated) => {
    const { url } = simulated.server({ host: '127.0.0.1', port: 81, serviceTime: 50 })
    return run({ url, connections: 1, duration: 1, diagnose: launched([['handle', 20]]) })
  })
  t.match(result.warnings.find(({ code }) => code === 'NOT_DIAGNOSED').message, /^The server was not completely diagnosed: it listens on port 80, but requests were sent to port 81/)
  t.same(result.diagnosis.findings, [])
  t.match(result.diagnosis.processes, [{ hot: [{ function: 'handle' }] }])
})

t.test('locations in compiled scripts are mapped to the source, if the script has a source map', async (t) => {
  // Line 0 of the script is line 4 of the source, and line 2 is line 5.
  const map = JSON.stringify({ version: 3, sources: ['app.ts'], names: [], mappings: 'AAIA;;AACA' })
  const folder = t.testdir({ 'app.js.map': map, 'rooted.js.map': JSON.stringify({ ...JSON.parse(map), sourceRoot: '../src' }), 'broken.js.map': '{' })
  const here = (name) => pathToFileURL(path.join(folder, name)).href
  const place = (url, lineNumber, sourceMap) => {
    const node = { callFrame: { scriptId: '7', url, lineNumber, columnNumber: 3 }, positionTicks: [] }
    toOriginalPlaces({ nodes: [{ callFrame: { scriptId: '0', url: '', lineNumber: -1 } }, node] }, new Map(sourceMap === undefined ? [] : [['7', sourceMap]]))
    return [node.callFrame.url, node.callFrame.lineNumber, node.positionTicks === undefined]
  }
  const inline = `data:application/json;charset=utf-8;base64,${Buffer.from(map).toString('base64')}`
  t.same(place(here('app.js'), 2, 'app.js.map'), [here('app.ts'), 5, true])
  t.same(place(path.join(folder, 'app.js'), 0, inline), [here('app.ts'), 4, true], 'CommonJS modules have paths')
  t.same(place(here('app.js'), 0, `data:application/json,${encodeURIComponent(map)}`), [here('app.ts'), 4, true])
  t.same(place(here('app.js'), 0, 'rooted.js.map'), [new URL('../src/app.ts', here('app.js')).href, 4, true])
  for (const other of ['broken.js.map', 'missing.js.map', 'http://127.0.0.1/app.js.map', 'data:application/json,{', undefined]) t.same(place(here('app.js'), 2, other), [here('app.js'), 2, false], String(other))
})

t.test('--diagnose: the server that the command starts is diagnosed, with a CPU profile if a file is named', async (t) => {
  for (const [flags, isWritten] of [[['--diagnose'], false], [['--diagnose', 'server.cpuprofile'], true], [['--diagnose=server.cpuprofile'], true]]) {
    const folder = t.testdir({})
    const words = flags.map((word) => word.replace('server', path.join(folder, 'server')))
    let started
    const { value } = await simulate({}, (simulated) => {
      const { url } = simulated.server({ host: '127.0.0.1' })
      const server = { port: 80, pid: 7, child: { hasEnded: true, ended: new Promise(() => {}) }, diagnosis: launched([['handle', 20]])[DIAGNOSER].channel, urlFrom: (path) => url + path, close: async () => {} }
      t.intercept(StartedServer, 'start', { value: async (...args) => { started = args; return server } })
      return runCommand(t, ['-j', '-c', '1', '-a', '20', '-R', '20', ...words, '/', '--', 'npm', 'start'])
    })
    t.equal(value.code, 0, value.stderr)
    t.match(started, [['npm', 'start'], '/', { diagnose: true }])
    const { diagnosis: { processes: [{ pid, profile }] } } = JSON.parse(value.stdout)
    t.equal(pid, 100)
    t.same(fs.readdirSync(folder), isWritten ? ['server.cpuprofile'] : [], words.join(' '))
    t.equal(profile, isWritten ? path.join(folder, 'server.cpuprofile') : null)
  }
})

t.test('a CPU profile that cannot be written costs nobody the result; several threads write a file each', async (t) => {
  const folder = t.testdir({ 'x.cpuprofile': {}, there: {} })
  const profile = path.join(folder, 'there', 'server.cpuprofile')
  const diagnosed = async (target) => (await simulate({}, (simulated) => run({ url: simulated.server({ host: '127.0.0.1' }).url, connections: 1, amount: 20, overallRate: 20, diagnose: { target, profile } }))).value
  const target = launched([['handle', 20]])
  const { channel } = target[DIAGNOSER]
  const { end } = channel
  channel.end = async () => {
    const { recordings: [one] } = await end()
    return { recordings: [one, { ...one, thread: 3, ports: [] }], silent: [] }
  }
  const names = ['server.100.cpuprofile', 'server.100-3.cpuprofile']
  t.same((await diagnosed(target)).diagnosis.processes.map(({ profile }) => path.basename(profile)), names)
  t.same(fs.readdirSync(path.dirname(profile)).sort(), names.toSorted())
  fs.rmSync(path.dirname(profile), { recursive: true })
  await t.rejects(diagnosed(target), { code: 'CANNONADE_BAD_OPTION', message: /^diagnose\.profile must be the path of a file in an existing folder/ })
  fs.mkdirSync(path.dirname(profile))
  channel.end = async () => {
    fs.rmSync(path.dirname(profile), { recursive: true })
    return end()
  }
  const { diagnosis, warnings, accounting } = await diagnosed(target)
  t.equal(accounting.completed, 20)
  t.equal(diagnosis.processes[0].profile, null)
  t.match(warnings.find(({ code }) => code === 'NOT_DIAGNOSED').message, /its CPU profile could not be written \(ENOENT/)
  await t.rejects(async () => run({ url: 'http://127.0.0.1', amount: 1, diagnose: { target, profile: path.join(folder, 'x.cpuprofile') } }), { code: 'CANNONADE_BAD_OPTION' }, 'a folder')
})

'use strict'

// Real servers, each of which is busy for a quarter of a second of processor time before it responds: which findings there are, and which not.

const fs = require('node:fs')
const path = require('node:path')
const t = require('tap')
const { launch, run, printResult, toHTML, toMarkdown } = require('../..')
const { diagnosisOf } = require('../../lib/diagnose/diagnosis')
const { diagnoserOf } = require('../../lib/diagnose/target')
const { isAlive } = require('../support/processes')
const { unusedPort } = require('../support/ports')
const { until } = require('../support/wait')

t.setTimeout(600_000)

const CLUSTERED = path.join(__dirname, '../cli/fixtures/servers/clustered.js')

const SERVER = `
const crypto = require('node:crypto')
const http = require('node:http')
const fast = require('fast')
const rows = Array.from({ length: 5000 }, (_, id) => ({ id, name: 'row ' + id }))
const kept = []

// Does not read a clock, which would allocate a number each time.
function spin (ms) { for (let i = 0; i < ms * 2e6; i++); }
function stall (ms) { for (let left = ms; left > 0; left--) for (let i = 0; i < 3e6; i++) left = left * 1; }
function render () { for (let i = 0; i < 5; i++) JSON.stringify(rows) }
function hash () { crypto.pbkdf2Sync('password', 'salt', 3000, 32, 'sha256') }
// What is kept for a while has to be copied, which takes most of the time.
function allocate () { kept.push(Array.from({ length: 1e5 }, (_, i) => ({ i, list: [i] }))); if (kept.length > 5) kept.shift() }
function match () { /(x+x+)+y/.test('x'.repeat(18)) }

const work = { '/program': () => spin(5), '/package': fast.burn, '/json': render, '/sync': hash, '/garbage': allocate, '/regex': match }

http.createServer((request, response) => {
  const step = work[request.url]
  const clock = () => Number(process.hrtime.bigint()) / 1000
  const from = clock()
  const before = process.cpuUsage()
  // Other programs may use the processor for most of the time.
  const used = () => { const { user, system } = process.cpuUsage(before); return user + system }
  const next = () => {
    step()
    if (clock() < from + 250_000 || (used() < 250_000 && clock() < from + 30e6)) setImmediate(next)
    else response.end(from + ' ' + clock())
  }
  if (step) setImmediate(next)
  else if (request.url === '/stall') setTimeout(() => { stall(150); setTimeout(() => response.end(), 30) }, 30)
  else if (request.url === '/wait') setTimeout(() => response.end(), 250)
  else if (request.url === '/exit') { spin(60); process.exit(0) }
  else response.end()
}).listen(0)
`
const PROGRAM = {
  'server.js': SERVER,
  node_modules: { fast: { 'index.js': 'exports.burn = function burn () { const end = Date.now() + 5; while (Date.now() < end); }\n' } }
}

async function launched (t, command, opts) {
  const server = await launch(command, { diagnose: true, ...opts })
  t.teardown(() => server.close())
  return server
}

// Without a run, because findings about the load generator depend on the machine.
async function diagnosed (server, act, { p50 = 250 } = {}) {
  const { channel, port } = diagnoserOf(server)
  await channel.begin()
  const now = () => Number(process.hrtime.bigint()) / 1000
  const sentAt = now()
  const answer = await act()
  // The server reports when it was busy, by the same clock. Before and after that, a slow machine may have delayed both.
  const [startedAt, endedAt] = answer?.includes(' ') ? answer.split(' ').map(Number) : [sentAt, now()]
  const seconds = (endedAt - startedAt) / 1e6
  const { recordings, silent } = await channel.end()
  const times = { p50, totalCount: 1 }
  const result = { latency: times, serviceTime: times, timeToFirstByte: times, generator: { saturated: false }, timeline: [] }
  const { diagnosis, threads } = diagnosisOf({ recordings, isComplete: silent.length === 0, port, startedAt, seconds, flights: { sent: [1], ended: [] }, slowest: [], result })
  return { ...diagnosis, threads, finding: (code) => diagnosis.findings.find((each) => each.code === code)?.message, recordings, silent, seconds }
}

// The index of the stall that covers most of the service time of a request, and at least a tenth; null if there is none. However long the
// machine stood still, the figures have to agree.
function stallDuring ({ sentAt, endedAt }, stalls) {
  const shares = stalls.map(({ at, duration }) => (Math.min(endedAt, at + duration / 1000) - Math.max(sentAt, at)) / (endedAt - sentAt))
  const most = Math.max(...shares)
  return most >= 0.1 ? shares.indexOf(most) : null
}

const get = async (server, way) => (await fetch(new URL(way, server.url))).text()

t.test('a server with many faults', async (t) => {
  const folder = t.testdir(PROGRAM)
  const server = await launched(t, ['node', 'server.js'], { cwd: folder })
  await get(server, '/')
  const of = (way) => diagnosed(server, () => get(server, way))

  const program = await of('/program')
  t.match(program.finding('HOT_FUNCTION'), /^spin \(.*server\.js:9\) took \d/)
  t.match(program.finding('EVENT_LOOP_BUSY'), /^The event loop of the server was busy \d/)
  for (const code of ['EVENT_LOOP_IDLE', 'GARBAGE_COLLECTION', 'SYNCHRONOUS_IO', 'STALLS']) t.notOk(program.finding(code), `spinning is no ${code}`)
  const [spin] = program.processes[0].hot
  t.match(spin, { function: 'spin', file: path.join(fs.realpathSync(folder), 'server.js'), line: 9, package: null })
  t.match(program.processes, [{ pid: server.pid, thread: 0, node: process.version, script: path.join(fs.realpathSync(folder), 'server.js') }])
  t.notMatch(program.processes[0].hot, [{ file: /lib.diagnose/ }], 'nothing of ours')

  t.match((await of('/package')).finding('HOT_FUNCTION'), /^(?:exports\.)?burn of the package fast \(/)
  t.match((await of('/json')).finding('HOT_FUNCTION'), /^render \(/)
  t.match((await of('/regex')).finding('HOT_FUNCTION'), /^match \(/)

  const sync = await of('/sync')
  t.match(sync.finding('SYNCHRONOUS_IO'), /^pbkdf2Sync of crypto, called by hash \(.*server\.js:12\), took \d/)
  for (const code of ['EVENT_LOOP_IDLE', 'GARBAGE_COLLECTION']) t.notOk(sync.finding(code), `hashing is no ${code}`)

  const wait = await of('/wait')
  const codes = wait.findings.map(({ code }) => code)
  t.same(codes.filter((code) => code !== 'EVENT_LOOP_IDLE'), [])
  // Nothing is known of a server that the system did not let run.
  const { threads: [{ proven }], processes: [{ eventLoop }] } = wait
  if (proven.all > 0.8e6 * wait.seconds && eventLoop.delay.p90 < 50) t.same([codes.length, eventLoop.utilization < 0.5], [1, true])

  const stall = await of('/stall')
  const longest = stall.stalls.find(({ stack }) => stack.some((frame) => frame.function === 'stall'))
  t.match(longest, { pid: server.pid, kind: 'code', waiting: 1 })
  // Not its exact length: if the system suspended the server, the rest of the time is unknown.
  t.ok(longest.duration >= 50 && longest.duration <= stall.seconds * 1000, `${longest.duration} ms`)
  t.ok(longest.at >= 0.029 && longest.at + longest.duration / 1000 <= stall.seconds, 'the clocks of both sides agree')
  t.ok(stall.processes[0].eventLoop.delay.max >= 50)

  // This one comes last: its garbage is collected later.
  const garbage = await of('/garbage')
  const [{ proven: sampled, figures: { gc } }] = garbage.threads
  t.ok(gc > 0 && sampled.collecting > 0, 'the collections were seen')
  // How long they take depends on the machine.
  const isMuch = gc > 0.2e6 * garbage.seconds && sampled.collecting > 75_000 && sampled.all > 0.5e6 * garbage.seconds
  if (isMuch) t.match(garbage.finding('GARBAGE_COLLECTION'), /^Garbage collection took \d/)
  for (const code of ['EVENT_LOOP_IDLE', 'SYNCHRONOUS_IO']) t.notOk(garbage.finding(code), `allocating is no ${code}`)
})

t.test('npm start, an ES module, and a loader', async (t) => {
  const folder = t.testdir({
    'package.json': JSON.stringify({ name: 'app', private: true, type: 'module', scripts: { start: 'node --import ./register.mjs server.ts' } }),
    'register.mjs': "import { register } from 'node:module'\nregister('./loader.mjs', import.meta.url)\n",
    'loader.mjs': `
import fs from 'node:fs/promises'
export async function load (url, context, next) {
  if (!url.endsWith('.ts')) return next(url, context)
  const source = (await fs.readFile(new URL(url), 'utf8')).replaceAll(': number', '')
  // Three lines are added at the top, and the source map maps each line to the next one of the source.
  const map = { version: 3, sources: ['server.ts'], names: [], mappings: ';;;AAAA' + ';AACA'.repeat(source.split('\\n').length - 1) }
  const comment = '//# sourceMappingURL=data:application/json;base64,' + Buffer.from(JSON.stringify(map)).toString('base64')
  return { format: 'module', shortCircuit: true, source: '// compiled\\n\\n\\n' + source + comment }
}`,
    'server.ts': `import http from 'node:http'
function spin (ms: number) { const from = process.cpuUsage(); do { for (let i = 0; i < 3e6; i++) ms *= 1 } while (process.cpuUsage(from).user < ms * 1000) }
http.createServer((request, response) => { spin(100); response.end() }).listen(0)
`
  })
  const server = await launched(t, ['npm', 'start', '--silent'], { cwd: folder })
  const { processes } = await diagnosed(server, () => get(server, '/'))
  t.match(processes[0], { pid: server.pid, script: /server\.ts$/, hot: [{ function: 'spin', file: /server\.ts$/, line: 2, package: null }] })
  t.match(processes.map(({ script }) => script).join(' '), /npm/, 'npm itself is there as well')
})

t.test('a cluster: its workers are listed first', async (t) => {
  const server = await launched(t, ['node', CLUSTERED])
  const { processes } = await diagnosed(server, async () => { await Promise.all([1, 2, 3, 4].map(() => get(server, '/'))) })
  const { identity: primary } = diagnoserOf(server).channel.agents.find(({ identity: { parent } }) => parent === process.pid)
  t.not(processes[0].pid, primary.pid)
  t.ok(processes.length >= 2, 'the other worker may not be there yet')
  t.equal(processes.at(-1).pid, primary.pid)
})

t.test('a run: its result, the tables, the page, and the profile', async (t) => {
  const folder = t.testdir(PROGRAM)
  const server = await launched(t, ['node', 'server.js'], { cwd: folder, url: '/stall' })
  const profile = path.join(folder, 'server.cpuprofile')
  const result = await run({ url: server.url, connections: 2, amount: 4, workers: 1, warmup: { duration: 0.1 }, sampleInt: 100, diagnose: { target: server, profile } })
  t.match(result.warnings.map(({ code }) => code), ['DIAGNOSED'])
  const { diagnosis: { processes: [process], stalls } } = result
  t.match(process, { pid: server.pid, profile })
  t.ok(JSON.parse(fs.readFileSync(profile)).nodes.length > 1)
  t.ok(stalls.length >= 2 && stalls.every(({ waiting, duration }) => waiting >= 1 && duration >= 50), 'requests were in flight in each of them')
  t.same(result.slowest.map(({ stall }) => stall), result.slowest.map((request) => stallDuring(request, stalls)), 'each slow request names the stall that covers most of it')
  t.ok(result.timeline.some(({ server }) => server.delay > 50))
  t.same(Object.keys(result.timeline[0].server), ['utilization', 'delay', 'gc', 'cpu'])
  t.notOk(result.warmup.diagnosis)
  t.same(JSON.parse(JSON.stringify(result)).diagnosis, result.diagnosis)
  t.notOk(result.options.diagnose)
  for (const report of [printResult(result), toMarkdown(result), toHTML(result)]) t.match(report, /\bstall\b/)

  const again = await run({ url: server.url.replace('/stall', '/'), connections: 1, amount: 5, diagnose: server })
  t.equal(again.diagnosis.processes[0].profile, null)
})

t.test('what cannot be diagnosed is reported, and the run continues', async (t) => {
  const folder = t.testdir(PROGRAM)
  const reason = ({ warnings }) => warnings.find(({ code }) => code === 'NOT_DIAGNOSED')?.message
  const plain = await launched(t, ['node', 'server.js'], { cwd: folder, diagnose: false })
  const one = await run({ url: plain.url, amount: 2, connections: 1, diagnose: plain })
  t.equal(reason(one), 'The server was not diagnosed: it was launched without diagnose.')
  t.equal(one.accounting.completed, 2)
  t.notOk(one.diagnosis)

  const server = await launched(t, ['node', 'server.js'], { cwd: folder })
  const [first, second] = await Promise.all([run({ url: server.url + '/wait', amount: 1, connections: 1, diagnose: server }), run({ url: server.url + '/wait', amount: 1, connections: 1, diagnose: server })])
  t.match([reason(first), reason(second)].sort(), ['The server was not diagnosed: another run is diagnosing it.', undefined])

  const exit = await run({ url: server.url + '/exit', amount: 1, connections: 1, diagnose: server })
  t.equal(reason(exit), 'The server was not completely diagnosed: it ended during the run, and its figures end there.')
  t.match(exit.diagnosis.processes, [{ pid: server.pid }])
  const later = await run({ url: server.url, amount: 1, connections: 1, timeout: 1, diagnose: server })
  t.equal(reason(later), 'The server was not diagnosed: it had ended before the run.')

  const port = await unusedPort()
  const url = `http://127.0.0.1:${port}/`
  const other = await launched(t, ['sh', path.join(__dirname, '../cli/fixtures/servers/ignores-node.sh'), process.execPath, String(port)], { url })
  t.equal(reason(await run({ url, amount: 2, connections: 1, diagnose: other })), 'The server was not diagnosed: it does not run on Node.js, or it removes NODE_OPTIONS from the environment.')
})

t.test('a server that is killed leaves no data', async (t) => {
  const server = await launched(t, ['node', 'server.js'], { cwd: t.testdir(PROGRAM) })
  const { silent, recordings } = await diagnosed(server, async () => {
    process.kill(server.pid, 'SIGKILL')
    await until(() => !isAlive(server.pid))
  })
  t.match(silent, [{ pid: server.pid, reason: 'it was ended by a signal' }])
  t.same(recordings, [])
})

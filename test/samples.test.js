'use strict'

const { execFile } = require('node:child_process')
const { EventEmitter } = require('node:events')
const fs = require('node:fs')
const { createRequire } = require('node:module')
const path = require('node:path')
const { compileFunction } = require('node:vm')
const t = require('tap')
const cannonade = require('..')
const { simulate } = require('./simulation/world')
const { playHere } = require('./support/play-here')

// Some of them measure for a while, so they run one after another.
t.setTimeout(300_000)

const FOLDER = path.join(__dirname, '..', 'samples')
const LONGEST_MS = 200_000
const MOST_LINES = 60

// Most samples end like this; of these, the test can wait for the end within this process. Two of them run in processes of their own
// nevertheless.
const MAIN = /\nmain\(\)\n$/
const APART = ['prometheus.js', 'track.js']

/**
 * Runs a sample; returns its output if it ended by itself and without an error.
 *
 * @param {object} t
 * @param {string} name
 * @param {object} [own] replacements for modules, by the names by which they are required
 * @param {Array<[string, string]>} [instead] pairs of a text that occurs once in the sample, and its replacement
 */
async function play (t, name, own, instead = []) {
  const file = path.join(FOLDER, name)
  let text = fs.readFileSync(file, 'utf8')
  if (!MAIN.test(text) || APART.includes(name)) return playApart(name)
  for (const [there, played] of instead) {
    if (text.split(there).length !== 2) throw new Error(`${name} has ${there} more than once, or not at all`)
    text = text.replace(there, () => played)
  }
  const { code, stdout, stderr } = await playHere(t, () => exportsOf(text.replace(MAIN, '\nmodule.exports = main()\n'), file, own)).ended
  if (code !== 0) throw new Error(`${name} failed with exit code ${code}\n${stdout}`)
  return { stdout, stderr }
}

/** The exports of a module with this source text. `own` are replacements for modules, by the names by which they are required. */
function exportsOf (text, file, own) {
  const module = { exports: {} }
  const required = createRequire(file)
  const load = compileFunction(text, ['exports', 'require', 'module'], { filename: file })
  load(module.exports, (name) => own?.[name] ?? required(name), module)
  return module.exports
}

/** The package, with some of its functions replaced. */
const withOwn = (functions) => Object.assign((...args) => cannonade(...args), cannonade, functions)

/**
 * The same in a simulated world, where servers take exactly as long as configured.
 *
 * @param {object} [places] settings of the server that replaces the sample's node:http server
 * @param {function(World): object} [modules] replacements for modules that it requires
 */
async function simulated (t, name, places, modules = () => {}) {
  const { value } = await simulate({ seed: 1, limit: 3600 }, (world) => {
    const startServer = async ({ delay, http2 = false }) => {
      const { url } = world.server({ host: `10.0.0.${world.servers.length}`, serviceTime: delay, http2 })
      return { url, close: async () => {} }
    }
    const createServer = () => {
      const { port } = new URL(world.server({ host: '127.0.0.1', ...places }).url)
      return { listen: (given, host, then) => then(), address: () => ({ port }), close () {} }
    }
    return play(t, name, { '..': withOwn({ startServer }), ...(places && { 'node:http': { createServer } }), ...modules(world) })
  })
  return value
}

/** The failures of the tests in a sample, when each response takes exactly this many ms. */
async function failuresWith (serviceTime) {
  const file = path.join(FOLDER, 'in-a-test-suite.js')
  const { value } = await simulate({ seed: 1 }, async (world) => {
    const suite = { tests: [], before: null, after: null }
    const register = {
      test: (name, test) => suite.tests.push({ name, test }),
      before: (before) => { suite.before = before },
      after: (after) => { suite.after = after }
    }
    const startServer = async () => ({ url: world.server({ serviceTime }).url, close: async () => {} })
    exportsOf(fs.readFileSync(file, 'utf8'), file, { '..': withOwn({ startServer }), 'node:test': register })
    const failures = []
    await suite.before()
    for (const { name, test } of suite.tests) await test().catch((error) => failures.push(`${name}: ${error.message}`))
    await suite.after()
    return failures
  })
  return value
}

/** Runs a sample as a user would, in a process of its own. */
function playApart (name) {
  return new Promise((resolve, reject) => {
    execFile(process.execPath, [name], { cwd: FOLDER, timeout: LONGEST_MS, killSignal: 'SIGKILL' }, (error, stdout, stderr) => {
      if (error) reject(new Error(`${name} failed: ${error.message}\n${stdout}`))
      else resolve({ stdout, stderr })
    })
  })
}

// The numbers captured by the first match.
function numbers (text, pattern) {
  const found = pattern.exec(text)
  if (found === null) throw new Error(`${pattern} is not in:\n${text}`)
  return found.slice(1).map(Number)
}

// The folder that a sample printed; it is removed at the end of the test.
function folderIn (t, text, pattern, of = (found) => found) {
  const folder = of(pattern.exec(text)[1])
  t.teardown(() => fs.rmSync(folder, { recursive: true }))
  return folder
}

// The count of a status in the printed table of statuses.
const countOf = (text, status) => Number(new RegExp(`│ ${status} +│ (\\d+)`).exec(text)?.[1] ?? 0)

const checks = {
  async 'simplest.js' (t) {
    const { stdout } = await play(t, 'simplest.js')
    const [requests, seconds] = numbers(stdout, /^(\d+) requests in ([\d.]+) s$/m)
    t.ok(requests <= 10 * (seconds / 0.005), `${requests} on ten connections, of which each takes 5 ms at least`)
    t.ok(seconds >= 1)
    t.match(stdout, /Latency.*ms/)
  },

  async 'async-await.js' (t) {
    const { stdout } = await play(t, 'async-await.js')
    t.match(stdout, 'sent 1000 = 1000 completed + 0 failed + 0 timed out + 0 unfinished')
    const [median, p99, max] = numbers(stdout, /median ([\d.]+), p99 ([\d.]+), max ([\d.]+)/)
    t.ok(median >= 5, 'the server takes 5 ms')
    t.ok(median <= p99 && p99 <= max)
  },

  async 'track.js' (t) {
    const { stdout, stderr } = await play(t, 'track.js')
    t.match(stderr, /Running 2s test @ http:\/\/\S+:\d+\n20 connections/)
    for (const seen of [/Latency *│/, /Req\/Sec *│/, /│ 99\.999 /, /│ 200 /]) t.match(stderr, seen)
    t.match(stdout, /^[\d.]+ s: \d+ requests, p99 [\d.]+ ms, 20 connections$/m)
    const [wrong] = numbers(stdout, /^orders: (\d+) responses other than 2xx$/m)
    const right = countOf(stderr, 200)
    t.equal(countOf(stderr, 500), wrong)
    // The server fails each hundredth request. Its responses to the last requests of the 20 connections may have arrived after the end.
    t.ok(wrong >= Math.floor((right + wrong) / 100) && wrong <= Math.floor((right + wrong + 20) / 100), `${wrong} errors, and ${right} others`)
  },

  async 'like-httperf.js' (t) {
    const { stdout } = await play(t, 'like-httperf.js')
    t.match(stdout, /^Total: connections 50 requests 100 replies 100 test-duration [\d.]+ s$/m)
    t.match(stdout, 'Connection length [replies/conn]: 2.000\n')
    t.match(stdout, /^Session rate .* \(50\/50\)$/m)
  },

  async 'echo.js' (t) {
    const { stdout } = await play(t, 'echo.js')
    const [answered, median] = numbers(stdout, /^(\d+) of 200 messages answered, median ([\d.]+) ms/m)
    t.equal(answered, 200)
    t.ok(median >= 5, 'the server takes 5 ms')
    t.match(stdout, /^8 messages sent, 8 received, 0 of them unsolicited$/m)
  },

  async 'chat-room.js' (t) {
    const { stdout } = await play(t, 'chat-room.js')
    t.match(stdout, /^10 in the room: 50 messages, 500 of 500 copies/m)
    t.match(stdout, /^40 in the room: 50 messages, 2000 of 2000 copies/m)
  },

  async 'socket-io.js' (t) {
    const { stdout } = await play(t, 'socket-io.js')
    t.match(stdout, /^50 of 50 acknowledged, median [\d.]+ ms$/m)
    t.match(stdout, /^20 messages, 200 of 200 copies/m)
  },

  async 'jamming.js' (t) {
    const { stdout } = await simulated(t, 'jamming.js', undefined, (world) => {
      // Each copy takes 0.09 ms, so the server sends at most 11,111/s.
      const serviceTime = ({ peer }) => 0.09 * peer.server.openConnections.length
      const { port } = new URL(world.server({ host: '127.0.0.1', websocket: 'broadcast', slots: 1, serviceTime }).url)
      class Worker extends EventEmitter {
        constructor () {
          super()
          process.nextTick(() => this.emit('message', port))
        }

        async terminate () {}
      }
      const own = { connections: [10], duration: 0.3, limit: '10ms' }
      return { 'node:worker_threads': { Worker }, '..': withOwn({ findJamming: (opts, settings) => cannonade.findJamming(opts, { ...settings, ...own }) }) }
    })
    // Each step sends 2,000 copies/s more. At 12,000/s, 888/s are too many: after 0.3 s the last copy waits 24 ms.
    t.match(stdout, /^10 connections: jams at 12000 outgoing\/s \(latency\), recovers in [\d.]+ s$/m)
    t.match(stdout, /^limited by: server; threshold: 12000 outgoing\/s$/m)
  },

  async 'http2.js' (t) {
    const { stdout } = await simulated(t, 'http2.js')
    t.match(stdout, /^1 at a time: 398 requests per second, median 5 ms, 398 answers on 2 connections$/m, '5 ms for each, and the last two are in flight')
    t.match(stdout, /^16 at a time: 6394 requests per second, median 5 ms, 6400 answers on 2 connections$/m, 'however many there are')
  },

  async 'grpc.js' (t) {
    const { stdout } = await play(t, 'grpc.js')
    t.match(stdout, /^300 calls: 200 OK, 100 NOT_FOUND$/m)
  },

  async 'users.js' (t) {
    const { stdout } = await play(t, 'users.js')
    t.match(stdout, /checked out/)
    t.match(stdout, /checks == 100%: it was 100%/)
  },

  async 'login-then-orders.js' (t) {
    const { stdout } = await play(t, 'login-then-orders.js', undefined, [['duration: 1,', 'amount: 200,']])
    const [logins] = numbers(stdout, /^log in: (\d+) × POST \/login, p99 [\d.]+ ms, statuses 200$/m)
    const [orders] = numbers(stdout, /^list orders: (\d+) × GET \/orders, p99 [\d.]+ ms, statuses 200$/m)
    t.equal(logins + orders, 200)
    t.ok(logins >= orders && logins <= orders + 5, 'each connection alternates between them')
    t.match(stdout, 'resets: 0')
  },

  async 'change-headers.js' (t) {
    const { stdout } = await play(t, 'change-headers.js')
    t.match(stdout, '300 requests')
    let sum = 0
    for (const user of [1, 2, 3]) {
      const [first, again] = numbers(stdout, new RegExp(`^user-${user}: (\\d+) first visit, (\\d+) more$`, 'm'))
      t.equal(first, 1)
      sum += first + again
    }
    t.equal(sum, 300)
  },

  async 'verify-bodies.js' (t) {
    const { stdout } = await play(t, 'verify-bodies.js')
    t.match(stdout, 'a wrong body: {"items"')
    t.match(stdout, '20 of 200 bodies were wrong')
  },

  async 'unique-ids.js' (t) {
    const { stdout } = await play(t, 'unique-ids.js')
    t.match(stdout, '500 sent, 500 different ids')
    t.match(stdout, '500 created, 0 conflicts')
    t.match(stdout, /^for example \{"id":"[0-9a-z]+","name":"a thing"\}$/m)
  },

  async 'record.js' (t) {
    const { stdout } = await play(t, 'record.js')
    t.match(stdout, /^1000 lines of 1000 requests\n(due at \d\.\d+ s, took \d+(\.\d+)? ms, trace [0-9a-f]{32}: cache (hit|miss: 200 ms in the database)\n){3}$/)
  },

  async 'in-a-test-suite.js' (t) {
    const { stdout } = await play(t, 'in-a-test-suite.js')
    t.match(stdout, /pass 4\b/)
    t.match(stdout, /fail 0\b/)
    t.same(await failuresWith(1999), [])
    t.match(await failuresWith(2001), [/^is still fast enough: .*p50 < 2s/s])
  },

  async 'abort-signal.js' (t) {
    const { stdout } = await play(t, 'abort-signal.js')
    const [enough] = numbers(stdout, /^seen enough: (\d+) requests in [\d.]+ s$/m)
    t.ok(enough >= 200)
    const [seconds] = numbers(stdout, /^half a second: \d+ requests in ([\d.]+) s, 0 errors$/m)
    t.ok(seconds < 300, 'and not an hour')
  },

  async 'language-model.js' (t) {
    const { stdout } = await play(t, 'language-model.js')
    t.match(stdout, /^20 answers of 12 to 12 tokens, 240 in all, 240 with text$/m)
    const [first] = numbers(stdout, /^time to first token: ([\d.]+) ms/m)
    // A timer counts whole milliseconds of a different clock.
    t.ok(first > 48, `${first} ms`)

    const tokens = Array.from({ length: 12 }, (_, token) => [50 + 10 * token, 'data: {"choices":[{"delta":{"content":"word"}}]}\n\n'])
    const exactly = await simulated(t, 'language-model.js', { answer: { pieces: [...tokens, [160, 'data: [DONE]\n\n']] } })
    t.match(exactly.stdout, /^20 answers of 12 to 12 tokens, 240 in all, 240 with text\ntime to first token: 50 ms, at worst 50 ms\nbetween two tokens: 10 ms, at worst 10 ms\n/m)
    t.match(exactly.stdout, /^tokens per second: 300 in all, 100 in an answer\ngood enough$/m, 'five times four answers of 160 ms')
  },

  async 'users-that-come-and-go.js' (t) {
    const { stdout } = await simulated(t, 'users-that-come-and-go.js')
    t.same(numbers(stdout, /^(\d+) users arrived, (\d+) were served, (\d+) were not$/m), [40, 40, 0])
    t.match(stdout, /^each request took 5(?:\.00\d)? ms, seen by its user$/m)
    t.match(stdout, /^good enough$/m)
  },

  async 'shop.js' (t) {
    const { stdout } = await simulated(t, 'shop.js')
    t.same(numbers(stdout, /^browse: (\d+) users, (\d+) responses, p50 5(?:\.00\d)? ms$/m), [70, 140])
    t.same(numbers(stdout, /^search: (\d+) users, (\d+) responses/m), [25, 75])
    t.same(numbers(stdout, /^buy: (\d+) users, (\d+) responses/m), [5, 20])
    t.match(stdout, /^good enough$/m)
  },

  async 'replay-a-log.js' (t) {
    const { stdout } = await play(t, 'replay-a-log.js')
    t.match(stdout, /^40 of 40 requests were answered, at 40 per second$/m)
    t.match(stdout, /^GET \/: 26\nGET \/search: 14$/m)
    t.match(stdout, /^REPLAY_LINES_LEFT_OUT: Skipped 1 line of the log/m)
  },

  async 'browser-like.js' (t) {
    const { stdout } = await play(t, 'browser-like.js')
    t.same(numbers(stdout, /^(\d+) visits of (\d+) requests on ([\d.]+) connections each$/m), [20, 8, 4])
  },

  async 'stages.js' (t) {
    const { stdout } = await simulated(t, 'stages.js')
    t.match(stdout, '290 were due, 290 completed')
    const samples = [...stdout.matchAll(/^until ([\d.]+) s: (\d+) per second/mg)].map(([, time, rate]) => [Number(time), Number(rate)])
    // In the ramp from 40/s to 160/s, the first half second has 35 requests and the second 65; one is answered after the end of its sample.
    t.same(samples.map(([time]) => time), [0.5, 1, 1.5, 2, 2.5, 3])
    for (const [index, rate] of [40, 40, 70, 130, 0, 300].entries()) t.ok(Math.abs(samples[index][1] - rate) <= 2, `${samples[index]} and ${rate}`)
  },

  async 'stalled-server.js' (t) {
    // A stall of 300 ms in 1.5 s.
    const half = [['const DURATION = 3', 'const DURATION = 1.5'], ['STALL_FROM_MS = 1200', 'STALL_FROM_MS = 600'], ['STALL_MS = 600', 'STALL_MS = 300']]
    const { stdout } = await play(t, 'stalled-server.js', undefined, half)
    const rowOf = (name) => numbers(stdout, new RegExp(`^ +${name} +([\\d.]+) +([\\d.]+) +([\\d.]+) +([\\d.]+)$`, 'm'))
    t.equal(rowOf('requests')[1], 300, 'every request that came due is in the latency')
    for (const [name, expected] of [['p90', 150], ['p99', 285]]) {
      const row = rowOf(name)
      t.equal(row[0], expected)
      t.ok(row[1] > expected - 10, `the latency shows the stall at ${name}: ${row}`)
    }
    // By how much they differ depends on the machine, which may stand still itself.
    for (const name of ['p50', 'p90', 'p99', 'p99_9']) {
      const [, latency, service, closed] = rowOf(name)
      t.ok(service <= latency && closed >= 0, `the service time counts from a later time: ${rowOf(name)}`)
    }
  },

  async 'compare.js' (t) {
    const { stdout } = await simulated(t, 'compare.js')
    t.match(stdout, /^B is: faster$/m, '4 ms instead of 8')
    const [difference, from, to] = numbers(stdout, /^throughput: \+([\d.]+)% \(95% interval \+([\d.]+)% to \+([\d.]+)%\), faster$/m)
    t.equal(Math.round(difference), 100)
    t.ok(from <= difference && difference <= to)
    t.match(stdout, /^errorRate: .*no difference shown$/m)
  },

  async 'sweep.js' (t) {
    const { stdout } = await simulated(t, 'sweep.js', { slots: 2, serviceTime: 10 })
    const rows = [...stdout.matchAll(/^(\d+)\/s: achieved ([\d.]+)\/s, p50 ([\d.]+) ms/mg)].map(([, ...cells]) => cells.map(Number))
    t.same(rows.map(([demanded]) => demanded), [50, 100, 150, 200, 250, 300])
    t.same(rows.map(([, achieved]) => achieved), [50, 99.8, 148, 198, 198, 198], "there are slots for 200 per second; responses after the end of a run's half second do not count")
    const folder = folderIn(t, stdout, /^rows and charts are in (.+)$/m)
    t.match(fs.readFileSync(path.join(folder, 'rates.csv'), 'utf8'), /^demanded,target,achieved.*\n50,two places,/)
    t.match(fs.readFileSync(path.join(folder, 'rates.html'), 'utf8'), '<h1>Sweep of two places</h1>')
  },

  async 'capacity.js' (t) {
    const { stdout } = await simulated(t, 'capacity.js', { slots: 4, serviceTime: 20 })
    const [most] = numbers(stdout, /^at most (\d+) seconds$/m)
    t.ok(most > 5 && most < 100)
    t.match(stdout, /^100\/s: p99 20 ms, passed$/m)
    t.match(stdout, /^400\/s: p99 [\d.]+ ms, failed$/m)
    t.match(stdout, /^capacity: 200 requests per second \(between 200 and 225\), limited by the server: rate\.achieved >= 98%$/m)
  },

  async 'report.js' (t) {
    const { stdout } = await play(t, 'report.js')
    const folder = folderIn(t, stdout, /^(.+report\.html)$/m, path.dirname)
    const read = (name) => fs.readFileSync(path.join(folder, name), 'utf8')
    t.match(read('report.html'), '<h1>orders</h1>')
    t.match(read('timeline.csv'), /^time,/)
    t.equal(JSON.parse(read('result.json')).accounting.scheduled, 150)
    t.same(stdout.trim().split('\n').map((file) => path.basename(file)), ['report.html', 'result.json', 'timeline.csv'])
  },

  async 'dashboard.js' (t) {
    const { stdout } = await play(t, 'dashboard.js')
    t.match(stdout, /^watch it at http:\/\/127\.0\.0\.1:\d+\/?\nits title: orders$/m)
    const [completed] = numbers(stdout, /^(\d+) of 175 completed$/m)
    t.ok(completed > 0)
  },

  async 'prometheus.js' (t) {
    const { stdout } = await play(t, 'prometheus.js')
    const [completed] = numbers(stdout, /^(\d+) of 200 completed$/m)
    t.equal(numbers(stdout, /^cannonade_requests_total\{outcome="completed",title="orders",branch="main"\} (\d+)$/m)[0], completed)
  },

  async 'why-is-it-slow.js' (t) {
    const { stdout } = await play(t, 'why-is-it-slow.js')
    const [requests, milliseconds] = numbers(stdout, /^After [\d.]+ s, (\d+) requests waited ([\d.]+) ms for$/m)
    t.ok(requests >= 1 && milliseconds >= 50)
    t.match(stdout, /\n {2}report .*why-is-it-slow\.js:\d+\n {2}rankOf .*why-is-it-slow\.js:\d+\n/)
  }
}

for (const [name, check] of Object.entries(checks)) t.test(name, check)

t.test('every sample has a test here, and requires the package as users do', async (t) => {
  // demo.js demonstrates the command; it is not a program to learn from.
  const samples = fs.readdirSync(FOLDER).filter((name) => name.endsWith('.js') && name !== 'demo.js')
  t.same(samples, Object.keys(checks).sort())
  for (const name of samples) {
    const text = fs.readFileSync(path.join(FOLDER, name), 'utf8')
    t.ok(text.split('\n').length - 1 <= MOST_LINES, `${name} has at most ${MOST_LINES} lines`)
    t.match(text, "require('..') // in your own program: require('cannonade')", name)
  }
})

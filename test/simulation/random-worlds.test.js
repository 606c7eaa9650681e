'use strict'

// Invariants of every run, in random worlds; random/check.js defines them. `npm run simulate` plays more worlds.

const { execFile, fork } = require('node:child_process')
const path = require('node:path')
const t = require('tap')
const { compareWorlds } = require('../support/digests')
const DEFECTS = require('./defects')
const simulate = require('./simulate')

const WORLDS = 1200

t.setTimeout(600_000)

// In a process of its own that sends a single message: tap tracks each promise of this process, and there are millions.
const played = new Promise((resolve, reject) => {
  const child = fork(path.join(__dirname, 'play-process.js'), [WORLDS], { timeout: 600_000, killSignal: 'SIGKILL' })
  child.once('message', resolve)
  child.once('exit', (code, signal) => reject(new Error(`it ended with ${code ?? signal} and said nothing`)))
})
// Whoever waits for it receives the error.
played.catch(() => {})

// As a process of its own.
const startSimulate = (...args) => new Promise((resolve) => {
  execFile(process.execPath, [path.join(__dirname, 'simulate.js'), ...args], { timeout: 300_000, killSignal: 'SIGKILL' }, (error, stdout, stderr) => resolve({ code: error ? error.code : 0, stdout, stderr }))
})

// In this process.
async function simulateHere (args) {
  const told = { stdout: '', stderr: '' }
  const code = await simulate(args, { stdout: { write: (text) => { told.stdout += text } }, stderr: { write: (text) => { told.stderr += text } } })
  return { code, ...told }
}

t.test('all invariants hold in random worlds', async (t) => {
  const { worlds: { coverage, failures } } = await played
  for (const { seed, text } of failures) t.fail(`seed ${seed}\n${text}`)
  t.equal(coverage.worlds, WORLDS)
  // Each kind of event occurs, so that no check passes for lack of cases.
  for (const box of Object.keys(coverage.requests)) t.ok(coverage.requests[box] > 100, `${coverage.requests[box]} ${box}`)
  const kinds = [
    'option overallRate', 'option connectionRate', 'option stages', 'option bursts', 'option arrivals', 'option thinkTime', 'option amount',
    'option reconnectRate', 'option maxConnectionRequests', 'option maxOverallRequests', 'option drain', 'option warmup', 'option forever',
    'option bailout', 'option abortOnFail', 'option followRedirects', 'option feed', 'option sessions', 'option http2', 'option websocket', 'expect reply', 'expect nothing',
    'expect broadcast', 'hook match', 'hook onMessage', 'event sendAll close', 'proxy tunnel', 'proxy forward', 'option workers', 'server streams', 'event goAwayAll', 'option stream', 'hook onEvent', 'hook setupRequest', 'hook onResponse', 'hook setupClient',
    'end stop', 'end abort', 'error ECONNRESET', 'error ECONNREFUSED', 'error CANNONADE_CONNECT_TIMEOUT', 'error CANNONADE_RESPONSE_TIMEOUT',
    'error CANNONADE_BAD_RESPONSE', 'error CANNONADE_TRUNCATED_RESPONSE', 'error CANNONADE_CLOSED_BY_SERVER', 'error CANNONADE_LOST_IN_PIPELINE', 'error CANNONADE_STREAM_RESET',
    'error CANNONADE_BAD_HANDSHAKE', 'error CANNONADE_BAD_FRAME', 'error CANNONADE_PROXY_REFUSED',
    'option expectBody', 'body gzip', 'body br', 'body deflate', 'body raw deflate', 'body gzip, br', 'body gzip cut', 'body br garbage', 'body zstd', 'warning BODY_NOT_DECODED',
    'option grpc', 'call OK', 'call MISSING', 'call NO_MESSAGE', 'call UNKNOWN', 'call UNAVAILABLE', 'answer text frames apart harm', 'answer status details isHeadOnly',
    'server history', 'answer copies twice', 'event sendAll no name', 'option socketio', 'socketio ack', 'socketio reply', 'socketio broadcast', 'socketio nothing', 'joining after', 'joining refusal',
    'setting INITIAL_WINDOW_SIZE', 'setting MAX_FRAME_SIZE', 'setting HEADER_TABLE_SIZE', 'change INITIAL_WINDOW_SIZE', 'change MAX_CONCURRENT_STREAMS', 'change HEADER_TABLE_SIZE',
    'change MAX_FRAME_SIZE', 'coding plain', 'coding adding', 'coding indexed', 'coding mixed', 'habit narrow windows', 'habit shifting window', 'habit early answer', 'habit early RST_STREAM', 'habit early end', 'habit early reset',
    'habit late DATA', 'habit padding', 'habit GOAWAY twice', 'habit upload', 'answer body rst rstAfter', 'event pingAll',
    'option scenarios', 'option requests', 'method POST', 'method HEAD', 'option idReplacement', 'sequence chained',
    'option localAddress', 'option socketPath', 'server isOneOfTwo', 'option pacing', 'option skipAggregateResult',
    'option cookies', 'option compress', 'server deflate',
    'event stall of one', 'event partition of one', 'event resetAll of one', 'event endAll of one', 'event goAwayAll of one', 'event changeSettings of one', 'event sendAll of one',
    'event partition of some', 'event resetAll of some', 'event changeSettings of some'
  ]
  t.same(kinds.filter((kind) => !coverage.occurred.includes(kind)), [], 'each kind occurs')
})

t.test('everything that can be seen of these worlds is as it was', async (t) => {
  const { worlds: { digests } } = await played
  compareWorlds(t, path.join(__dirname, 'digests/worlds.json'), digests)
})

for (const { name, texts } of DEFECTS) {
  t.test(`the checks find a planted defect ${name}`, async (t) => {
    const found = (await played).defects.find((each) => each.name === name)
    t.match(found, { failures: [{ seed: Number }] }, 'in one of its worlds')
    for (const text of texts ?? []) t.match(found.failures[0].text, text)
  })
}

t.test('the command plays a seed, and prints the coverage', async (t) => {
  const { code, stdout } = await simulateHere(['--seed', '7', '--worlds', '3'])
  t.equal(code, 0)
  t.match(stdout, /^3 worlds, \d+ s of virtual time\nrequests: \d+ scheduled, /)
  t.match(stdout, /All of them were as they must be/)
})

t.test('the command rejects invalid seeds and numbers, as a process with its exit code', async (t) => {
  const { code, stderr, stdout } = await startSimulate('--seed', 'x')
  t.match({ code, stdout }, { code: 2, stdout: '' })
  t.match(stderr, /^--seed must be a whole number .*\n$/)
  for (const args of [['--seed', '-1'], ['--worlds', '0'], ['--worlds', '1.5'], ['--world', '1']]) {
    const { code, stdout, stderr } = await simulateHere(args)
    t.equal(code, 2, args.join(' '))
    t.equal(stdout, '')
    t.match(stderr, /^[^\n]+\n$/, 'one line')
  }
})

'use strict'

// The same command lines for httperf and for `cannonade httperf`, with the same server: the output has the same format, the same totals and
// the same classes of errors, and connections start at the same rate.

const { spawn, spawnSync } = require('node:child_process')
const { once } = require('node:events')
const path = require('node:path')
const t = require('tap')
const { rawServer, chunkedReply, closedPort, reply } = require('../../support/servers')
const { simulate } = require('../../simulation/world')
const { runCommand } = require('../../cli/command')

const DEADLINE_MS = 120_000
const isThere = spawnSync('httperf', ['--version'], { timeout: DEADLINE_MS }).status === 0
const options = isThere ? {} : { skip: 'httperf is not installed: apt-get install httperf' }

async function httperf (words) {
  const child = spawn('httperf', words, { stdio: ['ignore', 'pipe', 'ignore'], timeout: DEADLINE_MS, killSignal: 'SIGKILL' })
  let stdout = ''
  child.stdout.setEncoding('utf8').on('data', (text) => { stdout += text })
  const [code] = await once(child, 'close')
  return { code, stdout }
}

/** The parts of the output that both have. */
async function both (t, { hostname, port }, words) {
  const all = ['--server', hostname, '--port', port, ...words]
  const theirs = await httperf(all)
  const ours = await runCommand(t, ['httperf', ...all])
  t.equal(theirs.code, 0)
  t.equal(ours.code, 0)
  return [blockOf(theirs.stdout), blockOf(ours.stdout)]
}

// Everything from the totals on, without what only one of them prints.
function blockOf (text) {
  const lines = text.split('\n')
  const end = lines.findIndex((line) => /^(Percentiles|Accounts)/.test(line))
  return lines.slice(lines.findIndex((line) => line.startsWith('Total:')), end === -1 ? undefined : end).filter((line) => line !== '')
}

const form = (line) => line.replace(/\d+(\.\d+)?/g, (number) => number.includes('.') ? `#.${'#'.repeat(number.split('.')[1].length)}` : '#')
const lineOf = (block, start) => block.find((line) => line.startsWith(start))

const ANSWERS = {
  '/chunked': (socket) => socket.write(chunkedReply(['four'])),
  '/unavailable': (socket) => socket.write(reply('no', { status: 503 })),
  '/end': (socket) => socket.end(),
  '/reset': (socket) => socket.resetAndDestroy(),
  '/silent': () => {}
}

const server = (t) => rawServer(t, (socket, { path }) => (ANSWERS[path] ?? (() => socket.write(reply('hello', { headers: ['Set-Cookie: a=b'] }))))(socket))

const AT_A_RATE = ['--rate', '200', '--num-conns', '12']
const CASES = {
  'one call on each connection': AT_A_RATE,
  'calls in bursts, in chunks': [...AT_A_RATE, '--uri', '/chunked', '--num-calls', '6', '--burst-length', '3'],
  'one connection after the other': ['--num-conns', '5', '--num-calls', '3'],
  'statuses that are no errors': [...AT_A_RATE, '--uri', '/unavailable', '--num-calls', '2'],
  'connections that are ended': [...AT_A_RATE, '--uri', '/end', '--num-calls', '2'],
  'replies that never come': [...AT_A_RATE, '--uri', '/silent', '--timeout', '2.5'],
  'sessions with bursts and pauses': ['--rate', '100', '--wsess', '5,6,0.03', '--burst-length', '3', '--session-cookies'],
  'sessions that fail': ['--rate', '100', '--wsess', '5,5,0', '--uri', '/unavailable', '--failure-status', '503']
}

for (const [name, words] of Object.entries(CASES)) {
  t.test(`same output as httperf: ${name}`, options, async (t) => {
    const [theirs, ours] = await both(t, new URL((await server(t)).url), words)
    // The sizes differ because the headers do, and the length of a histogram is not part of the format.
    const same = (line) => !line.startsWith('Session length')
    t.same(ours.filter(same).map(form), theirs.filter(same).map(form), 'the same lines')
    for (const start of ['Connection length', 'Reply size', 'Reply status', 'Errors: total', 'Errors: fd', 'Session: avg', 'Session length']) {
      t.equal(lineOf(ours, start), lineOf(theirs, start), start)
    }
    const totals = ([line]) => line.replace(/ test-duration.*/, '')
    t.equal(totals(ours), totals(theirs))
  })
}

t.test('same output as httperf: connections that are reset', options, async (t) => {
  const words = [...AT_A_RATE, '--uri', '/reset']
  const [theirs, ours] = await both(t, new URL((await server(t)).url), words)
  t.same(ours.map(form), theirs.map(form), 'the same lines')
  // A real system may report a reset as an end.
  const { value } = await simulate({ seed: 1 }, (world) => {
    return runCommand(t, ['httperf', '--server', new URL(world.server({ answer: 'reset' }).url).hostname, ...words])
  })
  t.equal(lineOf(blockOf(value.stdout), 'Errors: total'), 'Errors: total 12 client-timo 0 socket-timo 0 connrefused 0 connreset 12')
})

t.test('same output as httperf: a server that refuses connections', options, async (t) => {
  const { url } = await closedPort(t)
  const [theirs, ours] = await both(t, new URL(url), AT_A_RATE)
  t.equal(lineOf(ours, 'Errors: total'), 'Errors: total 12 client-timo 0 socket-timo 0 connrefused 12 connreset 0')
  t.equal(lineOf(ours, 'Errors: total'), lineOf(theirs, 'Errors: total'))
})

// Lines of each kind: continued, escaped and quoted contents, non-UTF-8 bytes, bursts and comments.
const SESSION_LOG = `# a comment that ends in \\
/a method=POST contents="Multi\\
line\\\\ \\"1\\" \\x41\\101\\a\\n\\ttab"
\t/b method=PUT contents='it''s "one"'\\ word"s"
    /c contents=\xe9\\
d
/e contents="" method=DELETE
/f think=0.01 contents=$'x'

 \t
/second\t\tmethod=OPTIONS
# between
  /third
`

t.test('same requests as httperf: a session log', options, async (t) => {
  const file = path.join(t.testdir({ log: Buffer.from(SESSION_LOG, 'latin1') }), 'log')
  let seen = []
  let waiting = 0
  const { url } = await rawServer(t, (socket, { method, path, body }) => {
    seen.push({ call: `${method} ${path}`, body: body.toString('latin1'), waiting: waiting++ })
    setTimeout(() => {
      waiting--
      socket.write(reply('hello'))
    }, 5)
  })
  const words = ['--server', '127.0.0.1', '--port', new URL(url).port, '--wsesslog', `2,0,${file}`]
  const calls = []
  for (const start of [httperf, (words) => runCommand(t, ['httperf', ...words])]) {
    seen = []
    const { code, stdout } = await start(words)
    t.equal(code, 0)
    t.match(stdout, /^Total: connections 2 requests 7 replies 7 /m)
    // The first call of a burst is answered before others are sent; the order of the others is undefined.
    for (const { call, waiting } of seen) if (!call.endsWith('/c')) t.equal(waiting, 0, call)
    calls.push(seen.map(({ call, body }) => `${call} ${body}`).sort())
  }
  t.same(calls[1], calls[0])
  t.ok(calls[0].includes('POST /a Multi\nline\\ "1" x41101a\n\ttab'))
})

const CONNECTIONS = 240
const RATE = 160

t.test('same connection rate as httperf', options, async (t) => {
  const words = ['--rate', String(RATE), '--num-conns', String(CONNECTIONS)]
  const target = await rawServer(t, (socket) => socket.write(reply('hello')))
  const [theirs, ours] = await both(t, new URL(target.url), words)
  t.equal(target.connections, 2 * CONNECTIONS)
  // A busy machine delays both, and makes neither early.
  for (const block of [theirs, ours]) {
    const seconds = Number(/test-duration ([\d.]+)/.exec(block[0])[1])
    const rate = Number(/^Connection rate: ([\d.]+)/.exec(lineOf(block, 'Connection rate'))[1])
    t.ok(Math.abs(rate - CONNECTIONS / seconds) < 0.2, `${rate} in ${seconds} s`)
    t.ok(seconds >= (CONNECTIONS - 1) / RATE - 0.01)
  }
  // A generator without delays takes exactly this long, and not longer.
  const { value } = await simulate({ seed: 1 }, (world) => runCommand(t, ['httperf', '--server', new URL(world.server().url).hostname, ...words]))
  t.equal(blockOf(value.stdout)[0], 'Total: connections 240 requests 240 replies 240 test-duration 1.494 s')
})

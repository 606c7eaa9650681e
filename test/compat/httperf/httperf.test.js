'use strict'

// `cannonade httperf`: httperf's flags, and the runs that result from them. Mostly with simulated servers, whose log has each call.

const fs = require('node:fs')
const net = require('node:net')
const path = require('node:path')
const t = require('tap')
const { readPeriod, scheduleOf } = require('../../../lib/compat/httperf/period')
const clock = require('../../../lib/world')
const { simulate } = require('../../simulation/world')
const { reply } = require('../../support/servers')
const { until } = require('../../support/wait')
const { runCommand, startCommand } = require('../../cli/command')

const HOST = '10.0.0.1'
const SHORT = 'The reply rate has no samples, because a run took less than 5 seconds. Raise --num-conns.\n'

/** The output of the command, and what its server received. `interruptedAt`: ms after its start, when Ctrl-C is pressed. */
async function play (t, words, { interruptedAt, ...settings } = {}) {
  const { value, world } = await simulate({ seed: 1 }, (world) => {
    world.server({ host: HOST, ...settings })
    const { kill, ended } = startCommand(t, ['httperf', '--server', HOST, ...words])
    if (interruptedAt !== undefined) clock.setTimeout(() => kill('SIGINT'), interruptedAt)
    return ended
  })
  const paths = world.log.map((entry) => entry.path)
  const begun = world.sockets.map(({ begunAt }) => begunAt / 1000)
  const first = begun[0]
  return { ...value, lines: value.stdout.split('\n'), world, paths, begun: begun.map((at) => Math.round(at - first)) }
}

function temporary (t, content) {
  const file = path.join(t.testdir({ file: content }), 'file')
  return file
}

t.test('connections at a rate, each with its calls', async (t) => {
  const { code, stdout, stderr, begun, lines } = await play(t, ['--rate', '50', '--num-conns', '10', '--num-calls', '3'], { serviceTime: 10 })
  t.equal(code, 0)
  t.equal(stderr, SHORT)
  t.equal(lines[0], `httperf --client=0/1 --server=${HOST} --port=80 --uri=/ --rate=50 --num-conns=10 --num-calls=3`)
  t.equal(lines[1], 'Maximum connect burst length: 1')
  t.equal(lines[2], '')
  t.equal(lines[3], 'Total: connections 10 requests 30 replies 30 test-duration 0.210 s')
  t.same(begun, [0, 20, 40, 60, 80, 100, 120, 140, 160, 180])
  t.match(stdout, 'Connection time [ms]: min 30.0 avg 30.0 max 30.0 median 30.0 stddev 0.0\n')
  t.match(stdout, 'Connection length [replies/conn]: 3.000\n')
  t.notMatch(stdout, /Session/)
})

t.test('without a rate, connections follow one another', async (t) => {
  for (const words of [[], ['--rate', '0'], ['--period', 'd0'], ['--period', 'v0,1']]) {
    const { lines, begun } = await play(t, ['--num-conns', '4', ...words], { serviceTime: 10 })
    t.match(lines[1], 'burst length: 0')
    t.match(lines[3], 'Total: connections 4 requests 4 replies 4 test-duration 0.040 s')
    t.same(begun, [0, 10, 20, 30])
  }
})

t.test('no warnings about options that were not given', async (t) => {
  const log = temporary(t, '/a\n/b think=0.01\n')
  const workloads = [['--num-conns', '3'], ['--num-conns', '3', '--num-calls', '4', '--burst-length', '2'], ['--wsess', '3,2,0.01'], ['--wsesslog', `3,0.01,${log}`], ['--num-conns', '3', '--max-connections', '2'], ['--runtime', '0.1']]
  for (const words of workloads) {
    for (const load of [[], ['--rate', '50'], ['--period', 'e0.01']]) {
      const { code, stderr } = await play(t, [...words, ...load, '--timeout', '5'], { serviceTime: 1 })
      t.same([code, stderr], [0, SHORT], [...words, ...load].join(' '))
    }
  }
})

t.test('names may be abbreviated, values may follow =, one dash is enough, and the last value counts', async (t) => {
  const whole = await play(t, ['--rate=100', '--num-conns=3', '--num-calls=2', '--uri=/a'])
  const short = await play(t, ['-rate', '7', '--ra', '100', '--num-co', '3', '--num-ca=2', '--ur', '/a', '--period', '3', '--rate', '100'])
  t.equal(short.lines[0], whole.lines[0])
  t.same(short.begun, whole.begun)
  const cookies = await play(t, ['--wsess', '1,2,0', '--session-cookie'], { answer: { headers: { 'Set-Cookie': 'a=b' } } })
  t.match(cookies.lines[0], '--session-cookies --wsess=1,2,0')
})

t.test('a command line as autobench generates it, and what it parses in the output', async (t) => {
  const words = '--uri / --num-conn 220 --num-call 2 --timeout 5 --rate 20 --port 80 --hog --send-buffer 4096 --recv-buffer 16384 --add-header Accept:*/*\\n'.split(' ')
  const { code, lines } = await play(t, words, { serviceTime: 50, answer: ({ number }) => number === 439 ? 'reset' : 200 })
  t.equal(code, 0)
  const read = (pattern) => lines.map((line) => pattern.exec(line)).filter(Boolean).map((match) => match.slice(1).map(Number))
  t.same(read(/^Total: .*replies (\d+)/), [[439]])
  t.same(read(/^Connection rate: (\d+\.\d)/), [[19.9]])
  t.same(read(/^Request rate: (\d+\.\d)/), [[39.8]])
  t.same(read(/^Reply rate .*min (\d+\.\d) avg (\d+\.\d) max (\d+\.\d) stddev (\d+\.\d)/), [[39.4, 39.7, 40, 0.4]])
  t.same(read(/^Reply time .* response (\d+\.\d)/), [[50]])
  t.equal(read(/^Net I\/O: (\d+\.\d)/).length, 1)
  t.same(read(/^Errors: total (\d+)/), [[1]])
})

t.test('intervals: fixed, uniform, exponential, and variable ones that start over', async (t) => {
  const arrivals = async (...words) => (await play(t, ['--num-conns', '12', ...words])).begun
  t.same((await arrivals('--period', '0.05')).slice(0, 4), [0, 50, 100, 150])
  t.same(await arrivals('--period', 'd0.05'), await arrivals('--rate', '20'))
  t.same((await arrivals('--period', 'v0.1,0.3,0.01,0.02')), [0, 100, 200, 300, 310, 320, 420, 520, 620, 630, 640, 740])
  const gapsOf = (begun) => begun.slice(1).map((at, index) => at - begun[index])
  const uniform = await arrivals('--period', 'u0.02,0.06')
  t.ok(gapsOf(uniform).every((gap) => gap >= 19 && gap <= 61) && new Set(gapsOf(uniform)).size > 5, String(gapsOf(uniform)))
  t.same(await arrivals('--period', 'u0.02,0.06'), uniform, 'the same again')
  t.notSame(await arrivals('--period', 'u0.02,0.06', '--client', '1/2'), uniform, 'but not for another client')
  const fromNone = gapsOf(await arrivals('--period', 'u0,0.06'))
  t.ok(fromNone.every((gap) => gap >= 0 && gap <= 61) && new Set(fromNone).size > 5, String(fromNone))
  const exponential = await arrivals('--period', 'e0.05')
  t.ok(new Set(gapsOf(exponential)).size > 5)
  t.notSame(await arrivals('--period', 'e0.05', '--client', '1/2'), exponential)
})

t.test('with a runtime and no number of connections, they arrive until the time is over, whatever the period', async (t) => {
  // Each with its longest gap, s.
  for (const [period, longest] of [['0.05', 0.05], ['e0.01', 0.1], ['u0.02,0.06', 0.06], ['u0,0.06', 0.06], ['u0,0.002', 0.002], ['v0.1,0.3,0.01,0.02', 0.1], ['v0,0.0001,0.1,0.3', 0.1], ['v0.5,0.6,0.01,0.01', 0.5]]) {
    const { begun } = await play(t, ['--period', period, '--runtime', '2'])
    t.ok(begun.at(-1) >= 1000 * (2 - 2 * longest) && begun.at(-1) <= 2000, `${period}: the last of ${begun.length} after ${begun.at(-1)} ms`)
  }
})

t.test('a gap fits as often into its time as the decimal numbers say, although few of them are exact', async (t) => {
  const wrong = []
  for (const gap of ['0.1', '0.01', '0.03', '0.07', '0.3', '1.1']) {
    for (let count = 1; count <= 100; count++) {
      const time = (count * Number(gap)).toFixed(2)
      const { stages: [{ duration, rate }] } = scheduleOf(readPeriod(`v${gap},${time},5,5`, '--period'), { arrivals: 1000, seconds: Infinity }, 1)
      if (Math.round(duration * rate) !== count) wrong.push(`${gap} in ${time}: ${duration * rate}`)
    }
  }
  t.same(wrong, [])
})

t.test('bursts: calls that are sent together, even if the last burst is incomplete', async (t) => {
  const { lines, world } = await play(t, ['--num-calls', '5', '--burst-length', '2'], { serviceTime: 10 })
  t.match(lines[3], 'Total: connections 1 requests 5 replies 5 test-duration 0.030 s')
  t.same(world.log.map(({ sentAt }) => Math.round((sentAt - world.log[0].sentAt) / 1000)), [0, 0, 10, 10, 20])
})

t.test('a connection that the server closes before all calls are made is an error, and is not reopened', async (t) => {
  const { lines } = await play(t, ['--num-conns', '3', '--num-calls', '4'], { keepAlive: 2 })
  t.match(lines[3], 'Total: connections 3 requests 6 replies 6 ')
  t.ok(lines.includes('Errors: total 3 client-timo 0 socket-timo 0 connrefused 0 connreset 3'))
  const whole = await play(t, ['--num-conns', '3', '--num-calls', '2'], { keepAlive: 2 })
  t.ok(whole.lines.includes('Errors: total 0 client-timo 0 socket-timo 0 connrefused 0 connreset 0'), 'with its last reply it may')
})

t.test('sessions: the first call of a burst alone, then the others, and a pause before the next burst', async (t) => {
  const { lines, stdout, world } = await play(t, ['--wsess', '2,5,1.5', '--burst-length', '3', '--rate', '1'], { serviceTime: 10 })
  t.match(lines[3], 'Total: connections 2 requests 10 replies 10 test-duration 2.540 s')
  const ofFirst = world.log.filter(({ socket }) => socket === world.log[0].socket)
  t.same(ofFirst.map(({ sentAt }) => Math.round((sentAt - world.log[0].sentAt) / 1000)), [0, 10, 10, 1520, 1530])
  t.match(stdout, 'Session rate [sess/s]: min 0.00 avg 0.79 max 0.00 stddev 0.00 (2/2)\nSession: avg 1.00 connections/session\nSession lifetime [s]: 1.5\nSession failtime [s]: 0.0\nSession length histogram: 0 0 0 0 0 2\n')
})

t.test('a session continues after the server closes a connection, within the limits of calls and connections', async (t) => {
  const { stdout } = await play(t, ['--wsess', '1,4,0'], { keepAlive: 1, serviceTime: 5 })
  t.match(stdout, /^Total: connections 4 requests 4 replies 4 /m)
  const wide = await play(t, ['--wsess', '1,4,0', '--burst-length', '4', '--max-piped-calls', '1', '--max-connections', '3'], { serviceTime: 10 })
  t.match(wide.stdout, /^Total: connections 3 requests 4 replies 4 test-duration 0.020 s$/m)
})

t.test('a status that fails a session, and cookies', async (t) => {
  const { stdout, world } = await play(t, ['--wsess', '2,3,0', '--failure-status', '503', '--session-cookies'], { answer: ({ number }) => number === 1 ? 503 : { headers: { 'Set-Cookie': 'a=b; path=/' } } })
  t.match(stdout, /^Session rate .* \(1\/2\)$/m)
  t.match(stdout, 'Session length histogram: 0 0 1 1\n')
  t.equal(world.log.length, 5)
})

t.test('a session log, whose bursts are sent as those of --wsess', async (t) => {
  const log = temporary(t, '/a\n/b think=0.5\n  /b1\n  /b2\n/c method=POST contents="x"\n\n/d\n')
  const { stdout, world } = await play(t, ['--wsesslog', `3,0.1,${log}`], { serviceTime: 10 })
  t.match(stdout, /^Total: connections 3 requests 11 replies 11 /m)
  const calls = world.log.slice(0, 5)
  t.same(calls.map(({ method, path }) => `${method} ${path}`), ['GET /a', 'GET /b', 'GET /b1', 'GET /b2', 'POST /c'])
  t.same(calls.map(({ sentAt }) => Math.round((sentAt - calls[0].sentAt) / 1000)), [0, 110, 120, 120, 630])
  t.same(world.log.slice(5).map(({ path }) => path), ['/d', '/a', '/b', '/b1', '/b2', '/c'])
})

t.test('paths of a working set, and of a log that is used once or repeatedly', async (t) => {
  const set = async (...words) => (await play(t, ['--num-conns', '4', '--num-calls', '2', ...words])).paths
  t.same(await set('--wset', '12,0.5', '--uri', '/pre'), [0, 1, 1, 2, 2, 3, 3, 4].map((file) => `/pre/0/${file}.html`))
  t.same((await set('--wset', '3,1', '--client', '1/2')).map((each) => each[1]), ['0', '2', '1', '0', '2', '1', '0', '2'])
  t.same((await set('--wset', '1000,0.3')).map((each) => each[5]), ['0', '0', '0', '1', '1', '1', '2', '2'])
  const log = temporary(t, '/x\0/y\0/z\0')
  t.same(await set('--wlog', `y,${log}`), ['/x', '/y', '/z', '/x', '/y', '/z', '/x', '/y'])
  const once = await play(t, ['--num-conns', '4', '--num-calls', '2', '--wlog', `n,${log}`])
  t.same(once.paths, ['/x', '/y', '/z'])
  t.match(once.lines[3], 'Total: connections 2 requests 3 replies 3 ')
  t.same((await play(t, ['--num-conns', '1', '--num-calls', '2', '--wlog', `n,${log}`])).paths, ['/x', '/y'])
})

t.test('each path of a log that is used once is requested once, however many calls connections and bursts have', async (t) => {
  for (const count of [1, 5, 8]) {
    const log = temporary(t, Array.from({ length: count }, (_, index) => `/${index}\0`).join(''))
    for (const calls of [1, 2, 3, 5]) {
      for (const burst of [1, 2, 3]) {
        const { paths } = await play(t, ['--num-conns', '9', '--num-calls', String(calls), '--burst-length', String(burst), '--wlog', `n,${log}`])
        t.same(paths, Array.from({ length: count }, (_, index) => `/${index}`), `${count} paths, ${calls} calls, bursts of ${burst}`)
      }
    }
  }
})

t.test('there is no default timeout; --think-timeout adds to --timeout', async (t) => {
  const patient = await play(t, ['--num-conns', '2'], { serviceTime: 100_000 })
  t.match(patient.lines[3], 'Total: connections 2 requests 2 replies 2 test-duration 200.000 s')
  const hasty = await play(t, ['--num-conns', '3', '--rate', '10', '--timeout', '0.5', '--think-timeout', '1'], { answer: 'silence' })
  t.match(hasty.lines[3], /replies 0 test-duration 1\.70\d s/)
  t.ok(hasty.lines.includes('Errors: total 3 client-timo 3 socket-timo 0 connrefused 0 connreset 0'))
  t.equal(hasty.code, 0, 'errors are not failures')
})

t.test('a maximum of simultaneous connections, for which others wait', async (t) => {
  const { lines } = await play(t, ['--num-conns', '6', '--rate', '1000', '--max-connections', '2'], { serviceTime: 10 })
  t.match(lines[3], 'Total: connections 6 requests 6 replies 6 test-duration 0.031 s')
  t.match(lines[5], '<=2 concurrent connections)')
})

t.test('--runtime ends the run, with a number of connections or without', async (t) => {
  const first = (await play(t, ['--rate', '10', '--runtime', '2'], { serviceTime: 50 })).lines
  t.match(first[3], 'Total: connections 20 requests 20 replies 20 test-duration 2.000 s')
  const cut = await play(t, ['--rate', '10', '--runtime', '2', '--num-conns', '1000'], { serviceTime: 150 })
  t.match(cut.lines[3], /^Total: connections 2[01] requests 2[01] replies 19 test-duration 2\.000 s/)
  t.notMatch(cut.stderr, 'stopped')
  const few = await play(t, ['--period', 'u0.1,0.1', '--runtime', '2'], { serviceTime: 50 })
  t.match(few.lines[3], 'replies 20')
})

t.test('Ctrl-C ends the run with its result so far, and a warning says how far it came, also with --runtime', async (t) => {
  for (const words of [['--num-conns', '1000'], ['--runtime', '20'], ['--runtime', '20', '--num-conns', '1000']]) {
    const { code, stderr, lines } = await play(t, ['--rate', '10', ...words], { serviceTime: 50, interruptedAt: 3000 })
    t.equal(code, 0)
    t.match(lines[3], /^Total: connections (29|30|31) requests (29|30|31) replies (29|30) test-duration 3\.0/, `with ${words}`)
    t.match(stderr, /The run was stopped after /, `with ${words}`)
  }
})

t.test('--verbose prints each sample of the reply rate', async (t) => {
  const { lines } = await play(t, ['--rate', '10', '--num-conns', '110', '-v'], { serviceTime: 1 })
  t.same(lines.filter((line) => line.startsWith('reply-rate')), ['reply-rate = 10.0', 'reply-rate = 10.0'])
  // Ten per second for 7 s, then twenty for 8 s, and so on: a sample has only the replies of its own five seconds.
  const { lines: varied } = await play(t, ['--period', 'v0.1,7,0.05,8', '--num-conns', '330', '--verbose'], { serviceTime: 1 })
  t.same(varied.filter((line) => line.startsWith('reply-rate')), ['reply-rate = 10.0', 'reply-rate = 16.0', 'reply-rate = 20.0', 'reply-rate = 10.0'])
  t.ok(varied.includes('Reply rate [replies/s]: min 10.0 avg 14.0 max 20.0 stddev 4.9 (4 samples)'))
})

t.test('requests and responses are printed on demand', async (t) => {
  const answer = { headers: { 'X-A': 'b' }, body: 'one\x1b[31m\ntwo' }
  const { stdout } = await play(t, ['--num-conns', '2', '--print-reply', '--print-request', '--add-header', 'A: b\\nA: c\\n'], { answer })
  t.match(stdout, `SH0:GET / HTTP/1.1\nSH0:Host: ${HOST}\nSH0:A: b\nSH0:A: c\nSH0:\nRH0:HTTP/1.1 200 OK\nRH0:Content-Length: 12\n`)
  t.match(stdout, 'RB0:one\nRB0:two\n')
  t.match(stdout, 'SH1:GET / HTTP/1.1\n')
  const log = temporary(t, '/a method=POST contents="one\\ntwo"\n/b method=PUT contents=x\n/c\n')
  const { lines } = await play(t, ['--wsesslog', `1,0,${log}`, '--print-request'])
  t.same(lines.filter((line) => /^S[HB]\d:(?!Host|Content)/.test(line)), ['SH0:POST /a HTTP/1.1', 'SH0:', 'SB0:one', 'SB0:two', 'SH1:PUT /b HTTP/1.1', 'SH1:', 'SB1:x', 'SH2:GET /c HTTP/1.1', 'SH2:'])
  t.same((await play(t, ['--wsesslog', `1,0,${log}`, '--print-request=body'])).lines.filter((line) => /^S[HB]/.test(line)), ['SB0:one', 'SB0:two', 'SB1:x'])
  const bodies = await play(t, ['--print-reply=body'], { answer: { body: 'x' } })
  t.same(bodies.lines.filter((line) => /^[RS][HB]/.test(line)), ['RB0:x'])
  const heads = await play(t, ['--wsess', '1,2,0', '--print-reply=header', '--print-request=header'], { answer: { body: 'x' } })
  t.equal(heads.lines.filter((line) => /^[RS]H1:$/.test(line)).length, 2)
})

t.test('each printed reply has the number of its request, also in bursts', async (t) => {
  for (const words of [['--num-conns', '2', '--num-calls', '6', '--burst-length', '3'], ['--wsess', '2,6,0', '--burst-length', '3'], ['--wsess', '2,6,0.1', '--burst-length', '4', '--rate', '5']]) {
    const { lines } = await play(t, [...words, '--wset', '1000,1', '--print-reply', '--print-request'], { serviceTime: 10, answer: ({ path }) => ({ body: path }) })
    const paths = lines.flatMap((line) => /^SH(\d+):GET (\S+)/.exec(line)?.slice(1).join(' ') ?? [])
    const bodies = lines.flatMap((line) => /^RB(\d+):(\S+)/.exec(line)?.slice(1).join(' ') ?? [])
    t.same(bodies.toSorted(), paths.toSorted(), words.join(' '))
    t.equal(new Set(bodies).size, 12)
  }
})

t.test('concurrent connections include those that are still being opened', async (t) => {
  // A connection takes 50 ms to open, and its call another 50 ms; one begins every 10 ms.
  const { lines } = await play(t, ['--rate', '100', '--num-conns', '50'], { link: { delay: 25 } })
  t.match(lines.find((line) => line.startsWith('Connection rate')), /<=1[01] concurrent connections\)/)
})

t.test('values of a header that is given several times are sent in their order, in whichever case its name is written', async (t) => {
  const { lines } = await play(t, ['--add-header', 'X-A: 1\\nB: 2\\n', '--add-header', 'x-a: 3\\nX-A: 4\\n', '--print-request=header'])
  t.same(lines.filter((line) => /^SH0:(?:x-a|b)/i.test(line)), ['SH0:X-A: 1', 'SH0:X-A: 3', 'SH0:X-A: 4', 'SH0:B: 2'])
})

t.test('with HTTP/1.0, the calls of a burst follow one another on each connection', async (t) => {
  const sent = async (...words) => (await play(t, ['--wsess', '1,5,0', '--burst-length', '5', '--max-connections', '1', ...words], { serviceTime: 10 })).world.log.map(({ sentAt }, _, [first]) => Math.round((sentAt - first.sentAt) / 1000))
  t.same(await sent(), [0, 10, 10, 10, 10])
  t.same(await sent('--http-version', '1.0'), [0, 10, 20, 30, 40])
})

t.test('options without effect are accepted, with a note', async (t) => {
  const { code, stderr, lines } = await play(t, ['--hog', '--send-buffer', '4096', '--recv-buffer=16384', '-d', '3', '--use-timer-cache', '--ssl-no-reuse'])
  t.equal(code, 0)
  for (const name of ['hog', 'send-buffer', 'recv-buffer', 'debug', 'use-timer-cache', 'ssl-no-reuse']) t.match(stderr, `--${name} has no effect: `)
  t.match(lines[0], 'httperf --hog --client=0/1')
})

t.test('also options without effect in combination with others', async (t) => {
  const log = temporary(t, '/a\n')
  const cases = [
    [['--wsess', '1,1,0', '--num-conns', '5', '--num-calls', '2'], ['num-conns', 'num-calls']],
    [['--wsesslog', `1,0,${log}`, '--uri', '/x', '--num-conns', '5', '--burst-length', '2'], ['num-conns', 'uri', 'burst-length']],
    [['--session-cookies', '--failure-status', '500', '--max-piped-calls', '2'], ['session-cookies', 'failure-status', 'max-piped-calls']],
    [['--think-timeout', '5'], ['think-timeout']],
    [['--think-timeout', '5', '--timeout', '1', '--uri', '/x'], []]
  ]
  for (const [words, names] of cases) {
    const { code, stderr, lines } = await play(t, words)
    t.equal(code, 0)
    t.same([...stderr.matchAll(/^--(\S+) has no effect: /gm)].map(([, name]) => name), names)
    t.match(lines[3], 'Total: connections 1 requests 1 replies 1 ')
  }
})

t.test('wrong flags: one line, before anything is sent, and exit code 2', async (t) => {
  const files = t.testdir({ empty: '\0\0', malformed: '/a think=x\n' })
  const missing = path.join(files, 'missing')
  const bad = [
    [['--foo'], /^--foo is not an httperf flag: /],
    [['--num', '3'], /^--num is ambiguous: it may be --num-conns or --num-calls\n$/],
    [['--retry-on-failure'], /^--retry-on-failure is not supported: /],
    [['--servers', 'x'], /^--servers is not supported: /],
    [['extra'], /^cannonade httperf takes only flags; got 'extra'\n$/],
    [['--timeout'], /^--timeout needs a value: SEC\n$/],
    [['--hog=1'], /^--hog takes no value/],
    [['--rate', '-1'], /^--rate must be /],
    [['--rate', 'x'], /^--rate must be .*; got 'x'\n$/],
    [['--num-conns', '0'], /^--num-conns must be a whole number, 1 or more/],
    [['--num-calls', '1.5'], /^--num-calls must be /],
    [['--port', '70000'], /^--port must be a whole number from 1 to 65535/],
    [['--client', '2/2'], /^--client must be /],
    [['--http-version', '2'], /^--http-version must be '1\.0' or '1\.1'/],
    [['--print-reply=all'], /^--print-reply must be 'header' or 'body'/],
    [['--period', 'z3'], /^--period must be /],
    [['--period', 'u3,1'], /^--period must be /],
    [['--period', 'v1'], /^--period must be /],
    [['--period', 'v1,0'], /^--period must be /],
    [['--period', 'e'], /^--period must be /],
    [['--wsess', '5'], /^--wsess must be /],
    [['--wsess', '0,1,1'], /^--wsess must be /],
    [['--wset', '5,2'], /^--wset must be /],
    [['--wlog', 'file'], /^--wlog must be /],
    [['--wlog', `y,${missing}`], /^--wlog: .* cannot be read: it does not exist\n$/],
    [['--wlog', `y,${path.join(files, 'empty')}`], /^--wlog: .* contains no paths/],
    [['--wsesslog', `1,0,${missing}`], /^--wsesslog: .* cannot be read/],
    [['--wsesslog', `1,0,${path.join(files, 'malformed')}`], /^line 1 of the session log: /],
    [['--wsess', '1,1,1', '--wsesslog', '1,1,x'], /^--wsess and --wsesslog cannot be given together/],
    [['--wset', '1,1', '--wlog', 'y,x'], /^--wlog and --wset cannot be given together/],
    [['--failure-status', '99'], /^--failure-status must be /],
    [['--add-header', 'nothing'], /^--add-header must be lines such as/],
    [['--method', 'B@D'], /HTTP method/]
  ]
  for (const [words, message] of bad) {
    const { code, stdout, stderr } = await runCommand(t, ['httperf', '--server', '127.0.0.1', ...words])
    t.equal(code, 2, words.join(' '))
    t.match(stderr, message)
    t.equal(stderr.split('\n').length, 2, `one line: ${stderr}`)
    t.notMatch(stdout, 'Total')
  }
})

t.test('an unresolvable server name is not a usage error', async (t) => {
  const { code, stderr } = await runCommand(t, ['httperf', '--server', 'nosuch.invalid'])
  t.equal(code, 1)
  t.match(stderr, /^the server nosuch\.invalid has no address \(\w+\)\n$/)
})

t.test('help and version', async (t) => {
  const help = await runCommand(t, ['httperf', '--help'])
  t.match(help.stdout, /^Usage: cannonade httperf /)
  for (const flag of ['--wsesslog N,X,FILE', '--num-conns NUM', '--period']) t.match(help.stdout, flag)
  t.match((await runCommand(t, ['httperf', '-V'])).stdout, /\d+\.\d+\.\d+/)
})

t.test('the request on the wire: version, Host, header lines, a method, and a reset at the end', async (t) => {
  const seen = []
  const ended = []
  const server = net.createServer((socket) => {
    socket.on('data', (bytes) => {
      seen.push(bytes.toString())
      socket.write(reply('ok'))
    })
    socket.on('error', ({ code }) => ended.push(code))
    socket.on('end', () => {
      ended.push('end')
      socket.end()
    })
  })
  t.teardown(() => server.close())
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address()
  const ask = (...words) => runCommand(t, ['httperf', '--server', '127.0.0.1', '--port', port, ...words])
  await ask('--http-version', '1.0', '--add-header', 'A: b\\nC: d\\n')
  await ask('--no-host-hdr', '--uri', '/x')
  await ask('--server-name', 'other.example', '--method', 'POST')
  await until(() => ended.length === 3)
  const { stdout } = await ask('--close-with-reset', '--wset', '1,1', '--http-version', '1.0')
  t.match(stdout, 'Errors: total 0 ')
  await until(() => ended.length === 4)
  t.same(ended, ['end', 'end', 'end', 'ECONNRESET'])
  t.same(seen, [
    `GET / HTTP/1.0\r\nConnection: keep-alive\r\nHost: 127.0.0.1:${port}\r\nA: b\r\nC: d\r\n\r\n`,
    'GET /x HTTP/1.1\r\nConnection: keep-alive\r\n\r\n',
    'POST / HTTP/1.1\r\nConnection: keep-alive\r\nHost: other.example\r\nContent-Length: 0\r\n\r\n',
    `GET /0.html HTTP/1.0\r\nConnection: keep-alive\r\nHost: 127.0.0.1:${port}\r\n\r\n`
  ])
})

t.test('a session log with fewer sessions than requested, through the API with a folder', async (t) => {
  t.ok(fs.existsSync(path.join(__dirname, 'fixtures/sessions.log')))
  const { stdout } = await play(t, ['--wsesslog', `4,0,${path.join(__dirname, 'fixtures/sessions.log')}`, '--rate', '5'])
  t.match(stdout, /\(4\/4\)/)
})

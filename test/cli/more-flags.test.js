'use strict'

// Flags of the command, checked by what the server receives.

const t = require('tap')
const { proxyServer } = require('../support/proxy-server')
const { request } = require('../support/http-client')
const { delayServer, httpServer } = require('../support/servers')
const { simulate } = require('../simulation/world')
const { until } = require('../support/wait')
const { runCommand, startCommand } = require('./command')

const PATIENCE_MS = 30_000

async function json (t, args) {
  return answered(t, await runCommand(t, [...args, '-j']))
}

function answered (t, { code, stdout, stderr }) {
  t.equal(stderr, '')
  t.equal(code, 0)
  return JSON.parse(stdout)
}

/** The output of the command in a world with one server. */
async function simulated (t, settings, ...args) {
  const { value } = await simulate({}, (world) => runCommand(t, [...args, '-j', world.server(settings).url]))
  return value
}

// Without any response, the JSON is still on stdout; the reason is on stderr and the exit code is 1.
async function unanswered (t, args, reason) {
  const { code, stdout, stderr } = await simulated(t, { answer: 'silence' }, ...args)
  t.match(stderr, reason)
  t.equal(stderr.indexOf('\n'), stderr.length - 1, 'one line')
  t.equal(code, 1)
  return JSON.parse(stdout)
}

t.test("--cookies: the server's cookies are sent back", async (t) => {
  const seen = []
  const { url } = await httpServer(t, ({ headers }, response) => {
    seen.push(headers.cookie)
    response.writeHead(200, { 'set-cookie': 'user=7; Path=/' }).end()
  })
  await json(t, ['-c', '1', '-a', '3', '--cookies', url])
  t.same(seen.splice(0), [undefined, 'user=7', 'user=7'])
  await json(t, ['-c', '1', '-a', '3', url])
  t.same(seen, [undefined, undefined, undefined])
})

t.test('--follow-redirects NUM', async (t) => {
  const seen = []
  const { url } = await httpServer(t, ({ url }, response) => {
    seen.push(url)
    if (url === '/there') response.end()
    else response.writeHead(302, { location: '/there' }).end()
  })
  const followed = await json(t, ['-c', '1', '-a', '4', '--follow-redirects', '1', url])
  t.same(seen.splice(0), ['/', '/there', '/', '/there'])
  t.match(followed.statusCodeStats, { 200: { count: 2 }, 302: { count: 2 } })
  await json(t, ['-c', '1', '-a', '2', url])
  t.same(seen, ['/', '/'])
})

t.test('--proxy URL: requests go to the proxy', async (t) => {
  const server = await httpServer(t)
  const proxy = await proxyServer(t)
  const result = await json(t, ['-c', '1', '-a', '3', '--proxy', proxy.url, `${server.url}/path`])
  t.equal(result['2xx'], 3)
  t.same(proxy.forwarded.map(({ url }) => url), new Array(3).fill(`${server.url}/path`))
})

t.test('--drain SEC: waits this long for requests in flight', async (t) => {
  const { drain, accounting } = await unanswered(t, ['-c', '2', '-R', '20', '-d', '1', '-t', '100', '--drain', '0.2'],
    'There were no responses: 2 requests had no response yet when the run ended.')
  t.equal(drain.seconds, 0.2)
  t.equal(accounting.unfinished, 2)
})

t.test('sweep --stop-error-rate, --stop-achieved-ratio: ends early, and says why', async (t) => {
  const rates = ['--from', '20', '--to', '60', '--step', '20', '-d', '0.5', '-c', '2', '--pause', '0']
  for (const [flag, value, limit] of [['--stop-error-rate', '5%', 'errorRate'], ['--stop-achieved-ratio', '90%', 'achievedRatio']]) {
    const { rows, stoppedBy } = await unanswered(t, ['sweep', ...rates, '-t', '0.2', flag, value],
      'did not respond at all (CANNONADE_RESPONSE_TIMEOUT: request timed out: no complete response within 0.2 seconds).')
    t.equal(rows.length, 1, flag)
    t.match(stoppedBy, limit)
  }
  const { rows, stoppedBy } = answered(t, await simulated(t, { serviceTime: 1 }, 'sweep', ...rates, '--stop-error-rate', '100%', '--stop-achieved-ratio', '1%'))
  t.same([rows.length, stoppedBy], [3, null])
})

t.test('capacity --max-duration: shortens the runs to fit, or rejects it', async (t) => {
  const { url } = await delayServer(t, 1)
  const { code, stdout, stderr } = await runCommand(t, ['capacity', '--max-duration', '1', '-j', url])
  t.same([code, stdout], [2, ''])
  t.match(stderr, /^--max-duration must be at least \d+ seconds .*\n$/)

  const announced = async (...flags) => {
    const { output, kill, ended } = startCommand(t, ['capacity', '-c', '2', ...flags, url])
    await until(() => output.stderr.includes('\n'), PATIENCE_MS)
    kill('SIGINT')
    await ended
    return /^Searching for the capacity \(at most (.*)\)\n/.exec(output.stderr)[1]
  }
  t.equal(await announced('--max-duration', '60'), '1 min')
  t.match(await announced(), /^([2-9]|\d\d) min( |$)/)
})

t.test('serve --host, --body-size', async (t) => {
  const { output, kill, ended } = startCommand(t, ['serve', '--port', '0', '--host', '127.0.0.1', '--body-size', '12345'])
  await until(() => output.stdout.includes('\n'), PATIENCE_MS)
  const [, url] = /^Listening on (http:\/\/127\.0\.0\.1:\d+)\n$/.exec(output.stdout)
  const { body, headers } = await request(url, { agent: false })
  t.equal(body.length, 12345)
  t.equal(headers['content-length'], '12345')
  kill('SIGINT')
  t.equal((await ended).code, 0)

  const { code, stderr } = await runCommand(t, ['serve', '--port', '0', '--host', '192.0.2.1'])
  t.not(code, 0, 'an address that this machine does not have')
  t.match(stderr, /192\.0\.2\.1/)
})

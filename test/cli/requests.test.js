'use strict'

const t = require('tap')
const fs = require('node:fs')
const path = require('node:path')
const { httpServer, tlsServer, unixServer, readBody } = require('../support/http-server')
const { together } = require('../support/together')
const { simulate } = require('../simulation/world')
const { runCommand } = require('./command')

const fixture = (name) => path.join(__dirname, 'fixtures', name)
// However long it takes.
const UNTIL_AN_ERROR = ['-d', '600', '-B', '1']

const pem = (name) => path.join(__dirname, '../support/certs', name)

async function result (t, argv, opts) {
  return answered(t, await runCommand(t, ['-j', ...argv], opts))
}

function answered (t, { code, stdout, stderr }) {
  t.equal(stderr, '')
  t.equal(code, 0)
  return JSON.parse(stdout)
}

/** The result of the command in a world with one server. */
async function simulated (t, settings, ...argv) {
  const { value, world } = await simulate({}, (world) => runCommand(t, ['-j', ...argv, world.server(settings).url]))
  return { output: value, log: world.log, server: world.servers[0] }
}

// Without any response, the result is still on stdout; the reason is on stderr and the exit code is 1.
function unanswered (t, { code, stdout, stderr }, reason) {
  t.match(stderr, reason)
  t.equal(stderr.indexOf('\n'), stderr.length - 1, 'one line')
  t.equal(code, 1)
  return JSON.parse(stdout)
}

// A server that stores the requests it receives.
async function recordingServer (t) {
  const seen = []
  const server = await httpServer(t, async (request, response) => {
    const { method, url, headers } = request
    seen.push({ method, url, headers, body: await readBody(request) })
    response.end('ok')
  })
  return Object.assign(server, { seen })
}

t.test('method, path, headers and body', async (t) => {
  const { url, seen } = await recordingServer(t)
  const headers = ['-H', 'content-type=application/json', '-H', 'X-Time: 10:30=now', '-H', 'host=example.com']
  await result(t, ['-a', '3', '-c', '1', '-m', 'post', ...headers, '-b', '{"a":1}', `${url}/items?x=1`])
  t.equal(seen.length, 3)
  t.match(seen[0], {
    method: 'POST',
    url: '/items?x=1',
    headers: { 'content-type': 'application/json', 'x-time': '10:30=now', host: 'example.com', 'content-length': '7' }
  })
  t.equal(seen[0].body.toString(), '{"a":1}')
})

t.test('a body from a file, byte for byte', async (t) => {
  const { url, seen } = await recordingServer(t)
  const file = path.join(t.testdir({}), 'body.bin')
  const bytes = Buffer.from([0, 255, 10, 13, 128])
  fs.writeFileSync(file, bytes)
  await result(t, ['-a', '1', '-c', '1', '-m', 'PUT', '-i', file, url])
  t.same(seen[0].body, bytes)
})

t.test('new ids, and bodies that are verified', async (t) => {
  const { url, seen } = await recordingServer(t)
  await result(t, ['-a', '5', '-c', '1', '-I', `${url}/[<id>]`])
  t.equal(new Set(seen.map((request) => request.url)).size, 5)
  t.equal((await result(t, ['-a', '4', '-E', 'ok', url])).mismatches, 0)
  t.equal((await result(t, ['-a', '4', '-E', 'else', url])).mismatches, 4)
  t.equal((await result(t, ['-a', '4', '--verify-body', fixture('expects-ok.js'), url])).mismatches, 0)
})

t.test('with PORT in the environment a path is enough', async (t) => {
  const { port, seen } = await recordingServer(t)
  const { url } = await result(t, ['-a', '2', '-c', '1', '/from/port'], { env: { PORT: String(port) } })
  t.equal(url, `http://localhost:${port}/from/port`)
  t.same(seen.map((request) => request.url), ['/from/port', '/from/port'])
})

t.test('several URLs, a unix socket', async (t) => {
  const [one, two] = [await httpServer(t), await httpServer(t)]
  const { url } = await result(t, ['-a', '10', '-c', '2', one.url, two.url])
  t.same(url, [one.url, two.url])
  t.ok(one.requests > 0 && two.requests > 0)
  t.equal(one.requests + two.requests, 10)

  const { value: { stderr } } = await simulate({}, (world) => {
    world.server({ host: 'fast' })
    world.server({ host: 'x-y' })
    return runCommand(t, ['-a', '6', '-c', '6', world.server().url, 'fast', 'localhost:80', 'X-y', 'fast/a', 'localhost', 'fast.'])
  })
  const { value: only } = await simulate({}, (world) => {
    world.server({ host: 'fast' })
    return runCommand(t, ['-a', '2', '-c', '2', 'fast'])
  })
  t.notMatch(only.stderr, 'is taken as', 'the only URL')
  const extra = (word) => `Warning: '${word}' is taken as one more URL, http://${word}, which gets its share of the load. Is a flag missing before it?\n`
  t.equal(stderr.slice(0, stderr.indexOf('Running')), extra('fast') + extra('X-y'))
  t.notMatch((await runCommand(t, ['-a', '2', '-c', '2', one.url, two.url])).stderr, 'is taken as')

  const unix = await unixServer(t)
  await result(t, ['-a', '5', '-S', unix.socketPath])
  t.equal(unix.requests, 5)
})

t.test('certificates: ours for the server, and trusted ones', async (t) => {
  const server = await tlsServer(t, undefined, { requestCert: true })
  const ours = ['--cert', pem('client-cert.pem'), '--key', pem('client-key.pem')]
  const several = ['--ca', '[', pem('ca-cert.pem'), pem('server-cert.pem'), ']']
  for (const workers of [[], ['-w', '2']]) {
    const { accounting } = await result(t, ['-a', '4', '-c', '2', '-s', 'other.test', ...workers, ...ours, ...several, server.url])
    t.equal(accounting.completed, 4)
  }
  t.equal(server.requests, 8)
  t.same([...new Set(server.servernames)], ['other.test'])
  const refused = unanswered(t, await runCommand(t, ['-j', ...UNTIL_AN_ERROR, '-c', '1', server.url]), /^There were no responses: .*CERTIFICATE_REQUIRED.*\S\.\n$/)
  t.equal(refused.accounting.completed, 0, 'without one it is rejected')

  // Of two certificates, the one that the server accepts is sent; this server does not trust the other.
  for (const two of [
    [...ours, '--cert', pem('client-rsa-cert.pem'), '--key', pem('client-rsa-key.pem')],
    ['--cert', '[', pem('client-rsa-cert.pem'), pem('client-cert.pem'), ']', '--key', '[', pem('client-rsa-key.pem'), pem('client-key.pem'), ']']
  ]) t.equal((await result(t, ['-a', '2', '-c', '1', ...two, server.url])).accounting.completed, 2, two.join(' '))
})

t.test('server certificates are verified only on request', async (t) => {
  const server = await tlsServer(t)
  const unverified = /^No request was sent: .*\(SELF_SIGNED_CERT_IN_CHAIN: .*\)\. There is a server at this address, but the TLS/
  const refused = unanswered(t, await runCommand(t, ['-j', ...UNTIL_AN_ERROR, '-c', '1', '--verify', server.url]), unverified)
  t.equal(refused.accounting.sent, 0, 'the system does not know its issuer')
  t.same(Object.values(refused.errorCodes).map(({ phase }) => phase), ['tls'])
  t.equal((await result(t, ['-a', '2', '-c', '1', '--verify', '--ca', pem('ca-cert.pem'), server.url])).accounting.completed, 2)
  const other = unanswered(t, await runCommand(t, ['-j', ...UNTIL_AN_ERROR, '-c', '1', '--ca', pem('client-rsa-cert.pem'), server.url]), unverified)
  t.equal(other.accounting.sent, 0, 'another authority has signed it')
  t.equal(server.requests, 2)

  // A file without a certificate doesn't turn verification on, and the result says that nothing was verified.
  const key = pem('client-key.pem')
  const unnamed = await result(t, ['-a', '2', '-c', '1', '--ca', key, server.url])
  t.equal(unnamed.accounting.completed, 2)
  const said = ({ warnings }) => warnings.filter(({ code }) => code === 'NO_TRUSTED_CERTIFICATE').map(({ message }) => message)
  t.same(said(unnamed), ['tlsOptions.ca contains no PEM certificate, so certificates are not verified.'])
  const strict = unanswered(t, await runCommand(t, ['-j', ...UNTIL_AN_ERROR, '-c', '1', '--verify', '--ca', key, server.url]), unverified)
  t.same(said(strict), ['tlsOptions.ca contains no PEM certificate, so every certificate is rejected.'])
  t.same(said(await result(t, ['-a', '2', '-c', '1', '--ca', pem('ca-cert.pem'), server.url])), [])
})

t.test('amounts and limits, counted by the server', async (t) => {
  // The last number is how many requests arrive before the first is answered, so that no connection stays idle.
  for (const [flags, requests, connections, atOnce] of [
    [['-a', '101', '-c', '10'], 101, 10, 10],
    [['-a', '101', '-c', '10', '-w', '2'], 101, 10, 10],
    [['-M', '5', '-c', '3'], 15, 3, 3],
    [['-O', '17', '-c', '3'], 17, 3, 3],
    [['-a', '12', '-c', '1', '-D', '4'], 12, 3, 1],
    [['-a', '40', '-c', '2', '-p', '5'], 40, 2, 10]
  ]) {
    const server = await httpServer(t, together(atOnce))
    const { accounting } = await result(t, [...flags, server.url])
    t.equal(accounting.completed, requests, flags.join(' '))
    t.equal(server.requests, requests)
    t.equal(server.connections, connections)
  }
})

t.test('rates', async (t) => {
  for (const [flags, requests] of [
    [['-d', '1', '-R', '40'], 40],
    [['-d', '1', '-r', '5', '-c', '4'], 20],
    [['--stages', '0.5s:20, 0.5s:60'], 40],
    [['-d', '1', '--bursts', '7/0.5'], 14],
    [['-a', '30', '-R', '60', '--arrivals', 'poisson', '--seed', '1', '--pacing', 'sleep'], 30]
  ]) {
    const { output, log } = await simulated(t, {}, ...flags)
    const { accounting, rate, warnings } = answered(t, output)
    t.same([accounting.scheduled, accounting.completed, log.length], [requests, requests, requests], flags.join(' '))
    t.ok(rate.offered > 0)
    t.same(warnings.filter(({ code }) => code === 'OPTION_WITHOUT_EFFECT'), [])
  }
})

t.test('a warm-up, think time, and connections that are added gradually', async (t) => {
  const server = { serviceTime: 9 }
  const warm = await simulated(t, server, '-W', '[', '-c', '1', '-d', '1', ']', '-a', '20', '-c', '2')
  const { warmup, accounting } = answered(t, warm.output)
  t.same([warmup.accounting.completed, accounting.completed, warm.log.length], [111, 20, 20 + warmup.accounting.sent])

  const patient = await simulated(t, server, '-a', '4', '-c', '1', '--think-time', '0.2..0.3')
  t.equal(answered(t, patient.output).accounting.completed, 4)
  const pauses = patient.log.slice(1).map(({ sentAt }, index) => (sentAt - patient.log[index].receivedAt) / 1000)
  t.ok(pauses.every((pause) => pause >= 200 && pause <= 300.001), `${pauses}`)

  const growing = await simulated(t, server, '-d', '2', '-c', '1..4/0.5')
  t.equal(answered(t, growing.output).connectionStats.peak, 4)
  t.equal(growing.server.attempts.accepted, 4)
})

t.test('errors: a timeout below a second, a bailout, and what the statistics exclude', async (t) => {
  const silent = async (...argv) => (await simulated(t, { answer: 'silence' }, ...argv)).output
  const { timeouts } = unanswered(t, await silent('-t', '0.9', '-a', '2', '-c', '2'),
    'There were no responses: CANNONADE_RESPONSE_TIMEOUT: request timed out: no complete response within 0.9 seconds.')
  t.equal(timeouts, 2)
  const bailed = unanswered(t, await silent('-t', '0.1', '-d', '60', '-B', '3', '-c', '1'),
    'There were no responses: CANNONADE_RESPONSE_TIMEOUT: request timed out: no complete response within 0.1 seconds.')
  t.ok(bailed.errors === 3 && bailed.duration < 1)

  const failing = await httpServer(t, (request, response) => response.writeHead(500).end())
  const { non2xx, latency } = await result(t, ['-a', '5', '-x', failing.url])
  t.match({ non2xx, counted: latency.totalCount }, { non2xx: 5, counted: 0 })
})

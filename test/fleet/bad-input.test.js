'use strict'

// Errors are one sentence, before anything is sent to the target.

const { spawn } = require('node:child_process')
const { once } = require('node:events')
const net = require('node:net')
const path = require('node:path')
const t = require('tap')
const { printResult, run, toHTML } = require('../..')
const { runCommand } = require('../cli/command')
const { certificates, closedPort, httpServer, unusedPort } = require('../support/servers')
const { until } = require('../support/wait')
const { KEY } = require('./support/agents')
const { isMissing } = require('./support/redis')
const { withoutPackage } = require('../support/without-package')

const PASSWORD = 'not-to-be-shown'
const certificate = (name) => path.join(__dirname, '../support/certs', name)

/**
 * A fake Redis that answers each command as given: a text for all commands, or one per command; null: it closes the connection.
 *
 * @returns {Promise<string>} its address
 */
async function answering (t, answer) {
  const answerTo = (name) => typeof answer === 'string' ? answer : answer[name] ?? '+OK\r\n'
  const sockets = new Set()
  const server = net.createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {}).on('data', (chunk) => {
      const commands = [...chunk.toString('latin1').matchAll(/\*\d+\r\n\$\d+\r\n(\w+)/g)].map(([, name]) => name.toLowerCase())
      if (answer === null) socket.end()
      else socket.write(commands.map(answerTo).join(''))
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return `127.0.0.1:${server.address().port}`
}

const bulk = (text) => `$${text.length}\r\n${text}\r\n`

async function rejected (t, fleet, expected) {
  const server = await httpServer(t)
  const error = await run({ url: server.url, duration: 60, fleet: { agents: 1, key: KEY, wait: 0, ...fleet } }).then(() => null, (error) => error)
  t.match(error, expected)
  t.notMatch(error.message, /\n/, 'in one line')
  for (const secret of [KEY, PASSWORD]) t.notOk(`${error.message} ${error.stack} ${JSON.stringify(error)} ${error.cause?.message}`.includes(secret), 'without a secret')
  t.equal(server.requests, 0)
}

t.test('no Redis, or an unusable one', async (t) => {
  const { port } = await closedPort(t)
  const failed = (message) => ({ code: 'CANNONADE_REDIS_FAILED', message })
  await rejected(t, { redis: `redis://:${PASSWORD}@127.0.0.1:${port}` }, failed(/^fleet: could not connect to Redis at redis:\/\/127\.0\.0\.1:\d+: .*ECONNREFUSED/))
  await rejected(t, { redis: '/no/such/redis.sock' }, failed(/could not connect to Redis at \/no\/such\/redis\.sock: .*ENOENT/))
  await rejected(t, { redis: `redis://${await answering(t, 'HTTP/1.1 400 Bad Request\r\n\r\n')}` }, failed(/the server at redis:\/\/127\.0\.0\.1:\d+ is not Redis/))
  await rejected(t, { redis: `redis://${await answering(t, null)}` }, failed(/is not Redis/))
  await rejected(t, { redis: `redis://${await answering(t, { info: bulk('redis_version:5.0.14\r\n'), hello: "-ERR unknown command 'HELLO'\r\n" })}` }, failed(/a fleet needs Redis 6\.2 or later; redis:\/\/127\.0\.0\.1:\d+ runs 5\.0\.14/))
  await rejected(t, { redis: `redis://${await answering(t, '-NOAUTH Authentication required.\r\n')}` }, failed(/requires a password/))
  await rejected(t, { redis: `redis://:${PASSWORD}@${await answering(t, '-WRONGPASS invalid username-password pair or user is disabled.\r\n')}` }, failed(/rejected the user or the password/))
})

t.test('options that no fleet accepts', async (t) => {
  const { CANNONADE_FLEET_KEY: before } = process.env
  delete process.env.CANNONADE_FLEET_KEY
  t.teardown(() => { if (before !== undefined) process.env.CANNONADE_FLEET_KEY = before })
  const bad = (option, message) => ({ code: 'CANNONADE_BAD_OPTION', option, message })
  const redis = 'redis://127.0.0.1'
  await rejected(t, { redis: undefined }, bad('fleet.redis', /^fleet\.redis must be a URL such as redis:\/\//))
  await rejected(t, { redis: `http://:${PASSWORD}@127.0.0.1` }, bad('fleet.redis', /must be a URL/))
  await rejected(t, { redis, agents: 0 }, bad('fleet.agents', /a whole number from 1/))
  await rejected(t, { redis, key: undefined }, bad('fleet.key', /CANNONADE_FLEET_KEY/))
  await rejected(t, { redis, key: { secret: KEY } }, bad('fleet.key', /must be a secret/))
  await rejected(t, { redis, wait: 'soon' }, bad('fleet.wait', /from 0 to/))
  await rejected(t, { redis, tls: {} }, bad('fleet.tls', /needs a URL that begins with rediss/))
  await rejected(t, { redis: 'rediss://127.0.0.1', tls: { rejectUnauthorized: false } }, bad('fleet.tls', /an object of ca, cert, key/))
  await rejected(t, { redis: 'rediss://127.0.0.1', tls: { cert: 'x' } }, bad('fleet.tls', /PEM/))
  const fleet = { redis, agents: 1, key: KEY }
  const refused = (options, expected) => t.rejects(run({ url: 'localhost', fleet, ...options }), expected)
  await refused({ setupClient: () => {} }, bad('setupClient', /the name of a file in the agents' --hooks folder/))
  await refused({ setupClient: path.resolve('x.js') }, bad('setupClient', /the name of a file/))
  await refused({ requests: [{ onResponse: () => {} }] }, bad('requests[0].onResponse', /the name of a file/))
  await refused({ initialContext: { call: () => {} } }, bad('initialContext', /plain data if a fleet is used/))
  await refused({ workers: 2 }, bad('fleet', /^fleet and workers cannot be given together/))
  await refused({ localAddress: '127.0.0.1' }, bad('fleet', /^fleet and localAddress cannot be given together/))
})

t.test('packages that are not installed', async (t) => {
  for (const name of ['bullmq', 'ioredis']) {
    const restore = withoutPackage(t, name)
    await rejected(t, { redis: 'redis://127.0.0.1' }, { code: 'CANNONADE_MISSING_PACKAGE', message: `a fleet needs the package ${name}, which is not installed: npm install bullmq ioredis` })
    restore()
  }
})

t.test('invalid settings of an agent', async (t) => {
  const { port } = await closedPort(t)
  const folder = t.testdir({ empty: '\n', key: `${KEY}\n` })
  const redis = `redis://127.0.0.1:${port}`
  const refused = async (words, says, code = 2) => {
    const { code: exitCode, stderr } = await runCommand(t, ['agent', ...words])
    t.match(stderr, says, words.join(' '))
    t.equal(stderr.trim().split('\n').length, 1)
    t.notOk(stderr.includes(KEY))
    t.equal(exitCode, code)
  }
  await refused(['--redis', redis], /needs the key of its fleet/)
  await refused(['--key', KEY], /^--redis is required/)
  await refused(['--redis', 'http://x', '--key', KEY], /^--redis must be a URL such as redis:/)
  await refused(['--redis', redis, '--key-file', path.join(folder, 'no')], /it does not exist/)
  await refused(['--redis', redis, '--key-file', path.join(folder, 'empty')], /is empty/)
  await refused(['--redis', redis, '--key', KEY, '--allow', 'http://shop.test'], /^--allow must be HOST/)
  await refused(['--redis', redis, '--key', KEY, '--hooks', path.join(folder, 'key')], /^--hooks must be a readable folder/)
  await refused(['--redis', redis, '--key', KEY, '--cores', '0'], /^--cores must be a whole number/)
  await refused(['--redis', redis, '--key', KEY, '--max-rate', 'much'], /^--max-rate must be a number/)
  await refused(['--redis', redis, '--key', KEY, '--redis-ca', certificate('ca-cert.pem')], /needs a URL that begins with rediss/)
  await refused(['--redis', redis, '--key', KEY, 'http://shop.test'], /takes only options/)
  await refused(['--redis', redis, '--key-file', path.join(folder, 'key')], /could not connect to Redis/, 1)
})

t.test('rediss:// connects only to a Redis certified by the given authority', { skip: isMissing }, async (t) => {
  const folder = t.testdir({})
  const port = await unusedPort()
  const words = ['--port', '0', '--tls-port', String(port), '--bind', '127.0.0.1', '--save', '', '--dir', folder, '--tls-auth-clients', 'no',
    '--tls-cert-file', certificate('server-cert.pem'), '--tls-key-file', certificate('server-key.pem'), '--tls-ca-cert-file', certificate('ca-cert.pem')]
  const redis = spawn('redis-server', words, { stdio: 'ignore', timeout: 60_000, killSignal: 'SIGKILL' })
  t.teardown(async () => {
    redis.kill('SIGKILL')
    if (redis.exitCode === null && redis.signalCode === null) await once(redis, 'exit')
  })
  await until(() => new Promise((resolve) => {
    const socket = net.connect(port, '127.0.0.1', () => resolve(socket.destroy()))
    socket.once('error', () => resolve(false))
  }))
  const url = `rediss://127.0.0.1:${port}`
  await rejected(t, { redis: url, tls: { ca: certificates.ca } }, { message: /0 of 1 agents were available|Redis stopped responding/ })
  await rejected(t, { redis: url }, { code: 'CANNONADE_REDIS_FAILED', message: /certificate/ })
  const { NODE_TLS_REJECT_UNAUTHORIZED: before } = process.env
  process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0'
  t.teardown(() => {
    if (before === undefined) delete process.env.NODE_TLS_REJECT_UNAUTHORIZED
    else process.env.NODE_TLS_REJECT_UNAUTHORIZED = before
  })
  await rejected(t, { redis: url }, { code: 'CANNONADE_REDIS_FAILED', message: /certificate/ })
})

t.test("local runs don't load any of it", async (t) => {
  const server = await httpServer(t)
  const code = `require(${JSON.stringify(path.join(__dirname, '../../'))})({ url: ${JSON.stringify(server.url)}, amount: 1 }).then(() => {
    console.log(JSON.stringify(Object.keys(require.cache).filter((file) => /bullmq|ioredis|lib.(fleet|agent|engine.parallel)[^a-z]/.test(file)))) })`
  const child = spawn(process.execPath, ['-e', code], { stdio: ['ignore', 'pipe', 'inherit'], timeout: 60_000, killSignal: 'SIGKILL' })
  let text = ''
  child.stdout.setEncoding('utf8').on('data', (chunk) => { text += chunk })
  await once(child, 'close')
  t.same(JSON.parse(text), [])
})

t.test('tables and reports list the machines of a run, whatever their names', async (t) => {
  const server = await httpServer(t)
  const result = await run({ url: server.url, amount: 10 })
  const accounting = result.accounting
  const agents = Array.from({ length: 25 }, (_, share) => ({ name: `agent ${share}`, host: 'h', cores: 2, share, clockOffset: 12.5, uncertainty: 0.05, startedAt: 1e12 + share, outcome: 'completed', accounting }))
  Object.assign(agents[0], { name: '\u001b[31m<b>evil</b>', outcome: 'lost' })
  Object.assign(agents[1], { share: null, startedAt: null, outcome: 'unused' })
  const text = printResult({ ...result, fleet: { agents } })
  t.match(text, /│ <b>evil<\/b> .*│ lost/)
  t.notOk(text.includes('\u001b'))
  t.match(text, /12\.5 ± 0\.05 ms/)
  t.match(text, /and 5 other agents: see fleet\.agents/)
  const page = toHTML({ ...result, fleet: { agents } })
  t.match(page, /<h2>Machines<\/h2>/)
  t.match(page, /&lt;b&gt;evil&lt;\/b&gt;/)
  t.notOk(page.includes('<b>evil'))
  t.notMatch(toHTML(result), /<h2>Machines/)
})

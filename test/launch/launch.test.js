'use strict'

const path = require('node:path')
const t = require('tap')
const { launch, run } = require('../..')
const { isAlive } = require('../support/processes')
const { unusedPort } = require('../support/ports')
const { httpServer } = require('../support/servers')
const { until } = require('../support/wait')

const SERVERS = path.join(__dirname, '../cli/fixtures/servers')
const answering = (body, after = '') => ['node', '-e', `require('http').createServer((request, response) => response.end(${body})).listen(0); ${after}`]

async function launched (t, command, opts) {
  const server = await launch(command, opts)
  t.teardown(() => server.close())
  return server
}

const textOf = async (url) => (await fetch(url)).text()

t.test('starts a server, reports where it listens, and stops it', async (t) => {
  // The shell stays, so the process that listens is another one than the process that was started.
  const server = await launched(t, ['sh', '-c', '"$@"; true', 'sh', ...answering('String(process.pid)')])
  t.equal(server.url, `http://localhost:${server.port}`)
  t.equal(await textOf(server.url), String(server.pid))
  const result = await run({ url: server.url, amount: 20, connections: 2 })
  t.equal(result.accounting.completed, 20)
  t.ok(isAlive(server.pid))
  await Promise.all([server.close(), server.close()])
  t.notOk(isAlive(server.pid), 'it has ended')
  await server.close()
})

t.test('cwd, env and url', async (t) => {
  const body = 'process.cwd() + " " + [process.env.MARK, process.env.NUMBER, process.env.ZERO, process.env.EMPTY, process.env.TEST_ROOM_OF_PARENT, Error.stackTraceLimit] + " " + request.url'
  process.env.TEST_ROOM_OF_PARENT = 'kept'
  t.teardown(() => { delete process.env.TEST_ROOM_OF_PARENT })
  const server = await launched(t, answering(body), { cwd: SERVERS, env: { MARK: 'seen', NUMBER: 7, ZERO: 0, EMPTY: '', TEST_ROOM_OF_PARENT: null, NODE_OPTIONS: '--stack-trace-limit=17' }, url: '/items?a=1' })
  t.equal(server.url, `http://localhost:${server.port}/items?a=1`)
  t.equal(await textOf(server.url), `${SERVERS} seen,7,0,,kept,17 /items?a=1`)
})

t.test('stops the processes that the server started', async (t) => {
  const child = "const child = require('child_process').spawn(process.execPath, ['-e', 'setTimeout(() => {}, 300_000)'])"
  const server = await launched(t, answering('String(child.pid)', child))
  const pid = Number(await textOf(server.url))
  t.ok(isAlive(pid))
  await server.close()
  await until(() => !isAlive(pid))
})

t.test('a program that does not run on Node.js needs url', async (t) => {
  const port = await unusedPort()
  const command = ['sh', path.join(SERVERS, 'ignores-node.sh'), process.execPath, String(port)]
  const server = await launched(t, command, { url: `http://127.0.0.1:${port}/a` })
  t.match(server, { url: `http://127.0.0.1:${port}/a`, port })
  await t.rejects(launch(['sleep', '5'], { patience: 0.1 }), { code: 'CANNONADE_SERVER_FAILED', message: /has not listened on a port within 0\.1 seconds\. .* otherwise give the port in the URL$/ })
})

t.test('commands that do not listen', async (t) => {
  await t.rejects(launch(['no-such-program']), { code: 'CANNONADE_SERVER_FAILED', message: 'The server (no-such-program) could not be started: there is no such program' })
  await t.rejects(launch(['node', '-e', 'process.exit(3)']), { code: 'CANNONADE_SERVER_FAILED', message: /ended with exit code 3 before it listened on a port/ })
  const other = await httpServer(t)
  await t.rejects(launch(['sleep', '0.2'], { url: other.url }), { message: /before it listened on a port/ }, 'what listens on its port is another server')
})

t.test('invalid options', async (t) => {
  for (const [command, opts, message] of [
    ['node server.js', {}, "command must be an array of strings, such as ['node', 'server.js']; got 'node server.js'"],
    [[], {}, /^command must be an array of strings/],
    [['node', 5], {}, /^command must be an array of strings/],
    [['node'], [], /^the options must be an object/],
    [['node'], { cwd: path.join(__dirname, 'none') }, /^cwd must be the path of a folder; got/],
    [['node'], { cwd: new URL('https://a.test/') }, /^cwd must be the path of a folder; got/],
    [['node'], { cwd: __filename }, /^cwd must be the path of a folder; got/],
    [['node'], { env: { A: {} } }, /^env must be an object of strings; got/],
    [['node'], { url: 80 }, "url must be a URL, or a path such as '/items'; got 80"],
    [['node'], { url: 'http://a b/' }, "url must be a URL, or a path such as '/items'; got 'http://a b/'"],
    [['node'], { patience: 0 }, "patience must be a number of seconds greater than 0, or a string such as '1m 30s'; got 0"],
    [['node'], { pateince: 1 }, "pateince is not an option of launch: did you mean 'patience'?"],
    [['node'], { zzz: 1 }, /^zzz is not an option of launch; the options are cwd, env/]
  ]) await t.rejects(launch(command, opts), { code: 'CANNONADE_BAD_OPTION', message })
})

'use strict'

const path = require('node:path')
const t = require('tap')
const cannonade = require('../..')
const Awaitable = require('../../lib/base/awaitable')
const { httpServer } = require('../support/http-server')
const { playHere } = require('../support/play-here')
const { isAlive } = require('../support/processes')
const { closedPort, unusedPort } = require('../support/ports')
const { sleep, until } = require('../support/wait')
const { canMonitor } = require('../../lib/plan/watching')
const { executeCommand } = require('../../lib/cli')
const { StartedServer } = require('../../lib/launch/started-server')
const { simulate } = require('../simulation/world')
const { runOnPort } = require('../../lib/cli/on-port')
const { runProcess, startCommand, startProcess } = require('./command')

const server = (name) => path.join(__dirname, 'fixtures/servers', name)
const pidsIn = (text) => [...text.matchAll(/(?:process|listening) (\d+)/g)].map(([, pid]) => Number(pid))

// The server's own output is in stderr as well.
const start = (t, args, opts) => startCommand(t, args, { hasChildren: true, ...opts })
const run = (t, args, opts) => start(t, args, opts).ended

// A process closes its files a moment before it is gone.
const hasEnded = (text) => until(() => !pidsIn(text).some(isAlive))

t.test('what a run gets of its server: every URL at its port, and its process to monitor unless the user says otherwise', async (t) => {
  const asCannonade = (argv) => executeCommand(argv)
  const asAutocannon = (argv) => executeCommand(argv, 'autocannon')
  for (const [execute, words, ended, urls, monitored] of [
    [asCannonade, ['/a'], false, '/a', [7]], [asCannonade, ['/a', '/b?c'], false, ['/a', '/b?c'], [7]], [asCannonade, [], false, '/', [7]], [asCannonade, ['/a'], true, '/a', undefined],
    [asCannonade, ['/a', '--monitor', '8'], false, '/a', [8]], [asCannonade, ['/a', '--monitor', '8,9'], true, '/a', [8, 9]], [asAutocannon, ['/a'], false, '/a', undefined], [asAutocannon, ['/a', '--monitor', '8'], false, '/a', [8]]
  ]) {
    let started
    let closed = 0
    const { value, world: { log } } = await simulate({ seed: 1 }, (world) => {
      const { url } = world.server({ host: 'there', serviceTime: 2 })
      for (const pid of [7, 8, 9]) world.processes.set(pid, () => ({ cpu: 5, memory: 1e6 }))
      const server = { port: 80, pid: 7, child: { hasEnded: ended, ended: new Promise(() => {}) }, urlFrom: (path) => url + path, close: async () => { closed++ } }
      t.intercept(StartedServer, 'start', { value: async (...args) => { started = args; return server } })
      return playHere(t, () => execute(['-j', '-a', '4', '-c', '2', '-L', '2', '--on-port', ...words, '--', 'npm', 'start'])).ended
    })
    const told = `${execute === asAutocannon ? 'autocannon' : 'cannonade'} ${words.join(' ')}`
    t.equal(value.code, 0, `${told}: ${value.stderr}`)
    const { url, monitor } = JSON.parse(value.stdout)
    t.same([url].flat(), [urls].flat().map((path) => `http://there:80${path}`), told)
    t.same(monitor?.map(({ pid }) => pid), monitored, told)
    t.same([...new Set(log.map(({ path }) => path))].sort(), [urls].flat(), told)
    t.match(started, [['npm', 'start'], urls, { diagnose: false }], told)
    t.equal(closed, 1)
  }
})

t.test('a server that is started for an OpenAPI document gets the requests, whatever server the document names', async (t) => {
  const about = { info: { title: 'pets', version: '1' }, paths: { '/pets': { get: { responses: { 200: { description: 'ok' } } } } } }
  for (const [servers, words, path] of [
    [[{ url: 'http://elsewhere.test:8080/v1' }], [], '/v1/pets'], [[{ url: 'http://elsewhere.test/v1' }], ['/v2/'], '/v2/pets'], [[{ url: '/v1' }], ['/'], '/v1/pets'], [[], [], '/pets'], [undefined, ['http://localhost:9/v3'], '/v3/pets']
  ]) {
    const file = `${t.testdir({ 'api.json': JSON.stringify({ openapi: '3.0.3', ...(servers && { servers }), ...about }) })}/api.json`
    const { value, world: { log } } = await simulate({ seed: 1 }, (world) => {
      world.server({ host: 'localhost', serviceTime: 2 })
      const server = Object.assign(Object.create(StartedServer.prototype, { pid: { value: 7 } }), { channel: { reported: 80, host: 'localhost' }, port: 80, child: { hasEnded: true, ended: new Promise(() => {}) }, close: async () => {} })
      t.intercept(StartedServer, 'start', { value: async () => server })
      return playHere(t, () => executeCommand(['openapi', file, ...words, '-j', '-a', '3', '-c', '1', '--', 'node', 'server.js'])).ended
    })
    t.equal(value.code, 0, value.stderr)
    t.same(log.map(({ path }) => path), [path, path, path], `${JSON.stringify(servers)} ${words}`)
  }
})

t.test('starts the server, finds its port, sends requests to the path, and ends it', async (t) => {
  const { code, stdout, stderr } = await runProcess(t, ['-a', '40', '-c', '2', '--on-port', '/hello?a=1', '--', process.execPath, server('http.js'), '300'])
  t.equal(code, 0, stderr)
  t.match(stdout, /\n40 requests in .* read\n/)
  t.match(stderr, /^listening \d+\nRunning 40 requests test @ http:\/\/localhost:\d+\/hello\?a=1\n/)
  t.match(stderr, /\nasked \{"\/hello\?a=1":40\}\n$/)
  await hasEnded(stderr)
})

t.test('the flag is implied for node', async (t) => {
  const { code, stderr } = await run(t, ['-a', '10', '/', '--', 'node', server('http.js')])
  t.equal(code, 0, stderr)
  t.match(stderr, /asked \{"\/":10\}/)
})

t.test('--diagnose implies it for any command', (t) => {
  for (const flags of [['--diagnose'], ['--diagnose', 'a.cpuprofile'], ['--on-port']]) t.match(cannonade.parseArguments([...flags, '/', '--', 'npm', 'start']), { onPort: true, spawn: ['npm', 'start'] })
  t.match(cannonade.parseArguments(['/', '--', 'npm', 'start']), { onPort: false })
  t.end()
})

t.test('and so is the path', async (t) => {
  const { code, stderr } = await run(t, ['-a', '10', '--', 'node', server('http.mjs')])
  t.equal(code, 0, stderr)
  t.match(stderr, /Running 10 requests test @ http:\/\/localhost:\d+\/\n/)
})

t.test('the port replaces that of a complete URL', async (t) => {
  const { url } = await closedPort(t)
  const { code, stderr } = await run(t, ['-a', '10', `${url}/a`, '--', 'node', server('http.js')])
  t.equal(code, 0, stderr)
  t.match(stderr, /@ http:\/\/127\.0\.0\.1:\d+\/a\n/)
  t.match(stderr, /asked \{"\/a":10\}/)
})

t.test('several paths', async (t) => {
  const { code, stderr } = await run(t, ['-a', '20', '-c', '2', '/a', '/b', '--', 'node', server('http.js')])
  t.equal(code, 0, stderr)
  t.match(stderr, /asked \{"\/[ab]":\d+,"\/[ab]":\d+\}/)
})

t.test("-j: the server's output is not mixed into the JSON", async (t) => {
  const { code, stdout, stderr } = await run(t, ['-j', '-a', '10', '/', '--', 'node', server('http.js')])
  t.equal(code, 0)
  t.match(JSON.parse(stdout), { accounting: { completed: 10 } })
  t.same(JSON.parse(stdout).monitor?.map(({ pid }) => pid), canMonitor() ? pidsIn(stderr) : undefined, 'the server is monitored')
  t.match(stderr, /^listening \d+\nasked \{"\/":10\}\n$/)
})

t.test('with workers', async (t) => {
  const { code, stdout } = await run(t, ['-j', '-a', '30', '-w', '2', '/', '--', 'node', server('http.js')])
  t.equal(code, 0)
  t.match(JSON.parse(stdout), { workers: 2, accounting: { completed: 30 } })
})

t.test('unix sockets are ignored, and the first port counts', async (t) => {
  const { code, stdout } = await run(t, ['-j', '-a', '10', '/', '--', 'node', server('several.js')])
  t.equal(code, 0)
  t.match(JSON.parse(stdout), { accounting: { completed: 10 }, '2xx': 10 })
})

t.test('a server that is a grandchild of the command: all processes end with the run, whether they want to or not', async (t) => {
  const args = ['-a', '10', '--on-port', '/', '--', 'sh', '-c', `"${process.execPath}" "${server('with-children.js')}" 2; exit`]
  const { code, stderr } = await run(t, args)
  t.equal(code, 0, stderr)
  const pids = pidsIn(stderr)
  t.equal(pids.length, 3)
  await hasEnded(stderr)
})

t.test('a cluster', async (t) => {
  const { code, stdout, stderr } = await run(t, ['-j', '-a', '20', '/', '--', 'node', server('clustered.js')])
  t.equal(code, 0, stderr)
  t.match(JSON.parse(stdout), { accounting: { completed: 20 } })
  t.ok(pidsIn(stderr).length >= 1)
  await hasEnded(stderr)
})

t.test('the command keeps its environment', async (t) => {
  const expected = JSON.stringify({ MARK: 'seen', keepsOptions: true, limit: 17 })
  const { code, stdout, stderr } = await run(t, ['-j', '-a', '5', '-E', expected, '/', '--', 'node', server('environment.js')], {
    env: { NODE_OPTIONS: '--stack-trace-limit=17', MARK: 'seen' }
  })
  t.equal(code, 0, stderr)
  t.match(JSON.parse(stdout), { mismatches: 0, accounting: { completed: 5 } })
})

t.test('a program that does not run on Node.js is found at the port of the URL', async (t) => {
  const port = await unusedPort()
  const url = `http://127.0.0.1:${port}/a`
  const { code, stdout, stderr } = await run(t, ['-j', '-a', '10', '--on-port', url, '--', 'sh', server('ignores-node.sh'), process.execPath, String(port)])
  t.equal(code, 0, stderr)
  t.match(JSON.parse(stdout), { url, accounting: { completed: 10 }, '2xx': 10 })
})

t.test('another server that already answers at the port of the URL is not mistaken for it', async (t) => {
  const other = await httpServer(t)
  const { code, stdout, stderr } = await run(t, ['-j', '-a', '10', other.url, '--', 'node', server('http.js'), '500'])
  t.equal(code, 0, stderr)
  t.not(JSON.parse(stdout).url, other.url)
  t.equal(other.requests, 0)
})

t.test('a server that dies before it listens', async (t) => {
  for (const [command, sentence] of [
    [['node', '-e', 'process.exit(3)'], /^The server \(node -e process\.exit\(3\)\) ended with exit code 3 before it listened on a port\n$/],
    [['node', '-e', 'process.kill(process.pid, "SIGKILL")'], /^The server .* was ended by SIGKILL before it listened on a port\n$/],
    [['no-such-program'], /^The server \(no-such-program\) could not be started: there is no such program\n$/]
  ]) {
    const { code, stdout, stderr } = await run(t, ['--on-port', '/', '--', ...command])
    t.equal(code, 1)
    t.equal(stdout, '')
    t.match(stderr, sentence)
  }
})

t.test('a server that dies during the run: the result so far, and what happened', async (t) => {
  const { code, stdout, stderr } = await run(t, ['-j', '-d', '60', '/', '--', 'node', server('dies-in-between.js')])
  t.equal(code, 1)
  t.ok(JSON.parse(stdout).accounting.completed >= 40)
  t.match(stderr, /^The server \(node .*dies-in-between\.js\) ended with exit code 7 before the run was over\n$/)
})

t.test('a server that does not listen in time is given up and ended', async (t) => {
  const started = performance.now()
  await t.rejects(runOnPort({ url: '/', onPort: true, spawn: [process.execPath, '-e', 'setTimeout(() => {}, 300_000)'] }, 0.5), {
    code: 'CANNONADE_SERVER_FAILED',
    message: /has not listened on a port within 0\.5 seconds\. The port is detected only if the command runs on Node\.js; otherwise give the port in the URL/
  })
  t.ok(performance.now() - started < 60_000)
})

t.test('a command is missing, or there is one where none was expected', async (t) => {
  for (const [args, sentence] of [
    [['--on-port', '/'], /^--on-port needs the command .* after --, such as: -- node server\.js\n$/],
    [['--on-port', '/', '--', ''], /^--on-port needs the command/],
    [['/', '--', 'python3', 'server.py'], /^the command after -- needs --on-port, .*: 'python3 server\.py'\n$/],
    [['--no-on-port', '/', '--', 'node', 'server.js'], /^the command after -- needs --on-port/],
    [['--diagnose', '/'], /^--diagnose needs the command that starts the server after --, such as: -- node server\.js\n$/],
    [['--diagnose=server.txt', '/', '--', 'node', 'server.js'], /^--diagnose must be the path of a file in an existing folder, ending in \.cpuprofile; got 'server\.txt'\n$/],
    [['serve', '--', 'node'], /^this command takes nothing after --; got 'node'\n$/]
  ]) {
    const { code, stdout, stderr } = await run(t, args)
    t.equal(code, 2, args.join(' '))
    t.equal(stdout, '')
    t.match(stderr, sentence)
  }
})

t.test('invalid options end the server as well', async (t) => {
  const { code, stderr } = await run(t, ['-c', '0', '/', '--', 'node', server('http.js')])
  t.equal(code, 2)
  t.match(stderr, /^listening (\d+)\n-c must be .*\nasked \{\}\n$|^listening \d+\nasked \{\}\n-c must be .*\n$/)
  await hasEnded(stderr)
})

// Modules loaded beforehand may add listeners that are not ours.
const listening = '--import "data:text/javascript,process.on(\'SIGINT\',()=>{})"'

for (const [how, NODE_OPTIONS] of Object.entries({
  '': process.env.NODE_OPTIONS ?? '',
  ', heard by others as well': listening,
  ', in the same moment': `--require ${JSON.stringify(path.join(__dirname, 'fixtures/slow-to-spawn.js'))}`
})) {
  t.test(`Ctrl-C: while the server starts${how}`, async (t) => {
    const { child, output, ended } = startProcess(t, ['--on-port', '/', '--', 'sh', '-c', 'echo process $$; sleep 60'], { env: { NODE_OPTIONS } })
    await until(() => output.stderr.includes('process'))
    child.kill('SIGINT')
    t.match(await ended, { code: 130, signal: null })
    await hasEnded(output.stderr)
  })
}

t.test('Ctrl-C: during the run, which ends with its result', async (t) => {
  const { child, output, ended } = startProcess(t, ['-d', '60', '/', '--', 'node', server('http.js'), '0', 'tells'])
  await until(() => output.stderr.includes('asked for the first time'))
  child.kill('SIGINT')
  const { code, stdout, stderr } = await ended
  t.equal(code, 0, stderr)
  t.match(stdout, /requests in .* read\n/)
  t.match(stderr, /asked \{"\/":\d+\}\n$/)
  await hasEnded(stderr)
})

for (const [signal, exitCode] of [['SIGTERM', 143], ['SIGHUP', 129]]) {
  t.test(`${signal}: ends the run with its result, and the server with all processes that it started`, async (t) => {
    const { kill, output, ended } = start(t, ['-d', '60', '/', '--', 'node', server('http.js'), '0', 'tells'])
    await until(() => output.stderr.includes('asked for the first time'))
    kill(signal)
    const { code, stderr } = await ended
    t.equal(code, exitCode, stderr)
    t.match(stderr, /requests in .* read\n/)
    t.match(stderr, /asked \{"\/":\d+\}\n$/)
    await hasEnded(stderr)
  })
}

t.test('a signal that also reaches the server does not count as its failure', async (t) => {
  // The result of a stopped run usually comes first. Here it comes when the end of the server is known.
  const { outcomeOf } = Awaitable
  t.intercept(Awaitable, 'outcomeOf', {
    value: async (instance) => {
      const result = await outcomeOf(instance)
      await until(() => !pidsIn(output.stderr).some(isAlive))
      await sleep(50)
      return result
    }
  })
  const { kill, output, ended } = start(t, ['-d', '60', '/', '--', 'node', server('http.js'), '0', 'tells'])
  await until(() => output.stderr.includes('asked for the first time'))
  kill('SIGTERM')
  process.kill(pidsIn(output.stderr)[0], 'SIGTERM')
  const { code, stderr } = await ended
  t.equal(code, 143, stderr)
  t.match(stderr, /requests in .* read\n/)
  t.notMatch(stderr, 'before the run was over')
})

t.test('with PORT in the environment a path is enough, even without --on-port', async (t) => {
  const tracked = await httpServer(t)
  const { code, stdout } = await run(t, ['-j', '-a', '5', '/a'], { env: { PORT: String(tracked.port) } })
  t.equal(code, 0)
  t.equal(JSON.parse(stdout).url, `http://localhost:${tracked.port}/a`)
  t.equal(tracked.requests, 5)
})

t.test('programs can do the same: start() returns a promise of the result', async (t) => {
  const good = await runProcess(t, ['-a', '12', '/', '--', 'node', server('http.js')], { script: path.join(__dirname, 'fixtures/program-on-port.js') })
  t.match(good, { code: 0, stdout: /\n12 requests in [^]*\n12 sent\n$/, stderr: /asked \{"\/":12\}/ })
  const failed = () => t.rejects(cannonade.start(cannonade.parseArguments(['/', '--', 'node', '-e', '0'])), { code: 'CANNONADE_SERVER_FAILED' })
  t.match(await playHere(t, failed).ended, { code: 1, stdout: '', stderr: /before it listened on a port\n$/ })
})

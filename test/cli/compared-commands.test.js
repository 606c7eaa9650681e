'use strict'

// Servers that a comparison starts for its runs.

const path = require('node:path')
const t = require('tap')
const { compare } = require('../..')
const { startEach, useWhileThere } = require('../../lib/cli/compared-commands')
const { diagnoserOf } = require('../../lib/diagnose/target')
const { StartedServer } = require('../../lib/launch/started-server')
const { simulate } = require('../simulation/world')
const { isAlive } = require('../support/processes')
const { unusedPort } = require('../support/ports')
const { until } = require('../support/wait')
const { runCommand, runProcess, startProcess } = require('./command')

const server = (name) => path.join(__dirname, 'fixtures/servers', name)
const command = (name, ...args) => [process.execPath, server(name), ...args].map((word) => JSON.stringify(String(word))).join(' ')
const pidsIn = (text) => [...text.matchAll(/(?:process|listening) (\d+)/g)].map(([, pid]) => Number(pid))
const hasEnded = (text) => until(() => !pidsIn(text).some(isAlive))

const QUICK = ['--rounds', '1', '-d', '0.1', '-W', '0', '--pause', '0', '-c', '1', '-n', '-j']

// Never listens.
const SILENT = `${JSON.stringify(process.execPath)} -e "console.log('process', process.pid); setTimeout(() => {}, 300_000)"`

t.test('each server runs only during its own runs, and is warmed up each time', async (t) => {
  const { value } = await simulate({ seed: 1 }, async (world) => {
    for (const [host, serviceTime] of [['10.0.0.1', 20], ['10.0.0.2', 40]]) world.server({ host, serviceTime })
    const order = []
    let here = null
    const study = compare([{ url: '10.0.0.9', title: 'a' }, { url: '10.0.0.9', title: 'b' }], { rounds: 2, duration: 1, warmup: 0.5, pause: 0 }, async (index, use) => {
      t.equal(here, null, 'the other server is not running')
      here = index
      order.push(index)
      return use({ url: `10.0.0.${index + 1}` }).finally(() => { here = null })
    })
    study.on('begin', (run, { isWarmup }) => order.push(isWarmup ? 'warm-up' : 'run'))
    const answer = await study
    return { order, answer, seconds: study.seconds }
  })
  t.same(value.order, [0, 'warm-up', 'run', 1, 'warm-up', 'run', 1, 'warm-up', 'run', 0, 'warm-up', 'run'])
  t.equal(value.seconds, 6, 'two runs of each, with their warm-ups')
  const [{ a, b }] = value.answer.comparisons.map(({ metrics }) => metrics.p50)
  t.ok(Math.abs(a - 20) < 0.5 && Math.abs(b - 40) < 0.5, `${a} and ${b} ms`)
})

t.test('stopping a comparison stops everything that is still in progress', async (t) => {
  const { value } = await simulate({ seed: 1 }, async (world) => {
    world.server({ host: '10.0.0.1', serviceTime: 20 })
    let begun = 0
    const study = compare([{ url: '10.0.0.1', title: 'a' }, { url: '10.0.0.1', title: 'b' }], { rounds: 2, duration: 1, warmup: 1, pause: 0 }, async (index, use) => {
      // The server disappears during the warm-up.
      return Promise.race([use({}), new Promise((resolve, reject) => world.after(500, () => reject(new Error('gone'))))])
    })
    study.on('begin', () => begun++)
    const error = await study.catch((error) => error)
    await world.sleep(5000)
    return { error, begun }
  })
  t.equal(value.error.message, 'gone')
  t.equal(value.begun, 1, 'no run began afterwards')
})

t.test('two servers on one port, each started for its run and ended after it', async (t) => {
  const port = await unusedPort()
  const onePort = (command) => `FIXED_PORT=${port} ${command}`
  const commands = [onePort(command('http.js', 0)), onePort(command('http.js', 50))]
  const { code, stdout, stderr } = await runProcess(t, ['compare', '--setup', 'echo made ready', ...QUICK, '-R', '50',
    '--command', commands[0], '--command', commands[1], '/items'])
  // If the machine stands still for the whole of a run, that server is not asked for anything.
  t.match(stderr, /^made ready\n(listening \d+\nasked \{("\/items":\d+)?\}\n){2}(.* did not respond .*\n)?$/)
  t.equal(code, stderr.includes('did not respond') ? 1 : 0)
  const { sides, comparisons } = JSON.parse(stdout)
  t.same(sides.map(({ name }) => name), commands)
  t.equal(comparisons.length, 1)
  await hasEnded(stderr)
})

t.test("a server that doesn't start, ends during a run, or cannot be configured: one sentence", async (t) => {
  for (const [args, sentence] of [
    [['--command', command('http.js'), '--command', 'exit 3'], /The server \(exit 3\) ended with exit code 3 before it listened on a port\n$/],
    [['--command', command('dies-in-between.js'), '-d', '30', '--command', 'exit 3'], /The server \([^)]*dies-in-between\.js"\) ended with exit code \d+ before its run was over\n$/],
    [['--setup', 'kill -9 $$', '--command', 'a', '--command', 'b'], /^The setup \(kill -9 \$\$\) .*SIGKILL\n$/],
    [['--setup', 'exit 4', '--command', 'a', '--command', 'b'], /^The setup \(exit 4\) ended with exit code 4\n$/]
  ]) {
    const { code, stdout, stderr } = await runProcess(t, ['compare', ...QUICK, ...args, '/'])
    t.match({ code, stdout }, { code: 1, stdout: '' })
    t.match(stderr, sentence)
    await hasEnded(stderr)
  }
})

t.test('Ctrl-C while a server starts ends the server and the comparison', async (t) => {
  const { output, kill, ended } = startProcess(t, ['compare', ...QUICK, '--command', SILENT, '--command', 'b', '/'])
  await until(() => output.stderr.includes('process'))
  kill('SIGINT')
  const { code, stderr } = await ended
  t.equal(code, 1, 'nothing was compared')
  t.match(stderr, /stopped|nothing/i)
  await hasEnded(stderr)
})

t.test('options that contradict each other are rejected', async (t) => {
  for (const [args, sentence] of [
    [['--command', 'a', '/'], /^--command must be given once for each server; got only 'a'\n$/],
    [['--command', 'a', '--command', 'b', '/a', '/b'], /^with --command, give one path or URL for all servers; got 2\n$/],
    [['--setup', 'a', 'localhost:1', 'localhost:2'], /^--setup needs a --command for each server\n$/],
    [['--command', 'a', '--command', 'b', '-c', 'x'], /^-c must be/]
  ]) {
    const { code, stderr } = await runCommand(t, ['compare', ...args])
    t.match({ code, stderr }, { code: 2, stderr: sentence })
  }
})

t.test('a server that ends before its run is a failure, unless a signal has ended both', async (t) => {
  const failure = (sentence) => new Error(sentence)
  const later = () => new Promise(() => {})
  const outcome = (using, ended, isAborted) => useWhileThere({ ended, failure }, using, { aborted: isAborted }).then((value) => ({ value }), ({ message }) => ({ message }))
  const over = { message: 'ended with exit code 3 before its run was over' }
  for (const [isAborted, whenGone, whenBoth] of [[false, over, over], [true, { value: null }, { value: 'a result' }]]) {
    const end = () => Promise.resolve('ended with exit code 3')
    t.same(await outcome(later(), end(), isAborted), whenGone)
    t.same(await outcome(Promise.resolve('a result'), end(), isAborted), whenBoth)
    t.same(await outcome(Promise.resolve('a result'), later(), isAborted), { value: 'a result' })
    t.same(await outcome(Promise.reject(new Error('the run failed')), later(), isAborted), { message: 'the run failed' })
  }
})

t.test('what each run of a comparison gets of the server that was started for it', async (t) => {
  let started
  let closed = 0
  t.intercept(StartedServer, 'start', {
    value: async (...args) => {
      started = args
      return { port: 81, pid: 7, child: { hasEnded, ended: new Promise(() => {}) }, diagnosis: 'a channel', urlFrom: (url) => `http://there${url}`, close: async () => { closed++ } }
    }
  })
  let hasEnded = false
  const { signal } = new AbortController()
  const shell = process.platform === 'win32' ? ['cmd.exe', '/d', '/s', '/c'] : ['/bin/sh', '-c']
  for (const [url, how, ended, expected] of [
    ['/x', undefined, false, { url: 'http://there/x' }], [undefined, { isMonitored: false, isDiagnosed: false }, false, { url: 'http://there/' }],
    ['/x', { isMonitored: true }, false, { url: 'http://there/x', monitor: 7 }], ['/x', { isMonitored: true }, true, { url: 'http://there/x' }],
    ['/x', { isDiagnosed: true }, false, { url: 'http://there/x', diagnose: 'a channel' }], ['/x', { isMonitored: true, isDiagnosed: true }, false, { url: 'http://there/x', monitor: 7, diagnose: 'a channel' }]
  ]) {
    hasEnded = ended
    for (const [index, command] of ['npm start', 'cd b && node b.js'].entries()) {
      closed = 0
      const got = await startEach(['npm start', 'cd b && node b.js'], url, how)(index, async (where) => {
        t.equal(closed, 0)
        return where
      }, signal)
      const { diagnose, ...where } = got
      t.same({ ...where, ...(diagnose !== undefined && { diagnose: diagnoserOf(diagnose).channel }) }, expected)
      t.equal(closed, 1)
      t.match(started, [[...shell, command], url ?? '/', { name: command, signal, diagnose: how?.isDiagnosed ?? false }])
    }
  }
})

t.test('a comparison monitors the servers that it starts, unless the user names other processes', async (t) => {
  for (const [words, expected] of [[[], [7]], [['--monitor', '8'], [8]], [['--monitor', '8,9'], [8, 9]]]) {
    const monitored = new Set()
    const { value } = await simulate({ seed: 1 }, (world) => {
      const { url } = world.server({ host: 'there', serviceTime: 2 })
      for (const pid of [7, 8, 9]) {
        world.processes.set(pid, () => {
          monitored.add(pid)
          return { cpu: 5, memory: 1e6 }
        })
      }
      const server = { port: 80, pid: 7, child: { hasEnded: false, ended: new Promise(() => {}) }, urlFrom: (path) => url + path, close: async () => {} }
      t.intercept(StartedServer, 'start', { value: async () => server })
      return runCommand(t, ['compare', '-j', '-n', '--rounds', '1', '-d', '1', '-W', '0', '--pause', '0', '-c', '1', '-L', '200', ...words, '--command', 'a', '--command', 'b', '/x'])
    })
    t.equal(value.code, 0, value.stderr)
    t.same([...monitored].sort(), expected, words.join(' '))
  }
})

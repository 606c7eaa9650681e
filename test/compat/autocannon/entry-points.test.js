'use strict'

// Existing programs: they execute the main file, import internal modules, and await results.

const { execFile } = require('node:child_process')
const { EventEmitter } = require('node:events')
const fs = require('node:fs')
const path = require('node:path')
const t = require('tap')
const cannonade = require('../../..')
const { runCommand } = require('../../cli/command')
const { inherited } = require('../../support/environment')
const { playHere } = require('../../support/play-here')
const { httpServer } = require('../../support/servers')
const { simulate } = require('../../simulation/world')

const ROOT = path.join(__dirname, '../../..')

/** A folder in which the package is installed under autocannon's name. */
function project (t, files = {}) {
  const folder = t.testdir(files)
  fs.mkdirSync(path.join(folder, 'node_modules'))
  fs.symlinkSync(ROOT, path.join(folder, 'node_modules/autocannon'), 'dir')
  return folder
}

function node (args, cwd = ROOT) {
  return new Promise((resolve) => {
    execFile(process.execPath, args, { cwd, env: inherited(), timeout: 60_000, killSignal: 'SIGKILL' }, (error, stdout, stderr) => resolve({ code: error?.code ?? 0, stdout, stderr }))
  })
}

t.test('the main file and autocannon.js are commands as well', async (t) => {
  const { url } = await httpServer(t)
  const folder = project(t)
  // With a slash at the end it is the folder's main file, even if there is a file of the folder's name with .js next to it.
  for (const file of ['./', './autocannon.js']) {
    const { code, stdout, stderr } = await node([require.resolve(path.join(ROOT, file)), '-j', '--c=1', '--a=5', '--m=POST', url])
    t.same([code, stderr], [0, ''])
    t.match(JSON.parse(stdout), { requests: { total: 5 }, connections: 1, endpoints: [{ method: 'POST' }] })
  }
  t.match(await node(['node_modules/autocannon/autocannon.js', '--version'], folder), { code: 0, stdout: /^autocannon v/ })
  t.ok(fs.statSync(path.join(ROOT, 'autocannon.js')).mode & 0o100, 'a script may run it without naming Node')
})

t.test('imports of internal modules', async (t) => {
  const { url } = await httpServer(t)
  const folder = project(t, {
    'program.cjs': `
      const EventEmitter = require('node:events')
      const autocannon = require('autocannon')
      const run = require('autocannon/lib/run')
      const printResult = require('autocannon/lib/printResult')
      const aggregateResult = require('autocannon/lib/aggregateResult.js')
      const { decodeHist, encodeHist, getHistograms, histAsObj, addPercentiles } = require('autocannon/lib/histUtil')
      const opts = { url: '${url}', connections: 1, amount: 10, skipAggregateResult: true }
      async function main () {
        const result = await autocannon(opts)
        const histogram = decodeHist(result.histograms.latency)
        const seen = []
        const { latencies } = getHistograms()
        latencies.add(decodeHist(JSON.parse(JSON.stringify(result)).latencies))
        const tracker = run(opts, Object.assign(new EventEmitter(), { mine: true }), () => seen.push('callback'))
        tracker.on('start', () => seen.push('start'))
        tracker.on('done', ({ requests }) => seen.push('done ' + requests.total))
        await new Promise((resolve) => tracker.on('done', resolve))
        await new Promise(setImmediate)
        console.log(JSON.stringify({
          same: [printResult === autocannon.printResult, require('autocannon/lib/progressTracker') === autocannon.track, require('autocannon/autocannon') === autocannon],
          whole: aggregateResult(result, opts).requests.total,
          count: histogram.totalCount,
          again: decodeHist(encodeHist(histogram)).totalCount,
          median: addPercentiles(histogram, histAsObj(histogram)).p50 === histogram.getValueAtPercentile(50),
          none: decodeHist(''),
          raw: [latencies.totalCount, result.totalCompletedRequests, result.totalRequests, result.totalBytes === result.throughput.total],
          tracker: [tracker.mine, typeof tracker.stop, tracker.opts.connections],
          seen
        }))
      }
      main()`
  })
  const { stdout, stderr } = await node(['--preserve-symlinks', 'program.cjs'], folder)
  t.equal(stderr, '')
  t.same(JSON.parse(stdout), {
    same: [true, true, true],
    whole: 10,
    count: 10,
    again: 10,
    median: true,
    none: null,
    raw: [10, 10, 10, true],
    tracker: [true, 'function', 1],
    seen: ['start', 'done 10', 'callback']
  })
})

t.test('lib/run.js by its path accepts a tracker, or none, and a callback', async (t) => {
  const { url } = await httpServer(t)
  const run = require(path.join(path.dirname(require.resolve('../../..')), 'lib/run.js'))
  const opts = { url, connections: 1, amount: 10 }
  const tracker = new EventEmitter()
  const seen = { response: 0, start: 0, done: 0 }
  for (const event of Object.keys(seen)) tracker.on(event, () => seen[event]++)
  const ended = new Promise((resolve, reject) => {
    const returned = run(opts, tracker, (error, result) => error ? reject(error) : resolve(result))
    t.equal(returned, tracker)
    t.match(returned, { opts: { connections: 1, amount: 10 }, stop: Function })
  })
  t.equal((await ended).requests.total, 10)
  t.same(seen, { response: 10, start: 1, done: 1 })
  for (const none of [null, undefined]) {
    const result = await new Promise((resolve) => run(opts, none, (error, result) => resolve(error ?? result)))
    t.equal(result.requests.total, 10)
  }
  const failed = new EventEmitter()
  const error = new Promise((resolve) => failed.on('error', resolve))
  t.equal(run({ ...opts, timeout: 0 }, failed), failed)
  t.match(await error, { code: 'CANNONADE_BAD_OPTION' })
})

t.test("mergeable histograms, in autocannon's formats", async (t) => {
  const [theirs, ours] = ['autocannon', 'cannonade'].map((name) => require(`${name}/lib/histUtil`))
  t.same(Object.keys(theirs).filter((name) => !(name in ours)), [])
  const values = { latencies: [0, 1, 42, 9999, 70_000], requests: [3, 12_345, 1_000_000], throughput: [1, 99_999, 1e11] }
  const [expected, found] = [theirs, ours].map(({ getHistograms, histAsObj, addPercentiles }) => Object.entries(getHistograms()).map(([name, histogram]) => {
    for (const value of values[name]) histogram.recordValue(value)
    return [name, histogram.totalCount, addPercentiles(histogram, histAsObj(histogram))]
  }))
  t.same(found, expected)
  const { latencies } = ours.getHistograms()
  t.equal(ours.getHistograms({ latencies }).latencies, latencies, 'a given one is used')
  t.throws(() => ours.decodeHist({ average: 5 }), { code: 'CANNONADE_BAD_ARGUMENT', message: 'decodeHist needs a histogram as text, such as latencies of a raw result; got { average: 5 }' })
})

t.test('latencies of a raw result are whole milliseconds, rounded down', async (t) => {
  const { decodeHist } = require('cannonade/lib/histUtil')
  const { value: [first, second] } = await simulate({}, async (world) => {
    const server = world.server({ serviceTime: (request) => [0.4, 1, 1.999, 2, 17, 2000.7][request.number] })
    const result = await cannonade({ url: server.url, connections: 1, amount: 6, timeout: 5, skipAggregateResult: true })
    return [result, cannonade.aggregateResult([result, result], { url: server.url, skipAggregateResult: true })]
  })
  const histogram = decodeHist(first.latencies)
  t.same([0.5, 1.5, 2.5, 3.5, 4.5, 5.5].map((rank) => histogram.getValueAtPercentile(rank / 6 * 100)), [0, 1, 1, 2, 17, 2000])
  t.match(first, { totalCompletedRequests: 6, totalRequests: 6, totalBytes: first.throughput.total })
  t.equal(decodeHist(second.latencies).totalCount, 12, 'also of a mergeable sum')
  t.equal(second.totalRequests, 12)
})

t.test('credentials are sent, but shown nowhere', async (t) => {
  const seen = []
  const server = await httpServer(t, (request, response) => { seen.push(request.headers.authorization); response.end('ok') })
  const url = server.url.replace('://', '://ada:love%20lace@')
  const bare = url.replace('http://', '')
  const expected = `Basic ${Buffer.from('ada:love lace').toString('base64')}`
  const bin = path.join(ROOT, 'bin/cannonade.js')
  const once = ['-c', '1', '-a', '1']
  const study = ['-c', '1', '-d', '0.3', '--pause', '0.01']
  for (const args of [
    [...once, url], [...once, bare], ['-j', ...once, url], ['-j', '-c', '2', '-a', '2', url, bare],
    ['sweep', ...study, '--rates', '20', url], ['capacity', ...study, '--from', '20', '--to', '20', url],
    ['compare', '-c', '1', '-d', '0.2', '--rounds', '2', '--pause', '0.01', '-W', '0.1', url, bare]
  ]) {
    seen.length = 0
    const { stdout, stderr } = await runCommand(t, args)
    t.ok(seen.length > 0, args.join(' '))
    t.same([...new Set(seen)], [expected], args.join(' '))
    t.notMatch(stdout + stderr, /love|ada:/, args.join(' '))
  }
  seen.length = 0
  const program = `const { run, parseArguments, start } = require('cannonade')
    const options = parseArguments(['-n', '-c', '1', '-a', '1', ${JSON.stringify(url)}])
    run(options).then(() => start(options))`
  const { stdout, stderr } = await node(['-e', program])
  t.same(seen, [expected, expected])
  t.notMatch(stdout + stderr, /love|ada:/)
  seen.length = 0
  await node([bin, ...once, '--on-port', url.replace(/:\d+$/, ':1/x'), '--', process.execPath, '-e', `
    const http = require('http')
    http.createServer((q, r) => { http.get(${JSON.stringify(server.url)}, { headers: { authorization: q.headers.authorization ?? 'none' } }, () => r.end('ok')) }).listen(0)`])
  t.same(seen, [expected])
})

t.test('with options from a command line, a program prints what the command would; json prints the line', async (t) => {
  const { url } = await httpServer(t)
  const { run, parseArguments } = cannonade
  const shown = await playHere(t, () => run(parseArguments(['-c', 1, '-a', 5, url]))).ended
  t.match(shown, { stdout: '', stderr: /Running 5 requests test @ .*\n1 connections\n[^]*│ Latency[^]*5 requests in/ })
  for (const opts of [() => ({ url, connections: 1, amount: 5, json: true }), () => parseArguments(['-j', '-c', '1', '-a', '5', url])]) {
    for (const start of [run, (opts) => new Promise((resolve) => run(opts, resolve))]) {
      const { stdout, stderr } = await playHere(t, () => start(opts())).ended
      t.equal(stderr, '')
      t.equal(JSON.parse(stdout).requests.total, 5)
      t.same(Object.keys(JSON.parse(stdout)).slice(-2), ['timeline', 'histograms'])
    }
  }
  const warm = await runCommand(t, ['-j', '-c', '1', '-a', '5', '-W', '0.1', url])
  t.equal(/"errors":(\d+)/.exec(warm.stdout)[1], '0')
  t.same(Object.keys(JSON.parse(warm.stdout)).slice(-3), ['warmup', 'timeline', 'histograms'])
})

t.test('-n turns off tables and progress, --no-progress only the bar', async (t) => {
  const { url } = await httpServer(t)
  const all = ['-c', '1', '-a', '5', '--renderStatusCodes']
  t.match(await runCommand(t, [...all, '-n', url]), { code: 0, stdout: '', stderr: /^\n?5 requests in [^\n]*\n$/ })
  const { stderr } = await runCommand(t, [...all, '--no-progress', url])
  t.match(stderr, /│ Latency[^]*│ Code/)
  t.notMatch(stderr, /Running/)
})

t.test('paths of hooks are resolved as by require', async (t) => {
  const { url } = await httpServer(t)
  const folder = project(t, {
    helpers: { 'verify-body.js': "module.exports = (body) => body === 'ok'", 'setup-client': { 'index.js': "module.exports = (client) => client.setHeaders({ a: 'b' })" } }
  })
  for (const workers of ['0', '1']) {
    const { code, stdout, stderr } = await node(['-e', `
      const { run } = require('autocannon')
      run({ url: '${url}', connections: 1, amount: 3, workers: ${workers}, verifyBody: './helpers/verify-body', setupClient: './helpers/setup-client', json: true })`], folder)
    t.same([code, stderr], [0, ''])
    t.match(JSON.parse(stdout), { requests: { total: 3 }, errors: 0 })
  }
})

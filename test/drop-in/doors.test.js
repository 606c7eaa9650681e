'use strict'

// Programs that nobody here wrote: they start the main file, import from inside, and await what they get.

const { execFile } = require('node:child_process')
const fs = require('node:fs')
const path = require('node:path')
const t = require('tap')
const cannonade = require('../..')
const { runCommand } = require('../cli/command')
const { playHere } = require('../support/play-here')
const { httpServer } = require('../support/servers')

const ROOT = path.join(__dirname, '../..')

/** A folder in which the package is installed under autocannon's name. */
function project (t, files = {}) {
  const folder = t.testdir(files)
  fs.mkdirSync(path.join(folder, 'node_modules'))
  fs.symlinkSync(ROOT, path.join(folder, 'node_modules/autocannon'), 'dir')
  return folder
}

function node (args, cwd = ROOT) {
  const { PORT, ...env } = process.env
  return new Promise((resolve) => {
    execFile(process.execPath, args, { cwd, env, timeout: 60_000, killSignal: 'SIGKILL' }, (error, stdout, stderr) => resolve({ code: error?.code ?? 0, stdout, stderr }))
  })
}

t.test('the main file and autocannon.js are the command as well', async (t) => {
  const { url } = await httpServer(t)
  const folder = project(t)
  for (const file of ['.', './autocannon.js']) {
    const { code, stdout, stderr } = await node([require.resolve(path.join(ROOT, file)), '-j', '--c=1', '--a=5', '--m=POST', url])
    t.same([code, stderr], [0, ''])
    t.match(JSON.parse(stdout), { requests: { total: 5 }, connections: 1, endpoints: [{ method: 'POST' }] })
  }
  t.match(await node(['node_modules/autocannon/autocannon.js', '--version'], folder), { code: 0, stdout: /^cannonade v/ })
  t.ok(fs.statSync(path.join(ROOT, 'autocannon.js')).mode & 0o100, 'a script may run it without naming Node')
})

t.test('what is imported from inside', async (t) => {
  const { url } = await httpServer(t)
  const folder = project(t, {
    'program.cjs': `
      const EventEmitter = require('node:events')
      const autocannon = require('autocannon')
      const run = require('autocannon/lib/run')
      const printResult = require('autocannon/lib/printResult')
      const aggregateResult = require('autocannon/lib/aggregateResult.js')
      const { decodeHist, encodeHist, histAsObj, addPercentiles } = require('autocannon/lib/histUtil')
      const opts = { url: '${url}', connections: 1, amount: 10, skipAggregateResult: true }
      async function main () {
        const result = await autocannon(opts)
        const histogram = decodeHist(result.histograms.latency)
        const seen = []
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
    tracker: [true, 'function', 1],
    seen: ['start', 'done 10', 'callback']
  })
})

t.test('credentials are sent, and shown nowhere', async (t) => {
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

t.test('options of a command line show what the command would; json prints the line', async (t) => {
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

t.test('-n keeps the tables away, --no-progress the bar alone', async (t) => {
  const { url } = await httpServer(t)
  const all = ['-c', '1', '-a', '5', '--renderStatusCodes']
  t.match(await runCommand(t, [...all, '-n', url]), { code: 0, stdout: '', stderr: /^\n?5 requests in [^\n]*\n$/ })
  const { stderr } = await runCommand(t, [...all, '--no-progress', url])
  t.match(stderr, /│ Latency[^]*│ Code/)
  t.notMatch(stderr, /Running/)
})

t.test('paths of hooks are found as require finds them', async (t) => {
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

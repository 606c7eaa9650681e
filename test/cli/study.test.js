'use strict'

// Commands that make many runs. Most tests use simulated servers, whose correct result is known; the last ones use real servers.

const fs = require('node:fs')
const path = require('node:path')
const t = require('tap')
const run = require('../..')
const { simulate } = require('../simulation/world')
const { machine, runOn } = require('../study/fixtures/simulated')
const slotsServer = require('../study/fixtures/slots-server')
const { httpServer } = require('../support/servers')
const { until } = require('../support/wait')
const { runCommand, runProcess, startCommand, startProcess } = require('./command')

const cannonade = (t, ...args) => runCommand(t, args)
const QUICK = ['--rounds', 5, '-d', 0.6, '-W', 0.1]
const [FAST, SLOW] = ['10.0.0.1', '10.0.0.2']

/** The output of the command in a world with one server that takes 20 ms and one that takes 25 ms. */
async function simulated (t, ...args) {
  const { value } = await simulate({ seed: 1 }, (world) => {
    for (const [host, serviceTime] of [[FAST, 20], [SLOW, 25]]) world.server({ host, serviceTime })
    return cannonade(t, ...args)
  })
  return value
}

/** The output of the command with a server that handles four requests at a time in 20 ms each: 200/s. */
async function slotsSimulated (t, ...args) {
  const { value } = await simulate({ seed: 1 }, (world) => {
    world.server({ host: FAST, slots: 4, serviceTime: 20 })
    return cannonade(t, ...args)
  })
  return value
}

function savedIn (t, name, content) {
  const file = path.join(t.testdir({}), name)
  fs.writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content))
  return file
}

t.test('compare: alternates between URLs, shows progress, and prints the conclusion', async (t) => {
  const { code, stdout, stderr } = await simulated(t, 'compare', ...QUICK, '-c', 5, FAST, SLOW)
  t.equal(code, 0)
  t.equal(stdout, '')
  t.match(stderr, /^Comparing 2 in turns \(6\.8 s\)\nround 1, 10\.0\.0\.[12]: [\d,.]+\/s, p50 /)
  t.equal(stderr.match(/^round \d/mg).length, 10)
  t.match(stderr, /^A: 10\.0\.0\.1 \(5 runs; 200: [\d,]+\): http:\/\/10\.0\.0\.1\/?\nB: 10/m)
  t.match(stderr, /│ Latency p50 +│ [^\n]+│ ▼ slower +│/)
  t.match(stderr, /\nB is slower than A: p50 \+25%/)
  for (const line of stderr.split('\n')) t.ok(line.length <= (/[─│]/.test(line) ? 100 : 80), line)

  const json = await simulated(t, 'compare', ...QUICK, '--json', '--max-regression', '5%', FAST, SLOW)
  t.equal(json.code, 1, 'a regression is exit code 1')
  t.equal(json.stderr, '')
  t.match(JSON.parse(json.stdout), { kind: 'comparison', passed: false, verdict: 'slower' })
})

t.test('compare: the line of a run counts its errors, and has no times without a response', async (t) => {
  const { value: { stderr } } = await simulate({ seed: 1 }, (world) => {
    const some = world.server({ serviceTime: 2, attempt: (number) => number === 1 ? 'refuse' : 'accept' })
    return cannonade(t, 'compare', '--rounds', 1, '-W', 0, '-d', 1, '-c', 2, '-t', 0.1, some.url, world.server({ host: 'b', answer: 'silence' }).url, world.server({ host: 'c', serviceTime: 4 }).url)
  })
  const lines = new Map([...stderr.matchAll(/^round 1, ([^:]+): (.*)$/mg)].map(([, name, line]) => [name, line]))
  t.match(lines.get('10.0.0.1'), /^9\d\d/)
  t.match(lines.get('10.0.0.1'), /^[\d,.]+\/s, p50 2 ms, p99 2 ms, 1 error$/)
  t.equal(lines.get('b'), '0/s, p50 –, p99 –, 12 errors')
  t.match(lines.get('c'), /^[\d.]+\/s, p50 4 ms, p99 4 ms$/)
})

t.test('compare: files with results', async (t) => {
  const fast = runOn(machine(1), { seconds: 30 })
  const before = savedIn(t, 'before.json', fast)
  const after = path.join(path.dirname(before), 'after.json')
  fs.writeFileSync(after, JSON.stringify(runOn(machine(2), { slower: 5, seconds: 30 })))
  const { code, stderr } = await cannonade(t, 'compare', before, after)
  t.equal(code, 0)
  t.match(stderr, /Comparing 2 results/)
  t.match(stderr, /B: .*after\.json \(1 run\)/s)
  t.match(stderr, /B is slower than A: /)
  t.match(stderr.replaceAll('\n ', ''), /Warning: There is one run of /)
  t.equal((await cannonade(t, 'compare', before, after, '--max-regression', '10%')).code, 1)
  t.equal((await cannonade(t, 'compare', after, before, '--max-regression', '10%')).code, 0)

  fs.writeFileSync(before, new Array(3).fill(JSON.stringify(fast)).join('\n'))
  t.match((await cannonade(t, 'compare', before, before)).stderr, /A: .*before\.json \(3 runs\)/s)

  // As an editor or a shell may leave it: a byte order mark, line ends of Windows, and lines with spaces only.
  fs.writeFileSync(before, `\ufeff${[fast, fast].map((result) => JSON.stringify({ ...result, title: 'main' })).join('\r\n  \r\n')}\r\n \n`)
  t.match((await cannonade(t, 'compare', before, after)).stderr, /A: main \(.*before\.json\) \(2 runs\)/s, 'a title and the file')
})

t.test('a benchmark with --baseline and --max-regression', async (t) => {
  const saved = await simulated(t, '-j', '-d', 2, '-c', 4, '-L', 200, FAST)
  const baseline = savedIn(t, 'baseline.json', saved.stdout)
  const flags = ['-d', 2, '-c', 4, '-L', 200, '-n', '--baseline', baseline, '--max-regression', '10%']
  const bad = await simulated(t, ...flags, SLOW)
  t.equal(bad.code, 1)
  t.match(bad.stderr.replaceAll('\n ', ''), /Regression check FAILED: Throughput of B is 20\.\d+% worse than that of A \(allowed: 10%\)\./)
  const json = await simulated(t, ...flags, '-j', SLOW)
  t.equal(json.code, 1)
  t.ok(JSON.parse(json.stdout).latency, 'stdout has the result and nothing else')
  const good = await simulated(t, ...flags.slice(0, -2), SLOW)
  t.equal(good.code, 0, 'without a limit it is only reported')
  t.match(good.stderr, /B is slower than A: /)
})

t.test('a check of a benchmark that is inconclusive fails only in strict mode, which a flag decides before the environment does', async (t) => {
  const saved = await simulated(t, '-j', '-a', 6, '-c', 1, FAST)
  const baseline = savedIn(t, 'baseline.json', saved.stdout)
  for (const [flags, CI, code] of [[[], undefined, 0], [['--strict'], undefined, 1], [['--no-strict'], 'true', 0], [[], 'true', 1], [['--strict'], 'false', 1], [['--strict', '--no-strict'], undefined, 0]]) {
    const { value } = await simulate({ seed: 1 }, (world) => {
      const { url } = world.server({ host: FAST, slots: 4, serviceTime: 20 })
      return runCommand(t, ['-n', '-a', 6, '-c', 1, '--baseline', baseline, '--max-regression', '1%', ...flags, url], { env: { CI } })
    })
    t.match(value.stderr.replaceAll('\n ', ''), /Regression check inconclusive/i, flags.join(' '))
    t.equal(value.code, code, `${flags.join(' ')} CI=${CI}`)
  }
})

t.test('whatever fails, the exit code is 1, and nothing that passes afterwards changes that', async (t) => {
  const long = ['-d', 60, '-c', 4, '-L', 200]
  const saved = await simulated(t, '-j', ...long, FAST)
  const check = ['--baseline', savedIn(t, 'baseline.json', saved.stdout), '--max-regression', '10%', '--strict']
  for (const [limit, server, code] of [['p99 < 1h', FAST, 0], ['p99 < 1h', SLOW, 1], ['p99 < 1ns', FAST, 1], ['p99 < 1ns', SLOW, 1]]) {
    const { code: actual } = await simulated(t, ...long, '-n', '--threshold', limit, ...check, server)
    t.equal(actual, code, `${limit}, ${server === FAST ? 'as fast as' : 'slower than'} the baseline`)
  }
})

t.test('a benchmark with thresholds', async (t) => {
  const failed = await simulated(t, '-a', 20, '--threshold', 'p99 < 1ns', '--threshold', 'errors == 0', FAST)
  t.equal(failed.code, 1)
  t.match(failed.stderr, /Threshold FAILED: p99 < 1ns: it was 20 ms, 20,000,000 times the limit/)
  t.match(failed.stderr, /Threshold passed: errors == 0: it was 0/)
  t.equal((await simulated(t, '-a', 20, '-n', '--threshold=errors == 0', FAST)).code, 0)
  const json = await simulated(t, '-a', 20, '-j', '--threshold', 'p99 < 1ns', FAST)
  t.equal(json.code, 1)
  t.match(JSON.parse(json.stdout), { passed: false, thresholds: [{ threshold: 'p99 < 1ns', passed: false }] })
  const aborted = await simulated(t, '-d', 60, '-L', 50, '-n', '--abort-on-fail', '--threshold', 'latency.max < 1ns', FAST)
  t.equal(aborted.code, 1)
  t.match(aborted.stderr.replaceAll('\n ', ''), /Warning: The run ended early, after/)
})

t.test('sweep: one line per row, a table, the knee, and files', async (t) => {
  const folder = t.testdir({})
  const csv = path.join(folder, 'out.tsv')
  const html = path.join(folder, 'out.html')
  const flags = ['sweep', '--from', 50, '--to', 350, '--step', 150, '-d', 0.6, '--pause', 0, '-c', 60]
  const files = ['--csv', csv, '--columns', 'autobench', '--separator', 'tab', '--html', html]
  const { code, stdout, stderr } = await slotsSimulated(t, ...flags, FAST, ...files)
  t.equal(code, 0)
  t.equal(stdout, '')
  t.match(stderr, /^Stepping through the rates \(1\.8 s\)\nThe reply rate has no samples, because a run took less than 5 seconds\. Raise --duration\.\n50\/s: achieved /)
  t.match(stderr, /│ Demanded │ Achieved │ p50 /)
  t.match(stderr.replaceAll('\n  ', ' '), /The knee of 10\.0\.0\.1 is at 200 requests per second/)
  const lines = fs.readFileSync(csv, 'utf8').split('\n')
  t.match(lines[0], /^dem_req_rate\treq_rate_10\.0\.0\.1\t/)
  t.equal(lines.length, 5)
  t.match(fs.readFileSync(html, 'utf8'), /^<!doctype html>/i)

  const own = await slotsSimulated(t, 'sweep', '--rates', '20,40', '-d', 0.1, '--pause', 0, FAST, FAST, '--csv', csv, '--json')
  t.match(JSON.parse(own.stdout), { kind: 'sweep', rows: { length: 2 }, knee: { length: 2 } })
  t.match(fs.readFileSync(csv, 'utf8'), /^demanded,target,achieved/)
  const several = await slotsSimulated(t, 'sweep', '--rates', '20', '-d', 0.5, '--pause', 0, FAST, `${FAST}/b`)
  t.match(several.stderr, /\n20\/s A: 10\.0\.0\.1: achieved [^\n]*\n20\/s B: 10\.0\.0\.1\/b: achieved /)
  const limited = await slotsSimulated(t, ...flags, '--stop-p99', '1us', '--no-progress', FAST)
  t.match(limited.stderr.replaceAll('\n  ', ' '), /The sweep ended early because a limit was exceeded: p99\./)
  t.notMatch(limited.stderr, /Stepping through the rates/)
})

t.test('capacity: the steps, the conclusion, and the estimated duration', async (t) => {
  const { code, stdout, stderr } = await slotsSimulated(t, 'capacity', '--slo', 'p99 < 100ms', '--from', 100, '--to', 400, '-d', 4, FAST)
  t.equal(code, 0)
  t.equal(stdout, '')
  t.match(stderr, /^Searching for the capacity \(at most [\d minsh]+\)\nclimb 100\/s: achieved /)
  t.match(stderr, /│ Rate +│ Phase +│ Achieved │/)
  const [, capacity] = /The capacity is ([\d.]+) requests per second/.exec(stderr.replaceAll('\n  ', ' '))
  t.ok(capacity >= 190 && capacity <= 210, capacity)
  const json = await slotsSimulated(t, 'capacity', '--slo', 'p99<2s', '--from', 10, '--to', 20, '-d', 0.2, '--json', FAST)
  t.match(JSON.parse(json.stdout), { kind: 'capacity', slo: ['p99<2s', '5xx < 1%'], connections: 100 })
  const ofUsers = await slotsSimulated(t, 'capacity', '--of', 'connections', '--slo', 'p99 < 50ms', '--from', 8, '--to', 9, '-d', 0.5, FAST)
  t.match(ofUsers.stderr, /^Searching for the capacity \(at most [\d s]+\)\nclimb 8 connections: achieved [\d.]+\/s, p50 40 ms, p99 40 ms, passed: yes\nclimb 9 connections: /)
  t.match(ofUsers.stderr.replaceAll('\n  ', ' '), /The capacity is 8 connections \(between 8 and 9, confirmed by a longer run\)\./)
})

t.test('an objective on an endpoint whose name has a line break does not break the lines of a search', async (t) => {
  const config = path.join(t.testdir({ 'config.json': JSON.stringify({ run: { requests: [{ title: 'a\nb' }] } }) }), 'config.json')
  const { code, stderr } = await slotsSimulated(t, 'capacity', '--config', config, '--slo', 'endpoints["a\nb"].latency.p50 < 1ms', '--from', 20, '--to', 40, '-d', 0.2, FAST)
  t.equal(code, 0)
  t.match(stderr, /^Searching [^\n]*\nclimb 20\/s: [^\n]*, passed: no: endpoints\["a b"\]\.latency\.p50 < 1ms \(20 ms\)\n/)
})

t.test('a study that fails prints and writes what it has found before its error', async (t) => {
  // At 20, 30 and 40 per second, for 0.5 s each: it throws at the third rate.
  const folder = t.testdir({ 'hook.cjs': 'let count = 0; module.exports = (request) => { if (++count > 26) throw new Error("broken"); return request }' })
  const hook = path.join(folder, 'hook.cjs')
  const settings = ['--rates', '20,30,40', '-d', '0.5', '--pause', '0', '--setup-request', hook]
  const { code, stderr } = await slotsSimulated(t, 'sweep', ...settings, '--csv', path.join(folder, 'rows.csv'), FAST)
  t.equal(code, 1)
  t.match(stderr, /\n└─[^\n]*\n[^]*The study failed before it was over,[^]*\nrequests\[0\]\.setupRequest failed: broken [^\n]*\n$/)
  t.same([...stderr.matchAll(/^│ (\d+) +│/gm)].map(([, rate]) => rate), ['20', '30'])
  t.equal(fs.readFileSync(path.join(folder, 'rows.csv'), 'utf8').trim().split('\n').length, 3)
  // A module of another name counts anew.
  const again = path.join(folder, 'again.cjs')
  fs.copyFileSync(hook, again)
  const json = await slotsSimulated(t, 'sweep', '-j', ...settings.slice(0, -1), again, FAST)
  t.match(json, { code: 1, stderr: /^requests\[0\]\.setupRequest failed: broken [^\n]*\n$/ })
  t.match(JSON.parse(json.stdout), { kind: 'sweep', rows: [{ demanded: 20 }, { demanded: 30 }], warnings: [{ code: 'STOPPED' }] })
})

t.test('with a real server, in a separate process', async (t) => {
  const { url } = await slotsServer(t, { slots: 4, ms: 20 })
  for (const [run, args, said, piped] of [
    [runCommand, ['compare', '--rounds', '2', '-d', '0.2', url, url], /^Comparing 2 in turns[^]*│ Latency p50 /, /^$/],
    [runProcess, ['sweep', '--rates', '20,40', '-d', '0.2', '--pause', '0', url], /^Stepping through the rates[^│]*$/, /│ Demanded │/],
    [runCommand, ['capacity', '--slo', 'p99 < 2s', '--from', '10', '--to', '20', '-d', '0.2', '-c', '10', url], /^Searching for the capacity[^]*│ Rate +│ Phase /, /^$/]
  ]) {
    const { code, stdout, stderr } = await run(t, args)
    t.match({ stdout, stderr }, { stdout: piped, stderr: said })
    // If the machine stands still for the whole of a run, nothing is answered in it.
    t.ok(code === 0 || /no responses|did not respond/.test(stderr + stdout), `${code}: ${stderr}`)
  }
})

for (const [signal, exitCode, start] of [['SIGINT', 0, startCommand], ['SIGTERM', 143, startProcess], ['SIGHUP', 129, startCommand]]) {
  t.test(`${signal} ends a study with the results so far, exit code ${exitCode}`, async (t) => {
    const { url } = await httpServer(t)
    const { kill, output, ended } = start(t, ['sweep', '--from', '10', '--to', '10000', '--step', '10', '-d', '0.1', '--pause', '0', url])
    await until(() => /^20\/s/m.test(output.stderr))
    kill(signal)
    const { code, stdout, stderr } = await ended
    t.equal(code, exitCode)
    t.match(start === startProcess ? stdout : stderr, /The sweep was stopped before it was over\./)
  })
}

t.test('errors give one line and an exit code', async (t) => {
  const { url } = await httpServer(t)
  const folder = t.testdir({
    'none.json': '{ "not": "a result" }',
    'broken.json': 'no JSON',
    'sweep.json': '{ "kind": "sweep", "rows": [], "targets": [], "knee": null, "warnings": [] }'
  })
  const [none, broken, sweepFile, mixed] = ['none.json', 'broken.json', 'sweep.json', 'mixed.ndjson'].map((name) => path.join(folder, name))
  // A result of a run, and then one of a study.
  fs.writeFileSync(mixed, [await run({ url, amount: 1 }), JSON.parse(fs.readFileSync(sweepFile, 'utf8'))].map((result) => `${JSON.stringify(result)}\n`).join(''))
  const wrong = [
    [['compare', url], 2, /needs two or more URLs, or files/], [['compare', url, url, '--rounds', 0], 2, /^--rounds must be/],
    [['compare', url, none], 2, /' contains no result: /], [['compare', broken, url], 2, /it is not JSON/],
    [['compare', sweepFile, url], 2, /it is not the result of a run/], [['compare', mixed, url], 2, /it is not the result of a run/], ...['missing.json', 'missing.ndjson', 'MISSING.JSONL'].map((name) => [['compare', url, name], 2, /it does not exist/]),
    [['compare', url, url, '--amount', 5], 2, /^--amount cannot be given here: all runs of a comparison last as long as --duration says$/],
    [['sweep', url], 2, /^cannonade sweep needs --from, --to and --step, or --rates, or a range of --connections$/], [['sweep', '--from', 5, '--to', 9, url], 2, /needs --from/],
    [['sweep', '--from', 5, '--rates', '5', url], 2, /^--rates and --from cannot be given together/], [['sweep', '--from', 10, '--to', 5, '--step', 1, url], 2, /^--to must be at least/],
    [['sweep', '--from', 10, '--to', 50, '--step', 0, url], 2, /^--step must be/], [['sweep', '--from', 1], 2, /needs the URL/],
    [['sweep', '--connections', '1,5', '--step', 2, url], 2, /^--connections and --step cannot be given together: the numbers are either named one by one, or counted from one to the other$/],
    [['sweep', '--rates', '10', '--columns', 'x', '-d', 0.05, url, '--csv', path.join(folder, 'a.csv')], 2, /^--columns must be 'own' or 'autobench'/],
    [['capacity', '--of', 'connections', '--from', 5, '--to', 2, url], 2, /^--to must be at least --from, which is 5; got 2$/], [['capacity', '--of', 'users', url], 2, /^--of must be 'rates' or 'connections'/],
    [['capacity', '--slo', 'foo < 5', url], 2, /foo is not a field/], [['capacity', '--precision', '0', url], 2, /precision/], [['capacity', url, url], 2, /the URL of one server/],
    [['sweep', '-j', '--html', '/dev/stdout', '--rates', '5', url], 2, /^-j and --html cannot both write to stdout, which has one line for the result and nothing else$/],
    [['--max-regression', '5%', url], 2, /needs a baseline/], [['--baseline', none, url], 2, / contains no result: /],
    [['--threshold', 'p99 < 5MB', url], 2, /is not a valid unit for latency\.p99/]
  ]
  for (const [args, expected, message] of wrong) {
    const { code, stderr } = await cannonade(t, ...args)
    t.match(stderr.trimEnd().split('\n').at(-1), message)
    t.equal(code, expected, args.join(' '))
    t.notMatch(stderr, /\n {4}at /)
  }
})

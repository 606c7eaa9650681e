'use strict'

const fs = require('node:fs')
const path = require('node:path')
const t = require('tap')
const run = require('../../lib/run')
const { machine, runOn } = require('../study/fixtures/simulated')
const slotsServer = require('../study/fixtures/slots-server')
const { delayServer, httpServer } = require('../support/servers')
const { attempts } = require('../support/attempts')
const { until } = require('../support/wait')
const { runCommand, startCommand } = require('./command')

const cannonade = (t, ...args) => runCommand(t, args.map(String))
const QUICK = ['--rounds', 5, '-d', 0.6, '-W', 0.1]

function savedIn (t, name, content) {
  const file = path.join(t.testdir({}), name)
  fs.writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content))
  return file
}

t.test('compare: runs URLs in turns, tells how far it is, and what it comes to', async (t) => {
  // So far apart that nothing a machine does to them brings them together.
  const [fast, slow] = await Promise.all([delayServer(t, 20), delayServer(t, 250)])
  const inText = () => cannonade(t, 'compare', ...QUICK, '-c', 5, fast.url, slow.url)
  const { code, stdout, stderr } = await attempts(3, inText, ({ stderr }) => /B is slower than A: p50 /.test(stderr))
  t.equal(code, 0)
  t.equal(stdout, '')
  t.match(stderr, /^Comparing 2 in turns \(6\.8 s\)\nround 1, 127\.0\.0\.1:\d+: [\d,.]+\/s, p50 /)
  t.equal(stderr.match(/^round \d/mg).length, 10)
  t.match(stderr, /^A: 127\.0\.0\.1:\d+ \(5 runs\): http:\/\/127\.0\.0\.1:\d+\/?\nB: 127/m)
  t.match(stderr, /│ Latency p50 +│ [^\n]+│ slower +│/)
  t.match(stderr, /\nB is slower than A: p50 \+/)
  for (const line of stderr.split('\n')) t.ok(line.length <= (/[─│]/.test(line) ? 100 : 80), line)

  const inJson = () => cannonade(t, 'compare', ...QUICK, '--json', '--max-regression', '5%', fast.url, slow.url)
  const json = await attempts(3, inJson, ({ code }) => code === 1)
  t.equal(json.code, 1, 'a regression is exit code 1')
  t.equal(json.stderr, '')
  t.match(JSON.parse(json.stdout), { kind: 'comparison', passed: false, verdict: String })
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
})

t.test('a benchmark with --baseline and --max-regression', async (t) => {
  const [fast, slow] = await Promise.all([delayServer(t, 2), delayServer(t, 150)])
  const baseline = savedIn(t, 'baseline.json', await run({ url: fast.url, connections: 4, duration: 2, sampleInt: 200 }))
  const flags = ['-d', 2, '-c', 4, '-L', 200, '-n', '--baseline', baseline, '--max-regression', '20%']
  const bad = await cannonade(t, ...flags, slow.url)
  t.equal(bad.code, 1)
  t.match(bad.stderr.replaceAll('\n ', ''), /Regression check FAILED: Throughput of B is [\d.]+ % worse than that of A, and 20 % is allowed\./)
  const json = await cannonade(t, ...flags, '-j', slow.url)
  t.equal(json.code, 1)
  t.ok(JSON.parse(json.stdout).latency, 'stdout has the result and nothing else')
  const good = await cannonade(t, ...flags.slice(0, -2), slow.url)
  t.equal(good.code, 0, 'without a limit it is only told')
  t.match(good.stderr, /B is slower than A: /)
})

t.test('a benchmark with thresholds', async (t) => {
  const { url } = await httpServer(t)
  const failed = await cannonade(t, '-a', 20, '--threshold', 'p99 < 1ns', '--threshold', 'errors == 0', url)
  t.equal(failed.code, 1)
  t.match(failed.stderr, /Threshold FAILED: p99 < 1ns: it was [\d.,]+ ms, [\d,]+ times the limit/)
  t.match(failed.stderr, /Threshold passed: errors == 0: it was 0/)
  t.equal((await cannonade(t, '-a', 20, '-n', '--threshold=errors == 0', url)).code, 0)
  const json = await cannonade(t, '-a', 20, '-j', '--threshold', 'p99 < 1ns', url)
  t.equal(json.code, 1)
  t.match(JSON.parse(json.stdout), { passed: false, thresholds: [{ threshold: 'p99 < 1ns', passed: false }] })
  const aborted = await cannonade(t, '-d', 60, '-L', 50, '-n', '--abort-on-fail', '--threshold', 'latency.max < 1ns', url)
  t.equal(aborted.code, 1)
  t.match(aborted.stderr.replaceAll('\n ', ''), /Warning: The run ended early, after/)
})

t.test('sweep: a line for each row, a table, the knee, and files', async (t) => {
  const { url } = await slotsServer(t, { slots: 4, ms: 20 })
  const folder = t.testdir({})
  const csv = path.join(folder, 'out.tsv')
  const html = path.join(folder, 'out.html')
  const flags = ['sweep', '--from', 50, '--to', 350, '--step', 150, '-d', 0.6, '--pause', 0, '-c', 60]
  const files = ['--csv', csv, '--columns', 'autobench', '--separator', 'tab', '--html', html]
  // Where even the lowest rate met a pause of the machine there is no knee.
  const { code, stdout, stderr } = await attempts(3, () => cannonade(t, ...flags, url, ...files), ({ stderr }) => /The knee/.test(stderr))
  t.equal(code, 0)
  t.equal(stdout, '')
  t.match(stderr, /^One rate after the other \(1\.8 s\)\n50\/s: achieved /)
  t.match(stderr, /│ Demanded │ Achieved │ p50 /)
  t.match(stderr.replaceAll('\n  ', ' '), /The knee of 127\.0\.0\.1:\d+ is at (50|200) requests per second/)
  const lines = fs.readFileSync(csv, 'utf8').split('\n')
  t.match(lines[0], /^dem_req_rate\treq_rate_127\.0\.0\.1:\d+\t/)
  t.equal(lines.length, 5)
  t.match(fs.readFileSync(html, 'utf8'), /^<!doctype html>/i)

  const own = await cannonade(t, 'sweep', '--rates', '20,40', '-d', 0.1, '--pause', 0, url, url, '--csv', csv, '--json')
  t.match(JSON.parse(own.stdout), { kind: 'sweep', rows: { length: 2 }, knee: { length: 2 } })
  t.match(fs.readFileSync(csv, 'utf8'), /^demanded,target,achieved/)
  const limited = await cannonade(t, ...flags, '--stop-p99', '1us', '--no-progress', url)
  t.match(limited.stderr.replaceAll('\n  ', ' '), /The sweep ended early, since this limit was passed: p99\./)
  t.notMatch(limited.stderr, /One rate after the other/)
})

t.test('capacity: the steps, the answer, and how long it may take', async (t) => {
  const { url } = await slotsServer(t, { slots: 4, ms: 20 })
  const { code, stdout, stderr } = await cannonade(t, 'capacity', '--slo', 'p99 < 2s', '--from', 100, '--to', 400, '-d', 0.4, url)
  t.equal(code, 0)
  t.equal(stdout, '')
  t.match(stderr, /^Searching for the capacity \(at most [\d minsh]+\)\nclimb 100\/s: achieved /)
  t.match(stderr, /│ Rate +│ Phase +│ Achieved │/)
  t.match(stderr.replaceAll('\n  ', ' '), /The capacity is [\d.]+ requests per second/)
  const json = await cannonade(t, 'capacity', '--slo', 'p99<2s', '--from', 10, '--to', 20, '-d', 0.2, '--json', url)
  t.match(JSON.parse(json.stdout), { kind: 'capacity', slo: ['p99<2s', '5xx < 1%'], connections: 100 })
})

for (const [signal, exitCode] of [['SIGINT', 0], ['SIGTERM', 143], ['SIGHUP', 129]]) {
  t.test(`${signal} ends a study with what it has, exit code ${exitCode}`, async (t) => {
    const { url } = await httpServer(t)
    const { child, output, ended } = startCommand(t, ['sweep', '--from', '10', '--to', '1000', '--step', '10', '-d', '0.1', '--pause', '0', url])
    await until(() => /^20\/s/m.test(output.stderr))
    child.kill(signal)
    const { code, stderr } = await ended
    t.equal(code, exitCode)
    t.match(stderr, /The sweep was stopped before it was over\./)
  })
}

t.test('what goes wrong is one line, and an exit code', async (t) => {
  const { url } = await httpServer(t)
  const folder = t.testdir({
    'none.json': '{ "not": "a result" }',
    'broken.json': 'no JSON',
    'sweep.json': '{ "kind": "sweep", "rows": [], "targets": [], "knee": null, "warnings": [] }'
  })
  const [none, broken, sweepFile] = ['none.json', 'broken.json', 'sweep.json'].map((name) => path.join(folder, name))
  const wrong = [
    [['compare', url], 2, /needs two or more URLs, or files/], [['compare', url, url, '--rounds', 0], 2, /^rounds must be/],
    [['compare', url, none], 2, /There is no result in '/], [['compare', broken, url], 2, /it is not JSON/],
    [['compare', sweepFile, url], 2, /it is not the result of a run/], [['compare', 'missing.json', url], 2, /it does not exist/],
    [['compare', url, url, '--amount', 5], 2, /--amount is unknown/],
    [['sweep', url], 2, /^cannonade sweep needs --from, --to and --step, or --rates$/], [['sweep', '--from', 5, '--to', 9, url], 2, /needs --from/],
    [['sweep', '--from', 5, '--rates', '5', url], 2, /^rates and from cannot be given together/], [['sweep', '--from', 10, '--to', 5, '--step', 1, url], 2, /rates\.to must be at least/],
    [['sweep', '--from', 10, '--to', 50, '--step', 0, url], 2, /rates\.step must be/], [['sweep', '--from', 1], 2, /needs the URL/],
    [['sweep', '--rates', '10', '--columns', 'x', '-d', 0.05, url, '--csv', path.join(folder, 'a.csv')], 2, /columns must be 'own' or 'autobench'/],
    [['capacity', '--slo', 'foo < 5', url], 2, /foo is not a field/], [['capacity', '--precision', '0', url], 2, /precision/], [['capacity', url, url], 2, /the URL of one server/],
    [['--max-regression', '5%', url], 2, /needs a baseline/], [['--baseline', none, url], 2, /There is no result/],
    [['--threshold', 'p99 < 5MB', url], 2, /is no unit for latency\.p99/]
  ]
  for (const [args, expected, message] of wrong) {
    const { code, stderr } = await cannonade(t, ...args)
    t.match(stderr.trimEnd().split('\n').at(-1), message)
    t.equal(code, expected, args.join(' '))
    t.notMatch(stderr, /\n {4}at /)
  }
})

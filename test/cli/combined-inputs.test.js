'use strict'

const fs = require('node:fs')
const path = require('node:path')
const t = require('tap')
const { parseArguments } = require('../..')
const { httpServer } = require('../support/servers')
const { simulate } = require('../simulation/world')
const { runCommand } = require('./command')

t.test('several files from one run; a curl command, and flags that override it', async (t) => {
  const seen = []
  const server = await httpServer(t, (request, response) => {
    seen.push({ method: request.method, path: request.url, kept: request.headers['x-kept'], over: request.headers['x-over'] })
    response.end('ok')
  })
  const folder = t.testdir({ summary: '' })
  const file = (name) => path.join(folder, name)
  const { code, stdout, stderr } = await runCommand(t, [
    '--curl', `curl -s '${server.url}/items' -X PUT -H 'x-kept: 1' -H 'x-over: line'`, '-H', 'X-Over=flag', '-a', '20', '-c', '2',
    '--junit', file('junit.xml'), '--markdown', file('result.md'), '--csv', file('timeline.csv'), '--hdr', file('latency.hgrm'), '--github',
    '--threshold', 'p99 < 1us', '--threshold', 'errors == 0'
  ], { env: { GITHUB_STEP_SUMMARY: file('summary') } })
  t.equal(code, 1, 'a threshold failed')
  t.equal(seen.length, 20)
  t.same(seen[0], { method: 'PUT', path: '/items', kept: '1', over: 'flag' })
  t.match(stderr, /^Ignored curl options: -s$/m)
  t.match(stdout, /^::error title=Threshold failed::p99 < 1us/m)
  const read = (name) => fs.readFileSync(file(name), 'utf8')
  t.match(read('junit.xml'), /failures="1"/)
  t.match(read('result.md'), /^### ❌/)
  t.equal(read('summary'), read('result.md') + '\n')
  t.match(read('timeline.csv'), /^time,/)
  t.match(read('latency.hgrm'), /1\/\(1-Percentile\)/)
})

t.test('a URL argument has priority over that of the curl command', async (t) => {
  t.equal(parseArguments(['--curl', 'curl http://a.test/x', 'http://b.test/']).url, 'http://b.test/')
  t.equal(parseArguments(['--curl', 'curl http://a.test/x']).url, 'http://a.test/x')
  t.throws(() => parseArguments(['--curl', 'curl --frobnicate http://a.test']), { code: 'CANNONADE_BAD_OPTION' })
})

t.test('--github: annotations are on stdout, where GitHub reads them, or on stderr beside a line of JSON or CSV', async (t) => {
  const annotated = async (...flags) => (await simulate({}, (world) => runCommand(t, ['-n', '--github', '-a', '4', '--threshold', 'p99 < 1us', ...flags, world.server({ serviceTime: 5 }).url]))).value
  const ANNOTATION = /^::error title=Threshold failed::p99 < 1us/m
  const tables = await annotated()
  t.match(tables, { code: 1, stdout: ANNOTATION })
  t.notMatch(tables.stderr, ANNOTATION)
  const json = await annotated('-j')
  t.match(json, { code: 1, stderr: ANNOTATION })
  t.match(JSON.parse(json.stdout), { passed: false })
  const line = await annotated('--csv-line')
  t.match(line, { code: 1, stderr: ANNOTATION, stdout: /^http:[^\n]*\n$/ })
})

t.test('--github: a summary that cannot be written fails the command, and not the run', async (t) => {
  const { value } = await simulate({}, (world) => runCommand(t, ['-j', '--github', '-a', '4', world.server().url], { env: { GITHUB_STEP_SUMMARY: path.join(t.testdir(), 'none', 'summary') } }))
  t.match(value, { code: 2, stderr: /^--github: the summary cannot be written: ENOENT.*\n$/ })
  t.match(JSON.parse(value.stdout), { requests: { total: 4 } })
})

t.test('before a run with a recording, one line tells of each other origin, whose requests are skipped; everything else is a warning of the result', async (t) => {
  const recorded = (...urls) => ({ log: { entries: urls.map((url) => ({ request: { method: 'GET', url, headers: [] } })) } })
  const before = async (har, ...urls) => {
    const folder = t.testdir({ 'a.har': JSON.stringify(har) })
    const { value } = await simulate({}, (world) => {
      for (const host of ['a', 'b']) world.server({ host })
      return runCommand(t, ['-a', '2', '-c', '1', '--har', path.join(folder, 'a.har'), ...urls])
    })
    t.equal(value.code, 0)
    return value.stderr.slice(0, value.stderr.indexOf('Running'))
  }
  const skipped = (origin, ...targets) => `Warning: skipping requests to '${origin}' as the target is ${targets.join(', ')}\n`
  t.equal(await before(recorded('http://a/1', 'http://a/2'), 'http://a'), '')
  t.equal(await before(recorded('http://a/1', 'http://c/\u001b[2J', 'http://d/', 'http://c/2'), 'http://a'), skipped('http://c', 'http://a') + skipped('http://d', 'http://a'))
  t.equal(await before(recorded('http://a/1', 'http://c/2'), 'http://a', 'http://b'), skipped('http://c', 'http://a', 'http://b'), 'b has no request, which the result says')
})

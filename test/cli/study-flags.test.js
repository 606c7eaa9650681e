'use strict'

// The words of studies, and the settings, options of runs and options of the command that they become.

const fs = require('node:fs')
const path = require('node:path')
const t = require('tap')
const { chooseCommand } = require('../../lib/cli/commands')
const { readCommand } = require('../../lib/cli/read-command')
const { tellMissingSamples } = require('../../lib/cli/sweep')
const { simulate } = require('../simulation/world')
const { runCommand } = require('./command')

function read (words) {
  const { command, words: rest } = chooseCommand(words)
  return readCommand(command, rest)
}

const STEPS = ['--from', '5', '--to', '10', '--step', '2']

/** By study: the words that it needs; other words, and the settings that it has then. */
const SETTINGS = {
  compare: [['a.test', 'b.test'], [
    [[], {}], [['--rounds', '7'], { rounds: 7 }], [['-d', '2'], { duration: 2 }], [['--duration', '500ms'], { duration: 0.5 }], [['-W', '3'], { warmup: 3 }], [['--warmup', '1m'], { warmup: 60 }],
    [['--pause', '0'], { pause: 0 }], [['--max-regression', '5%'], { maxRegression: '5%' }], [['--seed', '9'], { seed: 9 }], [['-d', '1', '-d', '2', '--pause', '1s'], { duration: 2, pause: 1 }]
  ]],
  sweep: [['a.test'], [
    [STEPS, { rates: { from: 5, to: 10, step: 2 } }], [['--step', '3', ...STEPS], { rates: { step: 2, from: 5, to: 10 } }], [['--rates', '5,7.5,10'], { list: [5, 7.5, 10] }],
    [['-c', '1..50'], { connections: { from: 1, to: 50 } }], [['--connections', '1,5,20'], { connections: [1, 5, 20] }], [['-c', '1..50', '--step', '7'], { connections: { from: 1, to: 50 }, rates: { step: 7 } }],
    [['--rates', '5', '-c', '30'], { list: [5] }], [['--rates', '5', '-c', '1..50', '-c', '30'], { list: [5] }], [['-c', '30', '-c', '1..50'], { connections: { from: 1, to: 50 } }],
    [['--rates', '5', '-d', '3', '--pause', '2'], { list: [5], duration: 3, pause: 2 }],
    [['--rates', '5', '--stop-error-rate', '5%'], { list: [5], stopWhen: { errorRate: '5%' } }], [['--rates', '5', '--stop-failure-rate', '5%'], { list: [5], stopWhen: { failureRate: '5%' } }],
    [['--rates', '5', '--stop-achieved-ratio', '90%', '--stop-p99', '200ms'], { list: [5], stopWhen: { achievedRatio: '90%', p99: '200ms' } }]
  ]],
  capacity: [['a.test'], [
    [[], {}], [['--slo', 'p99 < 1s'], { slo: ['p99 < 1s'] }], [['--slo', 'p99 < 1s', '--slo', 'errors == 0'], { slo: ['p99 < 1s', 'errors == 0'] }],
    [['--precision', '2%'], { precision: '2%' }], [['--max-duration', '2m'], { maxDuration: 120 }], [['-d', '3', '--pause', '1'], { duration: 3, pause: 1 }],
    [['--from', '5'], { rates: { from: 5 } }], [['--from', '5', '--to', '50'], { rates: { from: 5, to: 50 } }], [['--of', 'rates', '--to', '50'], { of: 'rates', rates: { to: 50 } }],
    [['--of', 'connections', '--from', '2', '--to', '9'], { of: 'connections', connections: { from: 2, to: 9 } }], [['--from', '2', '--of', 'connections'], { of: 'connections', connections: { from: 2 } }]
  ]],
  jamming: [['ws://a.test'], [
    [[], {}], [['-c', '25,100'], { connections: [25, 100] }], [['--connections', '7'], { connections: [7] }], [['--start', '50', '--step', '5', '--max-rate', '500'], { start: 50, step: 5, maxRate: 500 }],
    [['-d', '3', '--pause', '1', '--drain', '2s'], { duration: 3, pause: 1, drain: 2 }], [['--limit', '300ms'], { limit: '300ms' }], [['--payload', '20,1000'], { payload: [20, 1000] }]
  ]]
}

for (const [name, [needed, rows]] of Object.entries(SETTINGS)) {
  t.test(`the settings of ${name}`, async (t) => {
    const { command } = chooseCommand([name])
    const own = command.groups[0].flags.map(({ name }) => name)
    const given = new Set()
    for (const [words, expected] of rows) {
      t.same(read([name, ...words, ...needed]).study, expected, words.join(' '))
      for (const flag of command.groups[0].flags) if (words.some((word) => word === `-${flag.letter}` || word === `--${flag.name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`)) given.add(flag.name)
    }
    const others = ['strict', 'command', 'setup', 'diagnose']
    t.same(own.filter((flag) => !given.has(flag) && !others.includes(flag)), [], 'each has a row')
  })
}

t.test('a number of connections is that of each run of a sweep; the last flag counts', async (t) => {
  for (const [words, connections] of [
    [['-c', '30'], 30], [['-c', '1..5/2s'], { from: 1, to: 5, over: '2s' }], [['-c', '1..50', '-c', '30'], 30], [['-c', '30', '-c', '1..50', '-c', '20'], 20], [[], undefined]
  ]) t.same(read(['sweep', '--rates', '5', ...words, 'a.test']).targets[0].connections, connections, words.join(' '))
  t.equal(read(['sweep', '-c', '30', '-c', '1..50', 'a.test']).targets[0].connections, undefined)
})

t.test('servers that a comparison starts', async (t) => {
  const commands = ['--command', 'node a.js', '--command', 'cd b && node b.js']
  for (const [words, expected, urls] of [
    [[], { commands: ['node a.js', 'cd b && node b.js'], setups: [], isDiagnosed: false, path: undefined }, 'http://localhost:80/'],
    [['/items'], { path: '/items' }, 'http://localhost:80/items'],
    [['--setup', 'one', '--setup', 'two', '--diagnose', '--strict'], { setups: ['one', 'two'], isDiagnosed: true, strict: true }, 'http://localhost:80/'],
    [['http://localhost:8080/a?b'], { path: 'http://localhost:8080/a?b' }, 'http://localhost:8080/a?b']
  ]) {
    const options = read(['compare', ...commands, '-c', '3', ...words])
    t.match(options, expected, words.join(' '))
    t.same(options.items.map(({ title, connections }) => [title, connections]), [['node a.js', 3], ['cd b && node b.js', 3]])
    t.same(options.items.map(({ url }) => url), [urls, urls])
  }
  for (const [words, message] of [
    [['--command', 'a', 'b.test'], "--command must be given once for each server; got only 'a'"],
    [[...commands, '/a', '/b'], 'with --command, give one path or URL for all servers; got 2'],
    [['--diagnose', 'a.test', 'b.test'], '--diagnose needs a --command for each server, since only servers that Cannonade starts can be diagnosed'],
    [['--setup', 'x', 'a.test', 'b.test'], '--setup needs a --command for each server'],
    [['a.test'], 'cannonade compare needs two or more URLs, or files with results'],
    [['--curl', "curl 'http://a.test/items'"], 'cannonade compare needs two or more URLs, or files with results; the request of --curl is sent to each of the URLs'],
    [['--curl', "curl 'http://a.test/items'", 'b.test'], 'cannonade compare needs two or more URLs, or files with results; the request of --curl is sent to each of the URLs']
  ]) t.throws(() => read(['compare', ...words]), { code: 'CANNONADE_BAD_OPTION', message }, words.join(' '))
})

t.test('steps of a sweep that contradict each other, or are missing', async (t) => {
  for (const [words, message] of [
    [['-c', '1..5', '--rates', '5'], '-c and --rates cannot be given together: a sweep steps through one of them'],
    [['-c', '1..5', '--from', '5'], '-c and --from cannot be given together: a sweep steps through one of them'],
    [['-c', '1..5', '--step', '2', '--to', '5'], '-c and --to cannot be given together: a sweep steps through one of them'],
    [['-c', '1,5', '--step', '2'], '-c and --step cannot be given together: the numbers are either named one by one, or counted from one to the other'],
    [['--rates', '1,5', '--to', '2'], '--rates and --to cannot be given together: the rates are either named one by one, or counted from one to the other'],
    ...[['--from', '--to'], ['--from', '--step'], ['--to', '--step'], ['--step'], []].map((names) => [names.flatMap((name) => [name, '5']), 'cannonade sweep needs --from, --to and --step, or --rates, or a range of --connections'])
  ]) t.throws(() => read(['sweep', ...words, 'a.test']), { code: 'CANNONADE_BAD_OPTION', message }, words.join(' '))
})

t.test('files of studies: their separator, columns and scale', async (t) => {
  const sweep = (...words) => read(['sweep', '--rates', '5', ...words, 'a.test'])
  for (const [text, separator] of [['tab', '\t'], ['\\t', '\t'], ['\t', '\t'], [';', ';'], ['tabs', 'tabs'], ['a tab', 'a tab']]) {
    t.equal(sweep('--separator', text).separator, separator, text)
    t.equal(read(['jamming', '--separator', text, 'ws://a.test']).separator, separator, text)
  }
  for (const words of [['--separator', '"'], ['--separator='], ['--columns', 'all']]) t.throws(() => sweep(...words), { code: 'CANNONADE_BAD_OPTION' }, words.join(' '))
  for (const words of [['--separator', '"'], ['--separator='], ['--scale', 'all']]) t.throws(() => read(['jamming', ...words, 'ws://a.test']), { code: 'CANNONADE_BAD_OPTION' }, words.join(' '))
  t.throws(() => read(['jamming', '--scale', 'cubic', 'ws://a.test']), { code: 'CANNONADE_BAD_OPTION' })
  t.equal(read(['jamming', '--scale', 'log', 'ws://a.test']).scale, 'log')
})

t.test('with the columns of autobench, each arrival of a sweep is a session, unless connections are shared on purpose', async (t) => {
  const sessions = (...words) => read(['sweep', '--rates', '5', ...words, 'a.test']).targets[0].sessions
  t.equal(sessions('--columns', 'autobench'), true)
  t.equal(sessions('--columns', 'own'), undefined)
  t.equal(sessions(), undefined)
  for (const words of [['-c', '5'], ['-D', '3']]) t.equal(sessions('--columns', 'autobench', ...words), undefined, words.join(' '))
  t.same(sessions('--columns', 'autobench', '--session-calls', '3'), { calls: 3 })
  // The other options of the runs stay.
  const options = ['-H', 'a=b', '-t', '3', '-m', 'PUT', '-b', 'x']
  t.same(read(['sweep', '--rates', '5', '--columns', 'autobench', ...options, 'a.test', 'b.test']).targets, ['a.test', 'b.test'].map((url) => ({ url, headers: { a: 'b' }, timeout: 3, method: 'PUT', body: 'x', tlsOptions: {}, sessions: true })))
  t.equal(sessions('--columns', 'autobench', '--no-sessions'), false)
  t.equal(sessions('--columns', 'autobench', '-D', '0'), undefined)
})

t.test('one server per search', async (t) => {
  for (const name of ['capacity', 'jamming']) {
    for (const urls of [[], ['a.test', 'b.test'], ['a.test', 'b.test', 'c.test']]) t.throws(() => read([name, ...urls]), { message: `cannonade ${name} needs the URL of one server`, isUsageNeeded: urls.length === 0 }, `${name} ${urls}`)
    t.match(read([name, '-S', '/run/a.sock']).target, { socketPath: '/run/a.sock', url: undefined })
  }
  t.throws(() => read(['sweep', '--rates', '5']), { message: 'cannonade sweep needs the URL of a server', isUsageNeeded: true })
  t.match(read(['sweep', '--rates', '5', '-S', '/run/a.sock']).targets, [{ socketPath: '/run/a.sock' }])
})

t.test('a study takes its own options of the command, which no run gets', async (t) => {
  const words = ['-j', '-n', '--no-verbose', '--opentelemetry', '--csv', '/dev/null', '--separator', ';', '-H', 'a=b', '-t', '3']
  const { targets, ...options } = read(['sweep', '--rates', '5', ...words, 'a.test', 'b.test'])
  t.match(options, { json: true, renderProgressBar: false, verbose: false, opentelemetry: true, csv: '/dev/null', separator: ';' })
  t.same(targets, ['a.test', 'b.test'].map((url) => ({ url, headers: { a: 'b' }, timeout: 3, tlsOptions: {} })))
  const ofJamming = read(['jamming', '-j', '--html', '/dev/null', '--separator', ';', '--scale', 'log', '-H', 'a=b', 'ws://a.test'])
  t.match(ofJamming, { json: true, html: '/dev/null', separator: ';', scale: 'log' })
  t.same(ofJamming.target, { url: 'ws://a.test', headers: { a: 'b' }, tlsOptions: {} })
  t.same(read(['compare', '--strict', '-j', 'a.test', 'b.test']).items[0], { url: 'a.test', tlsOptions: {} })
  t.same(read(['sweep', '--rates', '5', '--columns', 'own', '-V', 'a.test']).targets, [{ url: 'a.test', tlsOptions: {} }])
})

t.test('the page of a study has the options of its runs, without those that it decides', async (t) => {
  const FIXED = ['-H', 'a=b', '-n']
  const QUICK = ['-d', '0.2', '--pause', '0']
  for (const [words, decided, kept, settings] of [
    [['sweep', '--rates', '10', '-c', '3', ...QUICK], 'overallRate', ['connections'], {}],
    [['sweep', '-c', '1..2', ...QUICK], 'connections', [], {}],
    [['capacity', '--from', '10', '--to', '10', '-d', '1', '--pause', '0'], 'overallRate drain abortOnFail', ['connections'], {}],
    [['capacity', '--of', 'connections', '--to', '1', '-d', '1', '--pause', '0'], 'connections drain abortOnFail', [], {}],
    [['jamming', '-c', '2', '--start', '10', '--max-rate', '10', ...QUICK, '--drain', '0.5'], 'overallRate connections drain pipelining timeout', [], { websocket: 'broadcast' }],
    [['jamming', '-c', '2', '--payload', '20', '--start', '10', '--max-rate', '10', ...QUICK, '--drain', '0.5'], 'overallRate connections drain pipelining timeout body', [], { websocket: 'broadcast' }]
  ]) {
    const file = path.join(t.testdir(), 'page.html')
    const { value } = await simulate({ seed: 1 }, (world) => runCommand(t, [...words, ...FIXED, '--html', file, world.server({ serviceTime: 2, ...settings }).url]))
    t.equal(value.code, 0, value.stderr)
    const page = fs.readFileSync(file, 'utf8')
    t.same(decided.split(' ').filter((name) => page.includes(`<code>${name}</code>`)), [], words.join(' '))
    for (const name of kept) t.match(page, `<code>${name}</code>`)
    t.match(page, '<code>headers</code>')
  }
})

t.test('columns without samples are told of once, at the first row in which any target has none', async (t) => {
  const rowOf = (...samples) => ({ targets: samples.map((each) => ({ httperf: { replyRate: { samples: each } } })) })
  for (const [rows, toldAt] of [
    [[rowOf(1), rowOf(2)], []], [[rowOf(0), rowOf(0)], [0]], [[rowOf(1, 1), rowOf(1, 0), rowOf(0, 0)], [1]], [[rowOf(0, 1)], [0]], [[rowOf(3, 3), rowOf(0, 0), rowOf(1, 1)], [1]]
  ]) {
    const tell = tellMissingSamples()
    const found = rows.flatMap((row, index) => {
      const { restore, args } = captured(t)
      tell(row)
      restore()
      return args().map((text) => [index, text])
    })
    t.same(found, toldAt.map((index) => [index, 'The reply rate has no samples, because a run took less than 5 seconds. Raise --duration.\n']))
  }
})

/** What is written to stderr meanwhile. */
function captured (t) {
  const capture = t.capture(process.stderr, 'write', () => true)
  return { restore: capture.restore, args: () => capture().map(({ args: [text] }) => text) }
}

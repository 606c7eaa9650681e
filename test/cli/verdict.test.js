'use strict'

// The exit codes of runs and comparisons, and the sentences about verdicts.

const { EventEmitter } = require('node:events')
const t = require('tap')
const { run } = require('../..')
const { CODES } = require('../../lib/base/errors')
const { benchmarkFlags } = require('../../lib/cli/benchmark-flags')
const { printFailure } = require('../../lib/cli/failure')
const { showStudy } = require('../../lib/cli/study-command')
const { printVerdict, regressionCode } = require('../../lib/cli/verdict')
const printResult = require('../../lib/report/print-result')
const { clean } = require('../../lib/report/text')
const { NOTHING_COMPARED } = require('../../lib/report/study/nothing-compared')
const { simulate } = require('../simulation/world')
const { runCommand } = require('./command')

t.test('a failed threshold fails a run that is no regression, and a regression one that passed', async (t) => {
  const { exitCode } = process
  t.teardown(() => { process.exitCode = exitCode })
  const resultOf = async (serviceTime) => (await simulate({ seed: 1 }, (world) => run({ url: world.server({ serviceTime }).url, duration: 5 }))).value
  const [result, slower] = [await resultOf(5), await resultOf(50)]
  for (const [passed, after, code] of [[true, result, 0], [false, result, 1], [true, slower, 1], [false, slower, 1]]) {
    process.exitCode = 0
    printVerdict({ ...after, passed }, { baseline: result, maxRegression: '50%', strict: false, outputStream: { write () {} } })
    t.equal(process.exitCode, code, `${passed} ${code}`)
  }
})

t.test('an inconclusive check fails in strict mode, which is the default in CI', async (t) => {
  const before = process.env.CI
  t.teardown(() => before === undefined ? delete process.env.CI : Object.assign(process.env, { CI: before }))
  const inconclusive = { passed: false, regressionVerdict: 'inconclusive' }
  for (const [CI, expected] of [['true', 1], ['1', 1], ['TRUE', 1], ['yes', 1], ['false', 0], ['FALSE', 0], ['False', 0], ['0', 0], ['', 0]]) {
    process.env.CI = CI
    t.equal(regressionCode(inconclusive), expected, `CI=${CI}`)
  }
  delete process.env.CI
  t.equal(regressionCode(inconclusive), 0)
  t.equal(regressionCode(inconclusive, true), 1)
  process.env.CI = 'true'
  t.equal(regressionCode(inconclusive, false), 0)
  t.equal(regressionCode({ passed: false, regressionVerdict: 'failed' }, false), 1)
  t.equal(regressionCode({ passed: true, regressionVerdict: 'passed' }, true), 0)
  t.equal(regressionCode({}, true), 0, 'without a limit there is nothing to fail')
  t.ok(benchmarkFlags.flatMap(({ flags }) => flags).some(({ name }) => name === 'strict'))
})

t.test('the exit code of each error: 2 for what the user can mend in the command line, its files or packages', async (t) => {
  const MISUSE = ['CANNONADE_BAD_OPTION', 'CANNONADE_BAD_THRESHOLD', 'CANNONADE_BAD_RESULT', 'CANNONADE_MISSING_PACKAGE']
  const told = (error) => {
    const written = []
    const { restore } = t.capture(process.stderr, 'write', (text) => written.push(text))
    const code = printFailure(error)
    restore()
    return [code, written.join('')]
  }
  for (const code of [...Object.values(CODES), 'EACCES', undefined]) {
    t.same(told(Object.assign(new Error('a\u001b[2J\nb'), { code })), [MISUSE.includes(code) ? 2 : 1, `${clean('a\u001b[2J\nb')}\n`], `${code}`)
    t.equal(told(Object.assign(new Error('x'), { code, option: 'dashboard' }))[0], MISUSE.includes(code) || code === CODES.SERVER_FAILED ? 2 : 1, `${code}, of the page`)
  }
  for (const [thrown, expected] of [
    ['thrown', [1, 'thrown\n']], [null, [1, 'null\n']], [{ a: 1 }, [1, '{ a: 1 }\n']],
    [new TypeError(''), [1, 'TypeError\n']], [Object.assign(new AggregateError([]), { code: 'ECONNREFUSED' }), [1, 'ECONNREFUSED\n']]
  ]) t.same(told(thrown), expected, 'anything may be thrown')
})

t.test('without any response the exit code is 1, and one sentence says why', async (t) => {
  const refused = async (...args) => (await simulate({}, (world) => runCommand(t, [...args, world.server({ attempt: () => 'refuse' }).url]))).value
  const json = await refused('-j', '-d', '0.2', '-c', '1')
  const quiet = await refused('--no-verbose', '-d', '0.2', '-c', '1', '--threshold', 'p99 < 1h')
  const sweep = await refused('sweep', '-j', '--rates', '10', '-d', '0.2')
  t.same([json.code, quiet.code, sweep.code], [1, 1, 1])
  for (const flags of [[], ['-n'], ['--no-progress'], ['--no-verbose'], ['-j'], ['--csv-line'], ['-l'], ['-j', '-n'], ['--github']]) {
    const { code, stderr } = await refused(...flags, '-d', '0.2', '-c', '1')
    t.same([code, stderr.replaceAll('\n ', '').split('No request was sent').length - 1], [1, 1], `told once with ${flags.join(' ')}`)
  }
  t.match(json.stderr, /^No request was sent: .*ECONNREFUSED.*\n$/)
  t.equal(JSON.parse(json.stdout).accounting.completed, 0)
  t.match(quiet.stderr.replaceAll('\n ', ''), /Warning: No request was sent: .*ECONNREFUSED/)
  t.match(quiet.stderr, /Threshold FAILED: p99 < 1h/)
  t.match(sweep.stderr, /^.* did not respond at all \(ECONNREFUSED: .*\)\.\n$/)
})

t.test('failed thresholds are printed even without tables', async (t) => {
  const result = {
    latency: { totalCount: 1, p50: 5, p99: 5 },
    requests: { total: 1, sent: 1 },
    duration: 1,
    thresholds: [
      { threshold: 'p99 < 1ms', metric: 'latency.p99', operator: '<', limit: 1, unit: 'ms', actual: 5, passed: false, certain: true },
      { threshold: 'errors == 0', metric: 'errors', operator: '==', limit: 0, unit: '', actual: 0, passed: true, certain: true }
    ],
    warnings: [{ code: 'STOPPED', message: 'The run was stopped after 1 of its 5 seconds, so the result covers only part of it.' }]
  }
  const lines = printResult(result, { verbose: false }).trimEnd().split('\n')
  t.match(lines.slice(1).join(' '), /^Warning: The run was stopped after 1 of its 5 seconds.* Threshold FAILED: p99 < 1ms: it was 5 ms, 5 times the limit|^Warning: The run was stopped/)
  t.match(lines.join('\n'), /Threshold FAILED: p99 < 1ms: it was 5 ms/)
  t.notMatch(lines.join('\n'), /passed/)
})

t.test('tables mark a number that is only a lower bound', async (t) => {
  const latency = { totalCount: 60, min: 1, mean: 2000, average: 2000, stddev: 800, max: 3506, p2_5: 2, p50: 2000, p90: 3000, p97_5: 3400, p99: 3506, p99_9: 3506 }
  const result = {
    latency,
    latencyBounds: { count: 6, share: 0.1, smallest: 2500 },
    rate: { offered: 20, achieved: 18 },
    requests: { total: 54, sent: 60 },
    duration: 3
  }
  const text = printResult(result, { outputStream: { isTTY: false }, renderLatencyTable: true })
  t.match(text, /Latency +│ 2 ms +│ 2000 ms +│ ≥ 3400 ms │ ≥ 3506 ms │ ≥ 2000 ms │ ≥ 800 ms │ ≥ 3506 ms/)
  t.match(text, /│ 99.9 +│ ≥ 3506/)
  const stdev = printResult({ ...result, latencyBounds: { count: 6, share: 0.1, smallest: 5 } }, { outputStream: { isTTY: false } })
  t.match(stdev, /│ ≥ 2000 ms │ – +│ ≥ 3506 ms/, 'not even that is known of a deviation')
  t.notMatch(printResult({ ...result, latencyBounds: { count: 0, share: 0, smallest: null } }, { outputStream: { isTTY: false } }), /≥/)
})

/** Shows an answer as the command of a study does. @returns {Promise<{ code: number, stderr: string }>} */
async function shownAs (t, answer, options, story = () => {}, about = {}) {
  const study = Object.assign(new EventEmitter(), {
    stop () {},
    then: (...args) => Promise.resolve().then(() => { story(study); return answer }).then(...args)
  })
  const written = { stdout: '', stderr: '' }
  const { exitCode } = process
  process.exitCode = undefined
  // The report of the tests goes to stdout as well, so nothing else may happen in the meantime.
  const writers = ['stdout', 'stderr'].map((name) => t.capture(process[name], 'write', (text) => { written[name] += text; return true }))
  await showStudy(study, { json: true, ...options }, { heading: '', lines: {}, ...about })
  for (const { restore } of writers) restore()
  const code = process.exitCode ?? 0
  process.exitCode = exitCode
  return { code, ...written }
}

t.test('a study without a complete answer exits with 1 and says why, also beside JSON', async (t) => {
  const warning = (code) => ({ code, message: `The reason is ${code}.` })
  const sweep = { kind: 'sweep', rows: [], warnings: [] }
  for (const [answer, options, code, reason] of [
    [sweep, {}, 0, ''],
    [{ ...sweep, warnings: [warning('STOPPED')] }, {}, 0, ''],
    ...['NO_ANSWER', 'SERVER_GONE', 'AGENT_LOST'].map((name) => [{ ...sweep, warnings: [warning('STOPPED'), warning(name)] }, {}, 1, `The reason is ${name}.\n`]),
    [{ kind: 'comparison', sides: [{ runs: 2 }, { runs: 0 }], warnings: [] }, {}, 1, `${NOTHING_COMPARED}\n`],
    ...[[true, 1], [false, 0]].map(([strict, code]) => [{ ...sweep, passed: false, regressionVerdict: 'inconclusive' }, { strict }, code, '']),
    [{ ...sweep, passed: false, regressionVerdict: 'failed' }, { strict: false }, 1, '']
  ]) {
    await t.test(JSON.stringify([answer, options]), async (t) => {
      const { code: found, stderr, stdout } = await shownAs(t, answer, options)
      t.same([found, stderr], [code, reason])
      t.same(JSON.parse(stdout), answer)
    })
  }
})

t.test('below the tables of a study it says whether certificates were verified, once, and nothing beside JSON', async (t) => {
  const note = 'Certificates were not verified.\n'
  const answer = { kind: 'sweep', rows: [], knee: null, targets: [], warnings: [] }
  for (const [opts, isTold] of [
    [{ url: 'https://a.test' }, true], [{ url: 'http://a.test' }, false], [{ url: ['http://a.test', 'https://b.test'] }, true], [{ url: 'https://a.test', tlsOptions: { rejectUnauthorized: true } }, false],
    [{ url: 'https://a.test', tlsOptions: {} }, true]
  ]) {
    const story = (study) => { for (const each of [opts, opts]) study.emit('begin', Object.assign(new EventEmitter(), { opts: each }), {}) }
    for (const options of [{ json: false }, { json: false, verbose: false }, { json: true }]) {
      const { stdout, stderr } = await shownAs(t, answer, options, story)
      t.equal((stdout + stderr).split(note).length - 1, isTold && !options.json ? 1 : 0, JSON.stringify([opts, options]))
    }
  }
})

t.test('the address of the metrics is told once for all runs, and again if another run has another', async (t) => {
  const story = (study) => {
    for (const url of ['http://a.test:1', 'http://a.test:1', 'http://a.test:2', 'http://a.test:2']) {
      const instance = Object.assign(new EventEmitter(), { opts: {} })
      study.emit('begin', instance, { opts: {} })
      instance.emit('prometheus', { url })
    }
  }
  const told = async (options) => (await shownAs(t, { kind: 'sweep', rows: [], warnings: [] }, options, story)).stderr
  t.equal(await told({}), 'Metrics at http://a.test:1\nMetrics at http://a.test:2\n')
  t.equal(await told({ renderProgressBar: false }), '')
})

t.test('a study announces its time, which is never too short, and each of its runs, unless only JSON or no progress is wanted', async (t) => {
  const answer = { kind: 'sweep', rows: [], knee: null, targets: [], warnings: [] }
  const about = { heading: 'Looking', lines: { row: (row, name) => `row ${row} of ${name}`, other: () => 'not told' } }
  const story = (seconds) => (study) => {
    for (const each of [seconds, 77]) study.emit('start', { seconds: each })
    for (const row of [1, 2]) study.emit('row', row, 'a')
  }
  for (const [seconds, words] of [[0, ''], [0.25, '250 ms'], [6.84, '6.8 s'], [9.9, '9.9 s'], [10, '10 s'], [10.2, '11 s'], [59.1, '1 min'], [60.5, '1 min 1 s'], [3600, '1 h']]) {
    for (const isMost of [false, true]) {
      const { stderr } = await shownAs(t, answer, { json: false }, story(seconds), { ...about, isMost })
      const announced = words === '' ? '' : ` (${isMost ? 'at most ' : ''}${words})`
      t.ok(stderr.startsWith(`Looking${announced}\nrow 1 of a\nrow 2 of a\n`), stderr.slice(0, 60))
      t.notMatch(stderr, 'not told')
    }
  }
  t.equal((await shownAs(t, answer, {}, story(5), about)).stderr, '')
  t.notMatch((await shownAs(t, answer, { json: false, renderProgressBar: false }, story(5), about)).stderr, /Looking|row 1/)
})

t.test('a study has tables, or only its conclusion with --no-verbose', async (t) => {
  const shown = async (...words) => (await simulate({ seed: 1 }, (world) => runCommand(t, ['sweep', '--rates', '10', '-d', '1', ...words, world.server({ serviceTime: 5 }).url]))).value.stderr
  t.match(await shown(), /^Stepping through the rates \(1 s\)\n[^│]*│/)
  t.match(await shown('--no-progress'), /^[^S][^]*│/)
  const short = await shown('--no-verbose')
  t.match(short, /^Stepping through the rates/)
  for (const text of [short, await shown('-n')]) t.notMatch(text, '│')
})

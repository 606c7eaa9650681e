'use strict'

const { AssertionError } = require('node:assert')
const { execFile } = require('node:child_process')
const path = require('node:path')
const t = require('tap')
const { CODES } = require('../../lib/base/errors')
const { assertResult } = require('../../lib/thresholds')

const result = { latency: { p99: 61.3, totalCount: 4 }, errors: 12, requests: { total: 5, average: 1204 } }

const MESSAGE = [
  '2 of 3 thresholds were not met:',
  '  ✗ p99 < 50ms: it was 61.3 ms, 22.6% over',
  '  ✗ errors == 0: it was 12, 12 over',
  '  ✓ requests.average > 1000: it was 1,204/s'
]

t.test('an unmet threshold throws an AssertionError with all details', async (t) => {
  const error = errorOf(() => assertResult(result, ['p99 < 50ms', 'errors == 0', 'requests.average > 1000']))
  t.equal(errorOf(() => assertResult(result, ['requests.average > 1000', 'p99 < 50ms', 'errors == 0'])).message, error.message, 'those that were not met come first')
  t.ok(error instanceof AssertionError)
  t.equal(error.code, 'ERR_ASSERTION')
  t.same(error.message.split('\n'), MESSAGE)
  t.same(error.actual, { 'latency.p99': '61.3 ms', errors: '12' })
  t.same(error.expected, { 'latency.p99': '< 50 ms', errors: '== 0' })
  t.same(error.thresholds.map(({ passed }) => passed), [false, false, true])
  t.match(error.stack.split('\n')[MESSAGE.length], /assert-result\.test\.js/, 'the stack begins at the caller')
})

t.test('the lines of single thresholds', async (t) => {
  const lines = {
    'p99 < 50ms': 'it was 61.3 ms, 22.6% over',
    'p99 < 61.3ms': 'it was 61.3 ms, just at the limit',
    'p99 < 61.299999': 'it was 61.3 ms, 0.00000163% over',
    'p99 < 1us': 'it was 61.3 ms, 61,300 times the limit',
    'p99 == 60': 'it was 61.3 ms, 2.17% over',
    'p99 != 61.3': 'it was 61.3 ms',
    'p99 < 61.29': 'it was 61.3 ms, 0.0163% over',
    'p99 < 61.2': 'it was 61.3 ms, 0.163% over',
    'requests.average > 2k': 'it was 1,204/s, 39.8% under',
    'errorRate < 1%': 'it was 70.6%, 70.6 times the limit',
    'serviceTime.p99 < 1': 'this result has no such value'
  }
  for (const [threshold, line] of Object.entries(lines)) {
    const { message } = errorOf(() => assertResult(result, threshold))
    t.equal(message, `the threshold was not met:\n  ✗ ${threshold}: ${line}`)
  }
})

t.test('warnings that bear on the verdict follow', async (t) => {
  const warnings = [{ code: 'GENERATOR_SATURATED', message: 'The generator was slow.' }, { code: 'MONITORED_PROCESS_ENDED', message: 'It ended.' }, { code: 'STOPPED', message: 'It was stopped.' }, null]
  const { message } = errorOf(() => assertResult({ ...result, warnings }, 'p99 < 50ms'))
  t.equal(message, 'the threshold was not met:\n  ✗ p99 < 50ms: it was 61.3 ms, 22.6% over\n  Warning: The generator was slow.\n  Warning: It was stopped.')
})

t.test('these warnings bear on the verdict, and others do not', async (t) => {
  const bearing = ['GENERATOR_SATURATED', 'RATE_NOT_ACHIEVED', 'STOPPED', 'NO_ANSWER', 'NO_CONNECTION', 'NO_USABLE_CONNECTION', 'URL_WITHOUT_CONNECTION', 'NON_2XX', 'LATENCY_BOUND', 'LATENCY_INCOMPLETE', 'NO_FILE_DESCRIPTORS', 'NO_LOCAL_PORTS', 'NO_LOCAL_ADDRESS', 'BODIES_NOT_VERIFIED']
  const others = ['OPTION_WITHOUT_EFFECT', 'UNKNOWN_OPTION', 'STREAM_LIMIT', 'DIAGNOSED', 'RECORD_INCOMPLETE', 'MANY_ENDPOINTS']
  const warnings = [...bearing, ...others].map((code) => ({ code, message: code }))
  const { message } = errorOf(() => assertResult({ ...result, warnings }, 'p99 < 50ms'))
  t.same(message.split('\n').slice(2), bearing.map((code) => `  Warning: ${code}`))
})

t.test('returns the verdicts if all thresholds are met', async (t) => {
  t.match(assertResult(result, { p99: '< 100ms' }), [{ threshold: 'p99 < 100ms', actual: 61.3, passed: true }])
})

t.test('without thresholds it uses those of the run', async (t) => {
  const own = [{ threshold: 'errors == 0', metric: 'errors', operator: '==', limit: 0, unit: '', actual: 12, passed: false }]
  t.throws(() => assertResult({ ...result, thresholds: own }), { message: 'the threshold was not met:\n  ✗ errors == 0: it was 12, 12 over' })
  t.same(assertResult({ ...result, thresholds: [] }), [])
  t.throws(() => assertResult(result), { code: CODES.BAD_ARGUMENT, message: /give them to it, or to the run/ })
  t.throws(() => assertResult(null), { code: CODES.BAD_ARGUMENT })
  t.throws(() => assertResult(null, 'p99 < 5'), { code: CODES.BAD_ARGUMENT })
  t.throws(() => assertResult(result, 'foo < 5'), { code: CODES.BAD_THRESHOLD })
})

for (const runner of ['node:test', 'tap']) {
  t.test(`the lines are visible in the output of ${runner}`, async (t) => {
    const output = await new Promise((resolve) => {
      const env = { ...process.env, NODE_TEST_CONTEXT: undefined }
      execFile(process.execPath, [path.join(__dirname, 'fixtures', 'failing.js'), runner], { env, timeout: 60_000, killSignal: 'SIGKILL' }, (error, stdout) => resolve(stdout + (error ? '' : 'it passed')))
    })
    for (const line of MESSAGE) t.ok(output.includes(line.trim()), line)
    t.notOk(output.includes('it passed'))
  })
}

function errorOf (call) {
  try {
    call()
  } catch (error) {
    return error
  }
}

'use strict'

// What is rejected as a result or as the result of a study; everything else can be shown.

const t = require('tap')
const { formatHttperf, printResult, toCSV, toHgrm, toJUnit, toMarkdown } = require('../..')
const toTimelineCSV = require('../../lib/report/csv')
const toHTML = require('../../lib/report/html')
const { checkWellFormed } = require('../../lib/report/well-formed')
const toSweepCSV = require('../../lib/study/sweep/csv')
const healthy = require('./fixtures/healthy')
const measured = require('./fixtures/measured')
const sparse = require('./fixtures/sparse')
const studies = require('./fixtures/studies')
const trouble = require('./fixtures/trouble')

const file = { outputStream: {} }
const asJSON = (value) => JSON.parse(JSON.stringify(value))
const OTHERS = [undefined, null, 5, -1, 'x', true, [], {}, [null], [5]]

/** Every position in a value, as a path of keys: of an array the first two entries. */
function * placesIn (value, path = []) {
  if (value === null || typeof value !== 'object' || path[0] === 'histograms') return
  for (const key of Array.isArray(value) ? [0, 1].filter((index) => index < value.length) : Object.keys(value)) {
    yield [...path, key]
    yield * placesIn(value[key], [...path, key])
  }
}

/** A copy of the value that records which positions are read: in `read`, as paths with dots. */
function watched (value, read, where = '') {
  if (value === null || typeof value !== 'object') return value
  const note = (key) => read.add(where === '' ? key : `${where}.${key}`)
  return new Proxy(value, {
    get (object, key) {
      const own = Reflect.get(object, key)
      if (!Object.hasOwn(object, key)) return own
      note(key)
      return watched(own, read, where === '' ? key : `${where}.${key}`)
    },
    has (object, key) {
      note(String(key))
      return Reflect.has(object, key)
    },
    ownKeys (object) {
      Object.keys(object).forEach(note)
      return Reflect.ownKeys(object)
    }
  })
}

/** A copy of the value with a change at one position. */
function changed (value, path, other) {
  const copy = structuredClone(value)
  const parent = path.slice(0, -1).reduce((object, key) => object[key], copy)
  parent[path.at(-1)] = structuredClone(other)
  return asJSON(copy)
}

/** Sets a value as parsed JSON would have it: undefined becomes null in an array, and is absent elsewhere. */
function put (parent, key, other) {
  if (other === undefined && !Array.isArray(parent)) delete parent[key]
  else parent[key] = other === undefined ? null : structuredClone(other)
}

function isRefused (value) {
  try {
    checkWellFormed(value)
    return false
  } catch (error) {
    if (error.code !== 'CANNONADE_BAD_RESULT' || error.message.includes('\n')) throw error
    return true
  }
}

t.test('results and the results of studies are well-formed', async (t) => {
  for (const value of [healthy(), measured(), sparse(), trouble(), ...Object.values(studies).map((study) => study())]) {
    t.doesNotThrow(() => checkWellFormed(asJSON(value)))
  }
  t.doesNotThrow(() => checkWellFormed({ latency: { p50: 5 }, requests: {} }), 'other programs have fewer fields')
})

const readers = (value) => [
  () => printResult(value, { ...file, renderStatusCodes: true, renderLatencyTable: true }),
  () => printResult(value, { ...file, verbose: false }),
  () => toHTML(value),
  ...(value.kind === 'sweep' ? [() => toSweepCSV(value), () => toSweepCSV(value, { columns: 'autobench' })] : []),
  ...(value.kind === 'jamming' ? [() => toSweepCSV(value)] : []),
  ...(value.timeline ? [() => toTimelineCSV(value)] : [])
]

// All distributions of times are read by the same code, so the latency is tested with all values, and the others with a few each.
const OTHER_TIMES = ['latencyWithUnfinished', 'serviceTime', 'sendDelay', 'timeToFirstByte', 'connectTime']
const isOfOtherTimes = ([of, name]) => OTHER_TIMES.includes(of) && /^(p\d|min|max|mean|average|stddev)/.test(name)
const SOME = 3
const othersFor = (path, index) => isOfOtherTimes(path) ? OTHERS.filter((_, number) => (number + index) % SOME === 0) : OTHERS

for (const [name, make] of Object.entries({ result: trouble, ...studies })) {
  t.test(`${name}: any value at any position is rejected in one line, or shown`, async (t) => {
    const value = asJSON(make())
    const before = JSON.stringify(value)
    let refused = 0
    // A position that a report doesn't read makes no difference to it.
    const readBy = readers(value).map((_, index) => {
      const read = new Set()
      readers(watched(value, read))[index]()
      return read
    })
    for (const [index, path] of [...placesIn(value)].entries()) {
      // The value is changed and restored, because thousands of copies would take longer than the test itself.
      const parent = path.slice(0, -1).reduce((object, key) => object[key], value)
      const own = parent[path.at(-1)]
      for (const other of othersFor(path, index)) {
        put(parent, path.at(-1), other)
        if (isRefused(value)) {
          refused++
          continue
        }
        // A position is tested with a quarter of the values, and the next ones, which are read by much the same code, with the others.
        if ((OTHERS.indexOf(other) + index) % 4 !== 0) continue
        for (const [reader, read] of readers(value).entries()) {
          if (!readBy[reader].has(path.join('.'))) continue
          try {
            read()
          } catch (error) {
            // An error with a cause is an unexpected one.
            if (error.code !== 'CANNONADE_BAD_RESULT' || error.cause !== undefined) t.fail(`${path.join('.')} = ${JSON.stringify(other)}: ${error.stack}`)
          }
        }
      }
      parent[path.at(-1)] = own
    }
    t.same(JSON.parse(before), value, 'code that reads a result does not modify it')
    t.ok(refused > 20, `${refused} refused`)
  })
}

t.test('no report of a tampered result ends in a TypeError', async (t) => {
  const reports = [toJUnit, toMarkdown, toHgrm, formatHttperf, toCSV, toTimelineCSV, (value) => printResult(value, file)]
  for (const [name, make] of Object.entries({ result: trouble, ...studies })) {
    const value = asJSON(make())
    let refused = 0
    for (const [index, path] of [...placesIn(value)].entries()) {
      const tampered = changed(value, path, OTHERS[index % OTHERS.length])
      for (const report of reports) {
        try {
          report(tampered)
        } catch (error) {
          refused++
          if (error.code !== 'CANNONADE_BAD_RESULT') t.fail(`${report.name}: ${path.join('.')} = ${JSON.stringify(OTHERS[index % OTHERS.length])}: ${error.stack}`)
        }
      }
    }
    t.ok(refused > 10, `${name}: ${refused} refused`)
  }
  t.throws(() => toMarkdown({ ...measured(), errorCodes: { ECONNRESET: { count: null } } }), { code: 'CANNONADE_BAD_RESULT', message: /errorCodes\.ECONNRESET\.count must be a number; got null$/ })
  t.equal(toHTML.name, 'toHTML')
})

t.test('the error says where, what is expected and what is there', async (t) => {
  const sentence = (value, name) => {
    try {
      checkWellFormed(value, name)
    } catch ({ code, message }) {
      return `${code}: ${message}`
    }
  }
  const [sweep, capacity, comparison] = [studies.sweep(), studies.capacity(), studies.comparison()]
  const code = 'CANNONADE_BAD_RESULT'
  t.equal(sentence({ kind: 'sweep' }), `${code}: This cannot be read as the result of a sweep: rows must be an array; it is missing`)
  t.equal(sentence(changed(sweep, ['rows', 1, 'targets', 0, 'name'], 5), 'That'),
    `${code}: That cannot be read as the result of a sweep: rows[1].targets[0].name must be a string; got 5`)
  t.match(sentence(changed(sweep, ['knee'], [null, {}])), /knee\[1\]\.name must be a string; it is missing$/)
  t.match(sentence(changed(capacity, ['interval'], [1])), /interval must be an array of two items; got \[ 1 \]$/)
  t.match(sentence(changed(capacity, ['steps', 0, 'passed'], 'yes')), /steps\[0\]\.passed must be true or false; got 'yes'$/)
  t.match(sentence(changed(comparison, ['comparisons', 0, 'metrics', 'p50'], null)), /a comparison: comparisons\[0\]\.metrics\.p50 must be an object; got null$/)
  t.match(sentence({ ...measured(), timeline: {} }), /the result of a run: timeline must be an array; got \{\}$/)
})

t.test('printResult rejects input that is not the result of a study, and shows incomplete ones as far as possible', async (t) => {
  for (const kind of ['sweep', 'capacity', 'jamming', 'comparison']) {
    t.throws(() => printResult({ kind }, file), { code: 'CANNONADE_BAD_RESULT', message: /must be an? (array|object); it is missing$/ })
  }
  t.type(printResult({ requests: null, throughput: null, bytes: null, thresholds: [null] }, file), 'string')
})

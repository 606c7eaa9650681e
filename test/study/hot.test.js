'use strict'

// Which functions of two servers differ most, per request, by arithmetic.

const t = require('tap')
const { hotOf } = require('../../lib/study/compare/hot')

const USUAL = { completed: 100, script: '/app/main.js' }

/** A run with functions that took this much time themselves, in all. @param {Record<string, number>} times ms */
function resultOf (times, { completed, script } = USUAL) {
  const names = Object.keys(times)
  const all = Object.values(times).reduce((sum, time) => sum + time, 0)
  return {
    accounting: { completed },
    diagnosis: {
      processes: [{ script }],
      flame: {
        frames: ['thread', ...names].map((name, line) => ({ function: name, file: script, line, package: null })),
        nodes: [[-1, 0, all], ...names.map((name, index) => [0, index + 1, times[name]])]
      }
    }
  }
}

const rowsOf = (first, second) => hotOf(first, second).map(({ function: name, a, b }) => [name, a, b])

t.test('the functions whose time differs most come first, whichever side they are slower on', async (t) => {
  const [first, second] = [{ same: 5000, slower: 1000, faster: 900, much: 4000, little: 300 }, { same: 5000, slower: 1600, faster: 400, much: 3000, little: 500 }]
  const expected = [['much', 40, 30], ['slower', 10, 16], ['faster', 9, 4], ['little', 3, 5]]
  t.same(rowsOf([resultOf(first)], [resultOf(second)]), expected)
  t.same(rowsOf([resultOf(second)], [resultOf(first)]), expected.map(([name, a, b]) => [name, b, a]))
})

/** A run from frames `[function, file, line, package]` and nodes `[parent, frame, total ms]`. */
const flameOf = (frames, nodes, { completed = 10, script = '/v1/main.js' } = {}) => ({
  accounting: { completed },
  diagnosis: { processes: [{ script }], flame: { frames: frames.map(([name, file, line, of = null]) => ({ function: name, file, line, package: of })), nodes } }
})

t.test('a function is the same one in another folder and on another line, and in the main file of whatever name', async (t) => {
  const first = flameOf([['thread', null, null], ['serve', '/v1/main.js', 3], ['parse', '/v1/lib/parse.js', 10], ['parse', 'C:\\v1\\lib\\other.js', 4], ['gc', null, null], ['send', '/v1/node_modules/send/index.js', 1, 'send']],
    // The time of a node includes that of the nodes below it; a function may be in several places.
    [[-1, 0, 400], [0, 1, 200], [1, 2, 50], [2, 3, 20], [1, 5, 30], [0, 2, 40], [0, 4, 60]])
  const second = flameOf([['thread', null, null], ['serve', '/v2/app.js', 30], ['parse', '/v2/src/parse.js', 99], ['parse', '/v2/other.js', 5], ['gc', null, null], ['send', '/v2/send.js', 1, null]],
    [[-1, 0, 500], [0, 1, 300], [1, 2, 100], [2, 3, 50], [0, 4, 70], [0, 5, 100]], { completed: 20, script: '/v2/app.js' })
  const rows = hotOf([first], [second])
  // Each function with what it took itself, per request: of 10 and of 20. Places are those of the first side, if it has the function.
  const expected = [
    { function: 'send', file: '/v2/send.js', line: 1, package: null, a: 0, b: 100 / 20 },
    { function: 'parse', file: '/v1/lib/parse.js', line: 10, package: null, a: (30 + 40) / 10, b: 50 / 20 },
    { function: 'send', file: '/v1/node_modules/send/index.js', line: 1, package: 'send', a: 30 / 10, b: 0 },
    { function: 'gc', file: null, line: null, package: null, a: 60 / 10, b: 70 / 20 },
    { function: 'serve', file: '/v1/main.js', line: 3, package: null, a: (200 - 50 - 30) / 10, b: (300 - 100) / 20 },
    { function: 'parse', file: 'C:\\v1\\lib\\other.js', line: 4, package: null, a: 20 / 10, b: 50 / 20 }
  ]
  t.strictSame(rows, expected)
})

t.test('times are averages over the diagnosed runs, and a side without one cannot be compared', async (t) => {
  const run = (ms, more) => flameOf([['thread'], ['work', '/m.js', 1]], [[-1, 0, ms], [0, 1, ms]], { script: '/m.js', ...more })
  const others = [{ accounting: { completed: 5 } }, run(50, { completed: 0 }), { ...run(50), accounting: undefined }, { ...run(50), diagnosis: { flame: { nodes: [] } } }, { ...run(50), diagnosis: { flame: { frames: [] } } }, { ...run(50), diagnosis: null }]
  t.match(hotOf([run(10), run(30), ...others], [run(50)]), [{ function: 'work', a: 2, b: 5 }])
  for (const other of others) t.same([hotOf([run(10)], [other]), hotOf([other], [run(10)])], [null, null])
  t.same(hotOf([run(10, { script: null })], [run(10, { script: null })]), [], 'equal')
  t.match(hotOf([run(1 / 3)], [run(2)]), [{ a: 0.033333, b: 0.2 }])
})

t.test('the twenty largest differences, from a hundredth of the busy time on', async (t) => {
  const times = (count, more) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`f${index}`, 1000 + index * (more ? 10 : 0)]))
  const rows = hotOf([resultOf(times(30))], [resultOf(times(30, true))])
  // The second side was busy for 30,000 + 10 × (0 + … + 29) = 34,350 ms; a hundredth of that is 343.5 ms, more than any difference.
  t.same(rows, [])
  const few = { ...times(24), rest: 0 }
  const second = Object.fromEntries(Object.keys(few).map((name, index) => [name, few[name] + 1000 + index]))
  const found = rowsOf([resultOf(few)], [resultOf(second)])
  t.equal(found.length, 20)
  t.same(found.map(([name]) => name).slice(0, 3), ['rest', 'f23', 'f22'])
  t.same(rowsOf([resultOf({ a: 100, b: 9900 })], [resultOf({ a: 200, b: 9800 })]), [['a', 1, 2], ['b', 99, 98]], 'exactly a hundredth')
  t.same(rowsOf([resultOf({ a: 101, b: 9899 })], [resultOf({ a: 200, b: 9800 })]), [])
})

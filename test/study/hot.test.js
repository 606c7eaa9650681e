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

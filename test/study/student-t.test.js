'use strict'

const t = require('tap')
const { probabilityWithin, studentQuantile } = require('../../lib/study/statistics/intervals')

// From textbook tables, two-sided.
const TABLE = [
  [0.05, 1, 12.7062], [0.05, 2, 4.3027], [0.05, 3, 3.1824], [0.05, 4, 2.7764], [0.05, 5, 2.5706], [0.05, 10, 2.2281],
  [0.05, 30, 2.0423], [0.05, 120, 1.9799], [0.01, 1, 63.6567], [0.01, 2, 9.9248], [0.01, 9, 3.2498], [0.1, 7, 1.8946],
  [0.001, 20, 3.8495], [0.5, 1, 1], [0.05, 5000, 1.9604]
]

t.test("quantiles of Student's t agree with the tables", async (t) => {
  for (const [tail, degrees, quantile] of TABLE) {
    const found = studentQuantile(tail, degrees)
    t.ok(Math.abs(found - quantile) < 1e-4 * quantile, `${tail}, ${degrees}: ${found}`)
    t.ok(Math.abs(probabilityWithin(found, degrees) - (1 - tail)) < 1e-9)
  }
})

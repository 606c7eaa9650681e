'use strict'

const t = require('tap')
const { settle } = require('../../lib/load/loads')

t.test('a count slightly off due to rounding becomes an integer again, from both sides; other numbers stay', async (t) => {
  for (const whole of [0, 1, 4, 1024, 2 ** 40]) {
    const scale = Math.max(1, whole)
    const nearest = scale * 2 ** -50
    t.equal(settle(whole, scale), whole)
    for (const side of [1, -1]) {
      t.equal(settle(whole + side * nearest, scale), whole)
      const beyond = whole + side * 2.5 * nearest
      t.equal(settle(beyond, scale), beyond)
    }
  }
  t.equal(settle(2.5, 3), 2.5)
  t.equal(settle(3 - 2 ** -45, 2 ** 5), 3, 'large terms have larger errors')
  t.equal(settle(3 - 2 ** -44, 2 ** 5), 3 - 2 ** -44)
})

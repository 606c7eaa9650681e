'use strict'

const PLAYS = 3

/** Checks that are told to a test only later, if at all. They are made as those of a test, each with its message. */
class Timely {
  constructor () {
    this.checks = []
    this.isGood = true
  }

  ok (value, message) {
    this.checks.push([Boolean(value), message])
    this.isGood &&= Boolean(value)
  }

  notOk (value, message) {
    this.ok(!value, message)
  }

  equal (value, expected, message) {
    this.ok(Object.is(value, expected), `${message}: ${value}, expected ${expected}`)
  }
}

/**
 * A machine that others use as well stands still now and then, and what is measured meanwhile is their doing. So what a
 * scene says of times has to hold in one of three plays of it: a defect spoils all three, a busy machine hardly ever.
 * What must hold each time, such as the accounts, the scene says to its test as ever. No more plays are made than needed.
 *
 * @param {{ ok: function }} t
 * @param {function(Timely): Promise} scene says to `timely` what a pause of the machine would spoil
 */
async function inOneOfThree (t, scene) {
  for (let left = PLAYS - 1; ; left--) {
    const timely = new Timely()
    await scene(timely)
    if (left > 0 && !timely.isGood) continue
    for (const [value, message] of timely.checks) t.ok(value, message)
    return
  }
}

module.exports = { inOneOfThree }

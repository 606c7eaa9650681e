'use strict'

const LENGTH = 40_000
// Text of this length takes some milliseconds; where each character looks at all others it takes seconds.
const MOST_CPU_MS = 250

/**
 * Checks that what reads a text takes time in proportion to its length, whatever stands in it: each of the tokens again and again, and
 * with `pairs` each two of them. Processor time is measured, of which a machine that stands still takes none.
 *
 * @param {object} t
 * @param {string} name
 * @param {function(string)} read may throw
 * @param {string[]} tokens what means something to it
 * @param {{ pairs?: boolean }} [options]
 */
function isLinear (t, name, read, tokens, { pairs = false } = {}) {
  const others = pairs ? tokens : []
  const pumps = [...tokens, ...tokens.flatMap((one) => others.filter((other) => other !== one).map((other) => one + other))]
  const slow = pumps.find((pump) => cpuTime(read, pump.repeat(LENGTH / pump.length) + '~') > MOST_CPU_MS)
  t.equal(slow, undefined, `${name}: ${pumps.length} texts`)
}

function cpuTime (read, text) {
  const before = process.cpuUsage()
  try {
    read(text)
  } catch (error) {
    if (error instanceof RangeError || error instanceof TypeError) throw error
  }
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}

module.exports = { isLinear }

'use strict'

const LENGTH = 40_000
// A text of this length takes some milliseconds in linear time, and seconds in quadratic time.
const MOST_CPU_MS = 250

/**
 * Checks that a function processes text in time proportional to its length, whatever the text contains: each of the tokens repeatedly,
 * and with `pairs` every two of them. It measures CPU time, which doesn't increase while a machine is stalled.
 *
 * @param {object} t
 * @param {string} name
 * @param {function(string)} read may throw
 * @param {string[]} tokens strings with a special meaning to the function
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

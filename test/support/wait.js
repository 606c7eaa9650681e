'use strict'

/** @param {number} milliseconds */
function sleep (milliseconds) {
  return new Promise((resolve) => setTimeout(resolve, milliseconds))
}

/**
 * Waits until something is true.
 *
 * @template T
 * @param {function(): T|Promise<T>} predicate called every few milliseconds
 * @param {number} [timeoutMs] default 30000, because machines occasionally freeze; after that, it rejects with the source of the
 *   predicate
 * @returns {Promise<T>} the first truthy value
 */
async function until (predicate, timeoutMs = 30_000) {
  const deadline = performance.now() + timeoutMs
  for (;;) {
    const value = await predicate()
    if (value) return value
    if (performance.now() > deadline) throw new Error(`not within ${timeoutMs} ms: ${predicate}`)
    await sleep(5)
  }
}

module.exports = { sleep, until }

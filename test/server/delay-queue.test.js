'use strict'

const t = require('tap')
const { DelayQueue } = require('../../lib/server/delay-queue')

t.test('only short delays with a fraction are polled for', async (t) => {
  for (const [delay, polls] of [[3, false], [9.5, true], [10.5, false], [20.25, false], [0.5, true]]) {
    const queue = new DelayQueue()
    let polled = 0
    const { keepPolling } = queue
    queue.keepPolling = function () {
      polled++
      return keepPolling.call(this)
    }
    const start = performance.now()
    await new Promise((resolve) => queue.after(delay, resolve))
    t.ok(performance.now() - start >= delay, `${delay} ms`)
    t.ok(polled > 0 ? polls : !polls || performance.now() - start > delay + 1, `${delay} ms: ${polled}`)
  }
})

t.test('nothing is called back once the queue was cleared, by whichever callback', async (t) => {
  for (const delays of [[0.5, 0.5, 0.5], [1, 1, 1], [2.5, 2.5, 20]]) {
    const queue = new DelayQueue()
    let called = 0
    await new Promise((resolve) => {
      const callback = () => {
        called++
        queue.clear()
        resolve()
      }
      for (const delay of delays) queue.after(delay, callback)
    })
    // Whatever was not cleared would be called by now.
    await new Promise((resolve) => setTimeout(resolve, 40))
    t.equal(called, 1, delays.join(' '))
    t.equal(queue.waiting.size, 0)
  }
})

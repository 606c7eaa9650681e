'use strict'

const t = require('tap')
const { DelayQueue } = require('../../lib/server/delay-queue')

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

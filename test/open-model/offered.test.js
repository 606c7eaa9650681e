'use strict'

// What the schedule asked for, where it is over before the run is, or cut off.

const t = require('tap')
const { run, printResult } = require('../..')
const { httpServer } = require('../support/servers')
const { inOneOfThree } = require('../support/timely')
const { balances, near, warning } = require('./helpers')

t.test('stages that end before the duration: both rates are those of the whole window', (t) => inOneOfThree(t, async (timely) => {
  const server = await httpServer(t)
  const result = await run({ url: server.url, connections: 50, stages: [{ duration: 0.5, rate: 100 }], duration: 2 })
  balances(t, result)
  t.equal(result.accounting.completed, 50)
  t.equal(result.rate.offered, 25)
  near(timely, result.duration, 2, 0.05, 'duration')
  near(timely, result.rate.achieved, 25, 0.7, 'rate.achieved')
  timely.notOk(warning(result, 'RATE_NOT_ACHIEVED'), 'the rate was achieved')
}))

t.test('as many requests as a part of a burst', async (t) => {
  const server = await httpServer(t, (request, response) => setTimeout(() => response.end('ok'), 20))
  for (const workers of [undefined, 2]) {
    // Side by side: they wait for most of the time.
    await Promise.all([[9, 18], [10, 20], [11, 11], [15, 15]].flatMap(([amount, offered]) => ['amount', 'maxOverallRequests'].map(async (limit) => {
      const result = await run({ url: server.url, connections: 10, [limit]: amount, bursts: { size: 10, interval: 0.5 }, workers })
      const how = `${limit} ${amount}, ${workers ?? 'no'} workers`
      balances(t, result)
      t.equal(result.accounting.completed, amount, how)
      t.equal(result.rate.offered, offered, how)
      t.ok(result.requests.average > 0, `requests.average: ${result.requests.average}`)
      t.equal(result.timeline.reduce((sum, { requests }) => sum + requests, 0) + result.drain.completed, amount, how)
      t.match(printResult(result), 'Service time', 'printed as what it is')
    })))
  }
})

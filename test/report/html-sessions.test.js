'use strict'

const t = require('tap')
const { run, toHTML } = require('../..')
const { simulate } = require('../simulation/world')

t.test('the report shows the arrivals and ends of users', async (t) => {
  const simulated = async (opts) => {
    const { value } = await simulate({}, (world) => run({ url: world.server({ serviceTime: 5, answer: ({ number }) => number === 5 ? 503 : 200 }).url, ...opts }))
    return value
  }
  const result = await simulated({ overallRate: 100, duration: 0.2, sampleInt: 100, sessions: { calls: 2, failOn: 503 } })
  const page = toHTML(JSON.parse(JSON.stringify(result)))
  t.match(page, /<h2>Sessions<\/h2>/)
  t.match(page, /Came due = never started \+ started/)
  t.match(page, /Lifetime \(completed\)/)
  t.match(page, /Time to failure/)
  t.match(page, /id="sessions-over-time"/)
  t.match(toHTML([result, result]), /Outcome of every session/)
  const without = await simulated({ amount: 5 })
  t.notMatch(toHTML(without), /<h2>Sessions<\/h2>/)
})

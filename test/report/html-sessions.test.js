'use strict'

const t = require('tap')
const { run, toHTML } = require('../..')
const { httpServer } = require('../support/servers')

t.test('the report shows the arrivals and ends of users', async (t) => {
  const server = await httpServer(t, (request, response, index) => {
    if (index === 5) response.statusCode = 503
    response.end()
  })
  const result = await run({ url: server.url, overallRate: 100, duration: 0.2, sampleInt: 100, sessions: { calls: 2, failOn: 503 } })
  const page = toHTML(JSON.parse(JSON.stringify(result)))
  t.match(page, /<h2>Sessions<\/h2>/)
  t.match(page, /Came due = never started \+ started/)
  t.match(page, /Lifetime \(completed\)/)
  t.match(page, /Time to failure/)
  t.match(page, /id="sessions-over-time"/)
  t.match(toHTML([result, result]), /Outcome of every session/)
  const without = await run({ url: server.url, amount: 5 })
  t.notMatch(toHTML(without), /<h2>Sessions<\/h2>/)
})

'use strict'

const t = require('tap')
const { run } = require('../..')
const { until } = require('../support/wait')
const h2specd = require('./h2specd')

t.test('h2specd finds no fault with the client', { skip: h2specd.isBuilt() ? false : h2specd.HINT }, async (t) => {
  const tester = await h2specd.start()
  t.teardown(() => tester.stop())
  // One connection for each case; most are over with their first error, the others when the request has ended.
  await Promise.all(tester.ports.map((port) => {
    const instance = run({ url: `http://127.0.0.1:${port}`, http2: true, connections: 1, amount: 1, timeout: 3 })
    return instance.on('reqError', () => instance.stop())
  }))
  await until(() => tester.verdicts().length >= tester.ports.length)
  const verdicts = tester.verdicts()
  t.ok(verdicts.length >= tester.ports.length, `${verdicts.length} verdicts of ${tester.ports.length} cases`)
  t.strictSame(verdicts.filter((verdict) => !verdict.trim().startsWith('✔')), [])
})

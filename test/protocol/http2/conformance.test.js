'use strict'

const t = require('tap')
const { run } = require('../../..')
const { until } = require('../../support/wait')
const h2specd = require('./h2specd')

// Half of the cases wait for the client to end.
t.setTimeout(90_000)

t.test('h2specd finds no fault with the client', { skip: h2specd.isBuilt() ? false : h2specd.HINT }, async (t) => {
  const tester = await h2specd.start()
  t.teardown(() => tester.stop())
  // One connection for each case; most end with their first error, the others when the request has ended. Only a few run at a time, since
  // the tester has short timeouts.
  const ports = tester.ports.slice()
  await Promise.all(Array.from({ length: 16 }, async () => {
    while (ports.length > 0) {
      const instance = run({ url: `http://127.0.0.1:${ports.shift()}`, http2: true, connections: 1, amount: 1, timeout: 6 })
      await instance.on('reqError', () => instance.stop())
    }
  }))
  await until(() => tester.verdicts().length >= tester.ports.length)
  const verdicts = tester.verdicts()
  t.ok(verdicts.length >= tester.ports.length, `${verdicts.length} verdicts of ${tester.ports.length} cases`)
  const isGood = (verdict) => verdict.trim().startsWith('✔')
  // The connection that was open when a run ended may have been the second of its case: its verdict is incomplete, and not new.
  const titleOf = (verdict) => verdict.trim().split('\n')[0].slice(1)
  const good = new Set(verdicts.filter(isGood).map(titleOf))
  const isCut = (verdict) => /Actual: Error: .*connection reset by peer/.test(verdict) && good.has(titleOf(verdict))
  t.strictSame(verdicts.filter((verdict) => !isGood(verdict) && !isCut(verdict)), [])
})

'use strict'

const t = require('tap')
const { run } = require('../../..')
const { until } = require('../../support/wait')
const h2specd = require('./h2specd')

t.setTimeout(120_000)

t.test('h2specd finds no fault with the client', { skip: h2specd.isBuilt() ? false : h2specd.HINT }, async (t) => {
  const tester = await h2specd.start()
  t.teardown(() => tester.stop())
  const isGood = (verdict) => verdict.trim().startsWith('✔')
  const titleOf = (verdict) => verdict.trim().split('\n')[0].slice(1)
  const good = () => new Set(tester.verdicts().filter(isGood).map(titleOf))
  // One run for each case, all at once. A run opens another connection if the tester closes one, until each case has its verdict.
  const runs = tester.ports.map((port) => run({ url: `http://127.0.0.1:${port}`, http2: true, connections: 1, amount: 1, timeout: 60 }))
  await until(() => good().size === tester.ports.length, 60_000).catch(() => {})
  for (const each of runs) each.stop()
  await Promise.all(runs)
  t.equal(good().size, tester.ports.length)
  // The connections that were open at the end may have been the second ones of their cases: their verdicts are incomplete, and not new.
  const isCut = (verdict) => /Error: (EOF|.*(connection reset by peer|broken pipe))/.test(verdict) && good().has(titleOf(verdict))
  t.strictSame(tester.verdicts().filter((verdict) => !isGood(verdict) && !isCut(verdict)), [])
})

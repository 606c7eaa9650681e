'use strict'

const t = require('tap')
const ReceivedBody = require('../../lib/script/received-body')

const CHUNK = Buffer.alloc(1000)

function receive (body, chunks) {
  for (let count = 0; count < chunks && body.problem === null; count++) body.add(CHUNK, 0, CHUNK.length, false)
}

t.test('bodies for hooks share one limit, and released memory can be used again', async (t) => {
  // The buffer of a body grows by doubling, so each of these takes 8,000 bytes.
  const budget = { kept: 0, most: 32_000 }
  const bodies = Array.from({ length: 5 }, () => new ReceivedBody(budget))
  for (const body of bodies) receive(body, 5)
  t.same(bodies.map(({ problem }) => problem === null), [true, true, true, true, false])
  t.match(bodies[4].problem, /all connections together may keep 32000 bytes/)
  t.equal(budget.kept, 32_000)
  for (const body of bodies) body.begin('')
  t.equal(budget.kept, 0)
  receive(bodies[4], 5)
  t.equal(bodies[4].problem, null)
  t.equal(bodies[4].finish().bytes.length, 5000)
})

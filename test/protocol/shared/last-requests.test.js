'use strict'

// The last request that a connection may send, which gets no response: the connection closes when that request has ended, and another one
// goes on at once, since the one before had a response.

const t = require('tap')
const { ROUND_TRIP, eachWay, playWay, rounded } = require('../../support/ways')

const SERVICE_MS = 4
const TIMEOUT_MS = 100
const ANSWERED_MS = SERVICE_MS + ROUND_TRIP

// What becomes of it, and when it has ended, ms after it was sent.
const ENDS = {
  'its deadline passes': { said: 'silence', lasts: TIMEOUT_MS, outcome: 'timedOut', isOf: () => true },
  'its stream is reset': { said: { rst: 2 }, lasts: ANSWERED_MS, outcome: 'failed', isOf: ({ isHttp2, part }) => isHttp2 || part === 'grpc' }
}
for (const [what, { said, lasts, outcome, isOf }] of Object.entries(ENDS)) {
  eachWay(t, `the last request of a connection: ${what}`, async (t, way) => {
    for (const hooks of [{}, { setupRequest: (request) => request }]) {
      const tags = ['first.0', 'last.1', 'first.2', 'last.3', 'first.4', 'last.5']
      const ask = tags.map((tag) => ({ tag, ...hooks }))
      const says = (tag) => tag.startsWith('last') ? said : undefined
      const { result, sent, world } = await playWay(t, way, { serviceTime: SERVICE_MS, says }, { ask, amount: tags.length, reconnectRate: 2, timeout: TIMEOUT_MS / 1000 })
      const life = way.opening + ANSWERED_MS + lasts
      t.same(sent.map(([tag, at]) => [tag, rounded(at)]), tags.map((tag, index) => {
        return [tag, Math.floor(index / 2) * life + way.opening + (index % 2) * ANSWERED_MS]
      }))
      t.match(result.accounting, { completed: 3, [outcome]: 3 })
      t.match(result.connectionStats, { opened: 3, failed: 0, closedByClient: 3, closedByServer: 0 })
      t.equal(world.sockets.length, 3)
    }
  }, ({ differsInOpening, ...way }) => differsInOpening !== true && isOf(way))
}

'use strict'

// Rows that are used once, while connections break around the end of a warm-up and hooks set up requests: each row is sent once, and the run
// ends when all of them have been sent.

const t = require('tap')
const { run } = require('../../..')
const { simulate } = require('../../simulation/world')
const { violations } = require('../../support/accounts')

const ROWS = Array.from({ length: 20 }, (_, n) => ({ n }))
const HOOK_MS = 17

const BREAKS = { 'HTTP/1.1': ['resetAll', 'endAll'], 'HTTP/2': ['goAwayAll', 'resetAll'] }
const LOADS = { 'closed model': {}, 'open model': { overallRate: 100 } }

t.test('connections break before the end of a warm-up', async (t) => {
  for (const [protocol, actions] of Object.entries(BREAKS)) {
    for (const action of actions) {
      for (const [model, load] of Object.entries(LOADS)) {
        for (const steps of [1, 2]) {
          // A lookup takes 30 ms, so that the connections are open again in the run.
          for (const brokenAt of [131, 140, 150, 157]) {
            const { value: result, world } = await simulate({ seed: 1 }, (world) => {
              const server = world.server({ serviceTime: 10, host: 'slow', lookup: 30, http2: protocol === 'HTTP/2' })
              world.after(brokenAt, () => server[action]())
              const requests = Array.from({ length: steps }, (_, step) => ({ path: `/${step}-{{n}}`, setupRequest: (request) => world.sleep(HOOK_MS).then(() => request) }))
              return run({ url: server.url, http2: protocol === 'HTTP/2', connections: 2, ...load, timeout: 1, requests, warmup: { connections: 2, duration: 0.13 }, feed: { rows: ROWS, order: 'once' } })
            })
            const what = `${protocol}, ${action} at ${brokenAt} ms, ${model}, ${steps} requests for each row`
            const wanted = ROWS.flatMap(({ n }) => Array.from({ length: steps }, (_, step) => `/${step}-${n}`)).sort()
            t.same(world.log.map(({ path }) => path).sort(), wanted, what)
            t.equal(result.warmup.accounting.sent + result.accounting.sent, wanted.length, what)
            t.notOk(result.warnings.some(({ code }) => code === 'NO_USABLE_CONNECTION'), what)
            t.same([...violations(result), ...world.leftovers], [], what)
          }
        }
      }
    }
  }
})

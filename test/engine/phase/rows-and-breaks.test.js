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
          for (const brokenAt of [131, 150]) {
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

// A weighted request that was set up for an arrival which another connection sends is set up in vain, but its row is not used.
t.test('connections break while weighted requests are set up', async (t) => {
  const weighted = [2, 1].map((weight, index) => ({ path: `/${index}-{{n}}`, weight }))
  for (const [protocol, actions] of Object.entries(BREAKS)) {
    for (const action of actions) {
      for (const [model, load] of Object.entries({ ...LOADS, 'open model, with too few connections': { overallRate: 400 } })) {
        for (const [which, hooked] of Object.entries({ all: [0, 1], one: [1] })) {
          for (const brokenAt of [32, 50]) {
            const { value: result, world } = await simulate({ seed: 1 }, (world) => {
              const server = world.server({ serviceTime: 10, host: 'slow', lookup: 10, link: { delay: 1, jitter: 9 }, http2: protocol === 'HTTP/2' })
              for (const times of [1, 2, 3]) world.after(brokenAt * times, () => server[action]())
              const setupRequest = (request) => world.sleep(HOOK_MS).then(() => request)
              const requests = weighted.map((request, index) => hooked.includes(index) ? { ...request, setupRequest } : request)
              return run({ url: server.url, http2: protocol === 'HTTP/2', connections: 3, pipelining: 2, ...load, timeout: 10, requests, feed: { rows: ROWS, order: 'once' } })
            })
            const what = `${protocol}, ${action} every ${brokenAt} ms, ${model}, ${which} with a hook`
            const rows = world.log.map(({ path }) => Number(path.slice(3)))
            t.equal(result.accounting.sent, ROWS.length, what)
            // What an HTTP/2 server has not processed is sent again.
            t.same([...new Set(rows)].sort((a, b) => a - b), ROWS.map(({ n }) => n), what)
            if (action !== 'goAwayAll') t.equal(rows.length, ROWS.length, what)
            t.same([...violations(result), ...world.leftovers], [], what)
          }
        }
      }
    }
  }
})

// A request that is set up when the server lowers its limit of concurrent streams waits, until the server accepts none at all and another
// connection sends it.
t.test('servers that accept fewer requests while weighted requests are set up', async (t) => {
  for (const [model, load] of Object.entries({ ...LOADS, 'open model, with too few connections': { overallRate: 400 } })) {
    for (const serviceTime of [10, 40]) {
      for (const start of [20, 27, 33, 38, 44]) {
        const { value: result, world } = await simulate({ seed: 1 }, (world) => {
          const server = world.server({ serviceTime, http2: true, link: { delay: 1, jitter: 3 } })
          for (const [index, limit] of [1, 0, 5, 1, 0, 9].entries()) world.after(start + 15 * index, () => server.changeSettings([['MAX_CONCURRENT_STREAMS', limit]]))
          const requests = [2, 1].map((weight, index) => ({ path: `/${index}-{{n}}`, weight, setupRequest: (request) => world.sleep(HOOK_MS).then(() => request) }))
          return run({ url: server.url, http2: true, connections: 3, pipelining: 3, ...load, timeout: 10, requests, feed: { rows: ROWS, order: 'once' } })
        })
        const what = `${model}, ${serviceTime} ms, from ${start} ms on`
        t.same(world.log.map(({ path }) => Number(path.slice(3))).sort((a, b) => a - b), ROWS.map(({ n }) => n), what)
        t.same([...violations(result), ...world.leftovers], [], what)
      }
    }
  }
})

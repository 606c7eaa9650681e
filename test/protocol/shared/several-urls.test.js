'use strict'

// An archive of several URLs: each of its requests goes to the URL that it was recorded with, and counts at its own place in the archive,
// which is not its place among the requests of that URL.

const t = require('tap')
const { playInWorld } = require('../../support/play-in-world')
const { WAYS } = require('../../support/ways')

const SERVICE_MS = 10
const BODY = 'hello'
// By place in the archive: which URL, and with which method.
const RECORDED = [[0, 'GET'], [0, 'HEAD'], [1, 'GET'], [1, 'HEAD'], [1, 'GET'], [0, 'GET'], [1, 'HEAD'], [0, 'HEAD'], [0, 'GET']]
const ROUNDS = 3

const entryOf = ([which, method], place, urls) => ({ request: { method, url: `${urls[which]}/${place}`, headers: [] } })
const archiveOf = (servers) => ({ log: { entries: RECORDED.map((each, place) => entryOf(each, place, servers.map(({ url }) => url))) } })
const ofUrl = (which) => RECORDED.filter(([each]) => each === which).length
const HOOKS = { 'without hooks': {}, 'with a hook': { setupClient: () => {} } }

for (const { name, server, opts } of WAYS.filter(({ isHttp, isForwarded, differsInOpening }) => isHttp && !isForwarded && !differsInOpening)) {
  for (const [how, hooks] of Object.entries(HOOKS)) {
    t.test(`a response to HEAD has a length and no body: ${name}, ${how}`, async (t) => {
      const each = [0, 1].map((which) => ({ ...server, serviceTime: SERVICE_MS, answer: { body: BODY } }))
      const amount = 2 * ROUNDS * Math.max(ofUrl(0), ofUrl(1))
      const { result, world, servers } = await playInWorld(t, each, (_, __, servers) => ({ ...opts, ...hooks, connections: 2, amount, har: archiveOf(servers) }))
      t.match(result.accounting, { scheduled: amount, completed: amount, failed: 0 })
      const sent = RECORDED.map((_, place) => world.log.filter(({ path }) => path === `/${place}`))
      t.same(result.endpoints.map(({ method, path, completed }) => [method, path, completed]), RECORDED.map(([, method], place) => [method, `/${place}`, sent[place].length]))
      t.ok(sent.every((all) => all.length >= ROUNDS))
      t.ok(sent.every((all, place) => all.every(({ method, socket }) => method === RECORDED[place][1] && socket.server === servers[RECORDED[place][0]])))
      const bodies = RECORDED.reduce((sum, [, method], place) => sum + (method === 'GET' ? sent[place].length : 0), 0)
      if (result.replySize !== undefined) t.equal(result.replySize.content, Math.round(1000 * BODY.length * bodies / amount) / 1000)
    })

    t.test(`what is reported of a request that times out: ${name}, ${how}`, async (t) => {
      const silent = new Set([4, 5, 7])
      const each = [0, 1].map(() => ({ ...server, serviceTime: SERVICE_MS, answer: ({ path }) => silent.has(Number(path.slice(1))) ? 'silence' : { body: BODY } }))
      const { result } = await playInWorld(t, each, (_, __, servers) => ({ ...opts, ...hooks, connections: 2, amount: 10, timeout: 1, slowest: 10, har: archiveOf(servers) }))
      const { CANNONADE_RESPONSE_TIMEOUT: { count, examples } } = result.errorCodes
      t.equal(count, silent.size)
      t.same(examples.map(({ method, path }) => [method, path]).sort(), [...silent].map((place) => [RECORDED[place][1], `/${place}`]).sort())
      t.same(result.endpoints.map(({ failed }) => failed), RECORDED.map((_, place) => silent.has(place) ? 1 : 0))
    })
  }
}

t.test('requests that a server refuses, and that time out before they are sent again', async (t) => {
  for (const [how, hooks] of Object.entries(HOOKS)) {
    const count = ofUrl(1)
    const each = [0, 1].map(() => ({ http2: true, answer: 'silence' }))
    const { result, world } = await playInWorld(t, each, (world, _, servers) => {
      world.after(50, () => {
        servers[1].refuse()
        servers[1].goAwayAll({ untaken: count })
      })
      return { http2: true, ...hooks, connections: 2, pipelining: count, amount: 2 * count, timeout: 0.2, har: archiveOf(servers) }
    })
    t.equal(world.log.length, 2 * count, 'nothing is sent again')
    t.match(result.accounting, { sent: 2 * count, timedOut: 2 * count })
    t.same(result.endpoints.map(({ failed }) => failed), RECORDED.map((_, place) => world.log.filter(({ path }) => path === `/${place}`).length), how)
  }
})

t.test('the requests that a client sets for one URL count at the places of that URL', async (t) => {
  const set = ['/a', '/b', '/c', '/d', '/e', '/f', '/g']
  const setupClient = (client) => client.setRequests(set.map((path) => ({ path })))
  const { result, world, servers } = await playInWorld(t, [{}, {}], (_, __, servers) => ({ connections: 2, amount: 2 * set.length, setupClient, har: archiveOf(servers) }))
  const expected = new Array(RECORDED.length).fill(0)
  for (const { path, socket } of world.log) {
    const places = [...RECORDED.keys()].filter((place) => servers[RECORDED[place][0]] === socket.server)
    // The last place counts all that the archive has no place for.
    expected[places[Math.min(set.indexOf(path), places.length - 1)]]++
  }
  t.same(result.endpoints.map(({ completed }) => completed), expected)
  t.same(expected, [1, 1, 1, 1, 1, 1, 4, 1, 3])
})

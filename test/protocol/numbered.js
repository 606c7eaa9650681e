'use strict'

const { run } = require('../..')
const { addsUp } = require('../support/accounts')
const { playInWorld } = require('../support/play-in-world')
const { rawServer, reply } = require('../support/servers')
const { until } = require('../support/wait')

/*
 * Runs that would reveal a response matched to the wrong request. A request has its number in its path; its response has that number as the
 * body, and one of seven statuses that depends on it.
 */
const STATUSES = [200, 201, 202, 203, 400, 404, 500]

/** The right response to a request, as the setting `answer` of a simulated server. */
function rightAnswer ({ path }) {
  const number = Number(path.slice(1))
  return { body: String(number), status: STATUSES[number % STATUSES.length] }
}

/** The right response to a request, as bytes; `opts` as of `reply`. */
function answerTo (request, opts) {
  const { body, status } = rightAnswer(request)
  return reply(body, { status, ...opts })
}

// Without any hook: seven requests in turn, each of which must only get responses with its own status.
function plain () {
  return {
    requests: STATUSES.map((status, number) => ({ path: `/${number}` })),
    verify (t, result) {
      const expected = result.endpoints.map(({ completed }, number) => completed === 0 ? {} : { [STATUSES[number]]: { count: completed } })
      t.strictSame(result.endpoints.map(({ statusCodeStats }) => statusCodeStats), expected, 'responses to each')
    }
  }
}

// With hooks: each request has its own number, which its response must contain.
function scripted () {
  let asked = 0
  const wrong = []
  let answered = 0
  const request = {
    setupRequest (request, context) {
      context.number = asked++
      return { ...request, path: `/${context.number}` }
    },
    onResponse (status, body, context) {
      answered++
      if (body !== String(context.number) || status !== STATUSES[context.number % 7]) wrong.push([context.number, status, body])
    }
  }
  return {
    requests: [request],
    verify (t, result) {
      t.strictSame(wrong, [], 'no response was matched to another request')
      t.equal(answered, result.accounting.completed)
    }
  }
}

/**
 * Runs the same with the same server with hooks and without, in two subtests. The accounts are checked in each.
 *
 * @param {object} t
 * @param {string} name
 * @param {function(Socket, SplitRequest, number, Buffer)} script as of `rawServer`, and the bytes of the right response
 * @param {object} opts of run; `server` for the server's
 * @param {function(object, object, object)} check receives the test, the result and the server
 */
function bothWays (t, name, script, { server: serverOpts, ...opts }, check) {
  for (const [way, make] of Object.entries({ plain, scripted })) {
    t.test(`${name} (${way})`, async (t) => {
      const server = await rawServer(t, (socket, request, index) => script(socket, request, index, answerTo(request)), serverOpts)
      const { requests, verify } = make()
      const result = await run({ url: server.url, connections: 1, requests, ...opts })
      addsUp(t, result)
      verify(t, result)
      t.strictSame(server.malformed, [], 'everything that was sent is a request')
      await until(() => server.openConnections === 0)
      await check(t, result, server)
    })
  }
}

/**
 * The same in the simulated world, in which the order of all events is certain.
 *
 * @param {object} t
 * @param {object} settings of the server; its right responses are those of `rightAnswer`
 * @param {object} opts of run
 * @param {function(object, object)} check receives the result and the world
 */
async function bothWaysInWorld (t, settings, opts, check) {
  for (const make of [plain, scripted]) {
    const { requests, verify } = make()
    const { result, world } = await playInWorld(t, settings, { connections: 1, requests, ...opts })
    verify(t, result)
    check(result, world)
  }
}

module.exports = { answerTo, bothWays, bothWaysInWorld, rightAnswer, STATUSES }

'use strict'

const http = require('node:http')

/**
 * Sends one request with Node's own client, for tests of servers.
 *
 * @param {string|URL} url
 * @param {object} [opts] options of http.request, and `body`
 * @returns {Promise<{ status: number, headers: object, body: string }>}
 */
function request (url, { body, ...opts } = {}) {
  return new Promise((resolve, reject) => {
    const sent = http.request(url, opts, (response) => {
      const pieces = []
      response.on('data', (piece) => pieces.push(piece))
      response.on('error', reject)
      response.on('end', () => resolve({
        status: response.statusCode,
        headers: response.headers,
        body: Buffer.concat(pieces).toString()
      }))
    })
    sent.on('error', reject)
    sent.end(body)
  })
}

/**
 * Creates an agent that keeps its connections open; it is closed at the end of the test.
 *
 * @param {{ teardown: function }} t
 * @param {number} maxSockets
 */
function keepAliveAgent (t, maxSockets) {
  const agent = new http.Agent({ keepAlive: true, maxSockets })
  t.teardown(() => agent.destroy())
  return agent
}

module.exports = { request, keepAliveAgent }

'use strict'

const http = require('node:http')
const { run } = require('../../..')

/**
 * What Node's own client makes of the response to one request.
 *
 * @returns {Promise<{ status: ?number, body: ?string, isComplete: boolean, informational: number[], fields: ?string[] }>}
 *   the body as text in Latin-1; status and fields are null if there was no valid head
 */
function askNode (url, method) {
  const agent = new http.Agent({ keepAlive: true })
  return new Promise((resolve) => {
    const seen = { status: null, body: null, isComplete: false, informational: [], fields: null }
    const finish = () => {
      agent.destroy()
      resolve(seen)
    }
    const request = http.request(url, { method, agent, maxHeaderSize: 65536 }, (response) => {
      Object.assign(seen, { status: response.statusCode, fields: response.rawHeaders, body: '' })
      response.setEncoding('latin1')
      response.on('data', (text) => { seen.body += text })
      response.on('error', () => {}) // 'close' follows
      response.on('close', () => {
        seen.isComplete = response.complete
        finish()
      })
    })
    request.on('information', ({ statusCode }) => seen.informational.push(statusCode))
    request.on('upgrade', (response, socket) => {
      socket.destroy()
      finish()
    })
    request.on('error', (error) => {
      seen.error = error.code
      if (seen.status === null) finish()
    })
    request.end()
  })
}

/** The same with our client, in a run of one request; `result` is that of the run. */
async function askUs (url, method) {
  const seen = { status: null, body: null, isComplete: false, informational: [], fields: null }
  const result = await run({
    url,
    method,
    connections: 1,
    amount: 1,
    setupClient (client) {
      client.on('headers', ({ statusCode, headers }) => Object.assign(seen, { status: statusCode, fields: headers, body: '' }))
      client.on('body', (bytes) => { seen.body = bytes.latin1Slice() })
    }
  })
  seen.isComplete = result.accounting.completed === 1
  return { ...seen, informational: result['1xx'], result }
}

module.exports = { askNode, askUs }

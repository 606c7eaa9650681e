'use strict'

const { once } = require('node:events')
const { CannonadeError, CODES } = require('../base/errors')

// With port 0, the system chooses a port that is free on one loopback address; it may be in use on the other.
const PORT_ATTEMPTS = 20

/**
 * Opens the listening servers for a host and a port. For `localhost`, it listens on both loopback addresses, because clients
 * may resolve it to 127.0.0.1 or ::1; any other host is a single address.
 *
 * @param {function(): import('node:net').Server} createServer creates a server that isn't listening yet
 * @param {string} host
 * @param {number} port 0 for any free one, the same on both addresses
 * @returns {Promise<{ servers: import('node:net').Server[], port: number, url: string }>}
 * @throws {CannonadeError} CANNONADE_SERVER_FAILED, with `port` and `host`
 */
async function listen (createServer, host, port) {
  if (host !== 'localhost') {
    const server = await listenOn(createServer, host, port).catch((error) => { throw failure(error, host, port) })
    return opened([server], urlHost(host))
  }

  for (let attempt = 1; ; attempt++) {
    const first = await listenOn(createServer, '127.0.0.1', port).catch((error) => { throw failure(error, host, port) })
    try {
      const second = await listenOn(createServer, '::1', first.address().port)
      return opened([first, second], 'localhost')
    } catch (error) {
      if (error.code !== 'EADDRINUSE') return opened([first], '127.0.0.1') // no IPv6 on this machine
      await closeServer(first)
      if (port !== 0 || attempt === PORT_ATTEMPTS) throw failure(error, host, port)
    }
  }
}

async function listenOn (createServer, host, port) {
  const server = createServer()
  server.listen(port, host)
  await once(server, 'listening') // rejects with the error if there is one
  return server
}

function closeServer (server) {
  return new Promise((resolve) => server.close(resolve))
}

function opened (servers, name) {
  const { port } = servers[0].address()
  return { servers, port, url: `http://${name}:${port}` }
}

// The wildcard address can't be used in a URL: show an address that works.
function urlHost (host) {
  if (host === '0.0.0.0') return '127.0.0.1'
  if (host === '::') return 'localhost'
  return host.includes(':') ? `[${host}]` : host
}

function failure (cause, host, port) {
  return new CannonadeError(CODES.SERVER_FAILED, reason(cause, host, port), { cause, host, port })
}

function reason (cause, host, port) {
  switch (cause.code) {
    case 'EADDRINUSE':
      return `port ${port} on ${host} is already in use: choose another port, or 0 for any free one`
    case 'EACCES':
      return `port ${port} on ${host} needs privileges that this user lacks: choose a port above 1023, or 0 for any free one`
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return `the server cannot listen on ${host}: that is not an address of this machine`
    default:
      return `the server cannot listen on port ${port} of ${host}: ${cause.message}`
  }
}

module.exports = { listen }

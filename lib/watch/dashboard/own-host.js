'use strict'

const os = require('node:os')

const LOOPBACK = /^(127(\.\d+){3}|::1)$/
const MAPPED = /^::ffff:/i

/**
 * Whether a request is meant for this server. A name of somebody's may lead to this machine, and a page of theirs could read
 * what is served here as if it were their own; its requests carry that name.
 *
 * @param {http.IncomingMessage} request
 * @param {string} host that the server was told to listen on
 */
function isOwnHost ({ headers, socket }, host) {
  const asked = parse(headers.host)
  if (asked === null || asked.port !== socket.localPort) return false
  const address = socket.localAddress.replace(MAPPED, '')
  const names = [host, address, os.hostname(), ...(LOOPBACK.test(address) ? ['localhost', '127.0.0.1', '::1'] : [])]
  return names.some((name) => name.toLowerCase() === asked.name)
}

function parse (host) {
  const [, name, port = '80'] = /^(\[[\da-f:.]+\]|[^\s:[\]@/]+)(?::(\d{1,5}))?$/i.exec(host ?? '') ?? []
  return name === undefined ? null : { name: name.replace(/^\[|\]$/g, '').toLowerCase(), port: Number(port) }
}

module.exports = isOwnHost

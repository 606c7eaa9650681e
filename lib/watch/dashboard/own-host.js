'use strict'

const os = require('node:os')

const LOOPBACK = /^(127(\.\d+){3}|::1)$/
const MAPPED = /^::ffff:/i

/**
 * Whether a request is meant for this server. Protects against DNS rebinding: a foreign domain name may resolve to this
 * machine, and pages of that domain could then read what is served here. Their requests carry that name in the Host header.
 *
 * @param {http.IncomingMessage} request
 * @param {string} host on which the server was told to listen
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

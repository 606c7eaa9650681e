'use strict'

const { host, port } = require('./prometheus')
const { kind, isObject, toNumber } = require('./kinds')

// Only this machine: what a run does is nobody else's business, unless somebody says so.
const HOST = '127.0.0.1'

/** Where a page is served that shows the run while it lasts: `{ port, host }`, or a port alone. */
const dashboard = kind('{ port, host }, or a port', (value, name) => {
  if (!isObject(value)) return toNumber(value) === undefined ? undefined : read({ port: value }, name)
  return read(value, name)
})

function read (given, name) {
  const isGiven = given.host !== undefined && given.host !== null
  return { port: port.read(given.port, `${name}.port`), host: isGiven ? host.read(given.host, `${name}.host`) : HOST }
}

module.exports = { dashboard }

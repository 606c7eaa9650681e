'use strict'

const { host, port } = require('./prometheus')
const { ofParts, toNumber } = require('../values/kinds')

// Reachable only from this machine, unless the user asks for more.
const defaults = { host: '127.0.0.1' }

/** Where to serve the live dashboard: `{ port, host }`, or only a port. */
const dashboard = ofParts({ port, host }, {
  defaults,
  needs: ['port'],
  shorthand: { part: 'port', accepts: (value) => toNumber(value) !== undefined },
  allowed: '{ port, host }, or a port'
})

module.exports = { dashboard }

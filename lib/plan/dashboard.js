'use strict'

const { host, port } = require('./prometheus')
const { ofParts, toNumber } = require('../values/kinds')

// Only this machine: what a run does is nobody else's business, unless somebody says so.
const defaults = { host: '127.0.0.1' }

/** Where a page is served that shows the run while it lasts: `{ port, host }`, or a port alone. */
const dashboard = ofParts({ port, host }, {
  defaults,
  needs: ['port'],
  shorthand: { part: 'port', accepts: (value) => toNumber(value) !== undefined },
  allowed: '{ port, host }, or a port'
})

module.exports = { dashboard }

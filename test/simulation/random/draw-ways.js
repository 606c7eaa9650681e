'use strict'

const Dice = require('./dice')
const { SCHEDULES } = require('./is-unpaced')

// All of 127.0.0.0/8 are addresses of this machine.
const ADDRESSES = ['127.0.0.1', '127.0.0.2', '127.0.0.3']

/** The same world with other addresses, or two servers, and with options written in another form. */
function goOtherWays (dice, { seed, opts, server, proxy, messages }) {
  if (Object.keys(opts).some((name) => SCHEDULES.has(name)) && dice.happens(0.15)) opts.pacing = 'sleep'
  if (dice.happens(0.03)) opts.skipAggregateResult = true
  if (proxy !== undefined) {
    const toProxy = Dice.of(seed, 'addresses that a proxy sees')
    if (toProxy.happens(0.2)) opts.localAddress = ADDRESSES.slice(0, toProxy.whole(1, 3))
    return
  }
  const way = dice.happens(0.2) ? dice.one('addresses', 'path', 'two servers') : null
  if (way === 'addresses') opts.localAddress = ADDRESSES.slice(0, dice.whole(1, 3))
  if (way === 'path') {
    server.path = '/tmp/server.sock'
    opts.socketPath = server.path
    delete server.lookup
  }
  // A broadcast reaches the connections of one server.
  if (way === 'two servers' && messages?.expect !== 'broadcast') server.isOneOfTwo = true
}

module.exports = goOtherWays

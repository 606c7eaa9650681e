'use strict'

// What leaves in one write arrives in one packet.

const t = require('tap')
const Socket = require('../../simulation/world/socket')
const { playInWorld } = require('../../support/play-in-world')

// Longer than what is copied into the bytes of its head.
const LONG = 20_000
const AMOUNT = 4

/** The lengths of all packets that clients send in a run. */
async function packetsOf (t, opts, act) {
  const packets = []
  const { transmit } = Socket.prototype
  Socket.prototype.transmit = function (bytes) {
    packets.push(bytes.length)
    return transmit.call(this, bytes)
  }
  try {
    await playInWorld(t, { serviceTime: 10 }, { connections: 1, amount: AMOUNT, method: 'POST', ...opts }, act)
  } finally {
    Socket.prototype.transmit = transmit
  }
  return packets
}

const WAYS = {
  alone: {},
  'with an id': { idReplacement: true, path: '/[<id>]' },
  'with trace context': { traceparent: true },
  'with a hook': { setupRequest: (request) => request }
}

for (const [name, { path = '/', setupRequest, ...opts }] of Object.entries(WAYS)) {
  t.test(`the head and the body of a request leave together: ${name}`, async (t) => {
    for (const length of [10, LONG]) {
      for (const pipelining of [1, 2]) {
        const requests = [{ path, body: 'x'.repeat(length), ...setupRequest && { setupRequest } }]
        const packets = await packetsOf(t, { ...opts, pipelining, requests })
        t.equal(packets.length, AMOUNT / pipelining, `${length} bytes, ${pipelining} at a time`)
        t.ok(packets.every((bytes) => bytes > pipelining * length))
      }
    }
  })
}

'use strict'

const { digestOf, plain } = require('../../support/digests')

/**
 * The digest of everything that can be seen of a played world: the results, what hooks and listeners were told, what was recorded, and what the
 * servers received, when. It says whether a change of the code has changed anything, but not whether that is right, which check.js says.
 *
 * @param {object} drawn
 * @param {object} played
 * @returns {?string} null for worlds in which something is compressed: how long that is depends on the version of zlib
 */
function digestOfWorld ({ bodies, messages }, { world, rounds = [], results, told, error }) {
  if (bodies?.kinds.some(({ coding }) => coding !== null) || messages?.compress) return null
  const log = world.log.map(({ text, sentAt, arrivedAt, receivedAt }) => [text, sentAt, arrivedAt, receivedAt])
  const files = [...world.client.disk.files.keys()].map((path) => [path, world.client.disk.read(path)])
  return digestOf(plain({ results, told, events: rounds.map(({ events }) => events), error: error?.message, log, files, sockets: world.sockets.length }))
}

module.exports = digestOfWorld

'use strict'

const world = require('../../world')
const Navigation = require('../http1/navigation')
const { StreamRequest } = require('./request')

/*
 * Changes requests that are already encoded, for cookies and redirects: converts them to the form of HTTP/1.1 requests that these
 * use, and back.
 */

/** @returns {{ method: string, target: string, fields: [string, string][] }} the authority becomes the field host */
function readRequestHead ({ parts: { method, authority, path, fields } }) {
  return { method, target: path, fields: [['host', authority], ...fields.map(([name, value]) => [name, value])] }
}

/** Returns the request with another head. @param {boolean} [hasBody] whether to keep the body */
function withHead ({ parts }, { method, target, fields }, hasBody = true) {
  const [, authority] = fields.find(([name]) => name === 'host')
  return new StreamRequest({
    ...parts,
    method,
    authority,
    path: target,
    fields: fields.filter(([name]) => name !== 'host').map(([name, value]) => [name.toLowerCase(), value, []]),
    ...!hasBody && { body: Buffer.alloc(0), bodyPlaces: [], stream: null }
  })
}

/** Returns the request for a single use, with its ids filled in. */
function onceOnly (request) {
  if (!request.hasIds) return request
  const id = world.nextId()
  const fill = (value, places) => places.reduce((text, place) => text.slice(0, place) + id + text.slice(place + id.length), value)
  const { path, fields } = request.parts
  return new StreamRequest({
    ...request.parts,
    path: typeof path === 'string' ? path : fill(path.value, path.places),
    fields: fields.map(([name, value, places]) => [name, fill(value, places), []]),
    body: request.bodyWith(id),
    bodyPlaces: []
  })
}

/** Cookies and redirects for HTTP/2 requests. */
class StreamNavigation extends Navigation {
  constructor (target, plan, warn) {
    super(target, plan, warn, { readRequestHead, withHead, onceOnly })
  }
}

module.exports = StreamNavigation

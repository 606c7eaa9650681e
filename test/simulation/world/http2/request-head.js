'use strict'

// RFC 9113, section 8.2.2.
const OF_CONNECTIONS = new Set(['connection', 'proxy-connection', 'keep-alive', 'transfer-encoding', 'upgrade'])
const NAME = /^[!#$%&'*+.^_`|~0-9a-z-]+$/

const VALUE = /^(?![ \t])[^\0\r\n]*(?<![ \t])$/

/**
 * Reads the head of a request (RFC 9113, section 8.3.1).
 *
 * @param {string[][]} fields `[name, value]`
 * @returns {{ method: string, path: string, length: ?number }} throws if it is invalid
 */
function readRequestHead (fields) {
  const pseudo = new Map()
  let isBehind = false
  let length = null
  for (const [name, value] of fields) {
    if (!VALUE.test(value)) throw new Error(`the value of ${name} is ${JSON.stringify(value)}`)
    if (!name.startsWith(':')) {
      isBehind = true
      checkField(name, value)
      if (name === 'content-length') length = lengthOf(value, length)
      continue
    }
    if (isBehind) throw new Error(`${name} stands behind a field`)
    if (pseudo.has(name)) throw new Error(`${name} is there twice`)
    pseudo.set(name, value)
  }
  checkPseudo(pseudo)
  // Section 8.3.1: if there are both, they must be equal.
  const host = fields.find(([name]) => name === 'host')
  if (host !== undefined && host[1] !== pseudo.get(':authority')) throw new Error(`host is ${host[1]}, and :authority is ${pseudo.get(':authority')}`)
  return { method: pseudo.get(':method'), path: pseudo.get(':path') ?? pseudo.get(':authority'), length }
}

function checkField (name, value) {
  if (!NAME.test(name)) throw new Error(`a field has the name ${JSON.stringify(name)}`)
  if (OF_CONNECTIONS.has(name)) throw new Error(`the field ${name} is of HTTP/1.1`)
  if (name === 'te' && value !== 'trailers') throw new Error(`te is ${value}`)
}

function lengthOf (value, before) {
  if (before !== null || !/^\d+$/.test(value)) throw new Error(`content-length is ${value}${before === null ? '' : `, and ${before} before`}`)
  return Number(value)
}

function checkPseudo (pseudo) {
  const isConnect = pseudo.get(':method') === 'CONNECT'
  const expected = isConnect ? [':method', ':authority'] : [':method', ':scheme', ':authority', ':path']
  for (const name of expected) if (!pseudo.get(name)) throw new Error(`${name} is missing`)
  for (const name of pseudo.keys()) if (!expected.includes(name)) throw new Error(`${name} is there`)
  const path = pseudo.get(':path')
  if (!isConnect && !path.startsWith('/') && !(path === '*' && pseudo.get(':method') === 'OPTIONS')) throw new Error(`:path is ${path}`)
}

module.exports = readRequestHead

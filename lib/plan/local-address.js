'use strict'

const net = require('node:net')
const { contradiction, optionError } = require('../base/errors')
const { kind } = require('../values/kinds')

const ADDRESSES = 'an IP address of this machine, or an array of them'

/** The local addresses that connections use in turn: an array of strings. */
const localAddress = kind(ADDRESSES, (value, name) => {
  const list = typeof value === 'string' ? value.split(',').map((text) => text.trim()) : value
  if (!Array.isArray(list) || list.length === 0) return undefined
  const bad = list.findIndex((address) => typeof address !== 'string' || net.isIP(address) === 0)
  if (bad === -1) return [...new Set(list)]
  if (list.length === 1) return undefined
  throw optionError(`${name}[${bad}]`, list[bad], 'an IP address of this machine')
})

/**
 * Throws if a local address and the server's (or proxy's) address are of different IP versions.
 *
 * @param {object} options as read
 * @param {object[]} targets of the plan
 */
function checkLocalAddress ({ localAddress }, targets) {
  if (localAddress === null) return
  for (const { hostname } of targets.map((target) => target.proxy ?? target)) {
    const family = net.isIP(hostname)
    const other = localAddress.find((address) => family !== 0 && net.isIP(address) !== family)
    if (other !== undefined) throw contradiction('localAddress', 'url', `${hostname} (IPv${family}) cannot be reached from ${other} (IPv${net.isIP(other)})`)
  }
}

module.exports = { localAddress, checkLocalAddress }

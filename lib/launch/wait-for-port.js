'use strict'

const { once } = require('node:events')
const net = require('node:net')
const { setTimeout: sleep } = require('node:timers/promises')

const POLL_MS = 50

/**
 * Whether something accepts connections at an address.
 *
 * @param {{ host: string, port: number }} address
 * @param {AbortSignal} [signal]
 */
async function accepts (address, signal) {
  const socket = net.connect(address)
  try {
    await once(socket, 'connect', { signal })
    return true
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}

/**
 * Waits until something accepts connections at an address.
 *
 * @param {{ host: string, port: number }} address
 * @param {AbortSignal} signal stops waiting
 * @returns {Promise<number>} the port; never settles if waiting was stopped
 */
async function waitForPort (address, signal) {
  while (!signal.aborted) {
    if (await accepts(address, signal)) return address.port
    await sleep(POLL_MS)
  }
  return new Promise(() => {})
}

module.exports = { accepts, waitForPort }

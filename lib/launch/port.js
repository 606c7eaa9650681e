'use strict'

const dns = require('node:dns/promises')
const { once } = require('node:events')
const fs = require('node:fs')
const net = require('node:net')
const os = require('node:os')
const path = require('node:path')
const { setTimeout: sleep } = require('node:timers/promises')
const { LOCALHOST } = require('./aim')

const POLL_MS = 50

const PRELOAD = path.join(__dirname, 'preload.js')

// Where a listener may be reached as localhost: on every address of this machine, or on the address that localhost has everywhere.
const AT_LOCALHOST = ['::', '0.0.0.0', '127.0.0.1', '::ffff:127.0.0.1']

/**
 * Receives the ports on which Node.js programs listen. Programs find it through environment variables, which their child
 * processes inherit, so both `node server.js` and `npm start` work.
 */
class PortChannel {
  /** @returns {Promise<PortChannel>} a channel that accepts reports */
  static async open () {
    const channel = new PortChannel()
    channel.server.listen(channel.path)
    await once(channel.server, 'listening')
    return channel
  }

  constructor () {
    this.path = this.choosePath()
    /** The PID of the process that reported its port; null until then. */
    this.pid = null
    /** The first port that was reported, and the host of its URL: localhost, unless it listens on another address only. */
    this.reported = null
    this.host = LOCALHOST
    /** Resolves with the first reported port. */
    this.port = new Promise((resolve) => {
      this.server = net.createServer((socket) => {
        socket.setEncoding('utf8')
        socket.on('error', () => {})
        socket.once('data', async (text) => {
          const [port, pid, address] = text.trim().split(' ')
          if (this.pid !== null) return
          this.pid = Number(pid)
          this.reported = Number(port)
          this.host = await hostOf(address)
          resolve(this.reported)
        })
      })
    })
    this.server.unref()
  }

  choosePath () {
    this.folder = fs.mkdtempSync(path.join(os.tmpdir(), 'cannonade-'))
    if (process.platform === 'win32') return `\\\\.\\pipe\\cannonade-${process.pid}-${Date.now()}`
    return path.join(this.folder, 'ports')
  }

  /** Returns the environment variables that make a program report its port. @param {object} env those that it gets besides */
  environmentWith (env) {
    // Quoted, since the path may contain spaces.
    const options = [env.NODE_OPTIONS ?? process.env.NODE_OPTIONS, `--require ${JSON.stringify(PRELOAD)}`].filter(Boolean).join(' ')
    return { NODE_OPTIONS: options, CANNONADE_PORTS: this.path }
  }

  close () {
    this.server.close()
    fs.rmSync(this.folder, { recursive: true, force: true })
  }
}

async function hostOf (address = '') {
  // The zone of a link-local address cannot be part of a URL.
  if (net.isIP(address) === 0 || AT_LOCALHOST.includes(address) || address.includes('%')) return LOCALHOST
  // On some systems, localhost is 127.0.0.1 only.
  if (address === '::1' && await isLocalhost(address)) return LOCALHOST
  return net.isIPv6(address) ? `[${address}]` : address
}

async function isLocalhost (address) {
  const addresses = await dns.lookup(LOCALHOST, { all: true }).catch(() => [])
  return addresses.some((each) => each.address === address)
}

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

module.exports = { PortChannel, accepts, waitForPort }

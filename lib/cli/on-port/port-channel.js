'use strict'

const { once } = require('node:events')
const fs = require('node:fs')
const net = require('node:net')
const os = require('node:os')
const path = require('node:path')

const PRELOAD = path.join(__dirname, 'preload.js')

/**
 * Where programs on Node.js tell the ports on which they listen. They reach it through the environment, which their own
 * children have as well, so that it may be `npm start` as well as `node server.js`.
 */
class PortChannel {
  /** @returns {Promise<PortChannel>} one that can be told */
  static async open () {
    const channel = new PortChannel()
    channel.server.listen(channel.path)
    await once(channel.server, 'listening')
    return channel
  }

  constructor () {
    this.folder = null
    this.path = this.choosePath()
    /** Which process has told its port; null as long as none has. */
    this.pid = null
    /** Resolves with the first port that is told. */
    this.port = new Promise((resolve) => {
      this.server = net.createServer((socket) => {
        socket.setEncoding('utf8')
        socket.on('error', () => {})
        socket.once('data', (text) => {
          const [port, pid] = text.split(' ').map((word) => parseInt(word, 10))
          this.pid ??= pid ?? null
          resolve(port)
        })
      })
    })
    this.server.unref()
  }

  choosePath () {
    if (process.platform === 'win32') return `\\\\.\\pipe\\cannonade-${process.pid}-${Date.now()}`
    this.folder = fs.mkdtempSync(path.join(os.tmpdir(), 'cannonade-'))
    return path.join(this.folder, 'ports')
  }

  /** What must be in the environment of a program that is to tell. */
  get environment () {
    // The quotes are for a path with spaces.
    const options = [process.env.NODE_OPTIONS, `--require ${JSON.stringify(PRELOAD)}`].filter(Boolean).join(' ')
    return { NODE_OPTIONS: options, CANNONADE_PORTS: this.path }
  }

  close () {
    this.server.close()
    if (this.folder !== null) fs.rmSync(this.folder, { recursive: true, force: true })
  }
}

module.exports = PortChannel

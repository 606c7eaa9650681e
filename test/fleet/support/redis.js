'use strict'

const { execFileSync, spawn } = require('node:child_process')
const fs = require('node:fs')
const net = require('node:net')
const os = require('node:os')
const path = require('node:path')
const { until } = require('../../support/wait')

const HINT = 'Redis is not installed: apt-get install redis-server'

/** Why tests that need Redis are skipped; false if it is installed. */
const isMissing = (() => {
  try {
    execFileSync('redis-server', ['--version'], { stdio: 'ignore' })
    return false
  } catch {
    return HINT
  }
})()

/**
 * Starts a Redis for this test, on a unix socket, without persistence.
 *
 * @param {object} t
 * @returns {Promise<{ path: string, kill: function(): Promise, start: function(): Promise, pid: number }>} `kill` ends it, and its data is
 *   lost;
 *   `start` starts a new one at the same path
 */
async function startRedis (t, words = []) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'fleet-'))
  const redis = { path: path.join(folder, 'redis.sock'), child: null, kill, start }

  async function start () {
    redis.child = spawn('redis-server', ['--port', '0', '--unixsocket', redis.path, '--save', '', '--appendonly', 'no', '--dir', folder, ...words], { stdio: 'ignore' })
    await until(() => answers(redis.path))
  }

  async function kill () {
    const { child } = redis
    if (child.exitCode !== null || child.signalCode !== null) return
    const gone = new Promise((resolve) => child.once('exit', resolve))
    child.kill('SIGKILL')
    await gone
    fs.rmSync(redis.path, { force: true })
  }

  t.teardown(async () => {
    await kill()
    fs.rmSync(folder, { recursive: true, force: true })
  })
  await start()
  return redis
}

function answers (socketPath) {
  return new Promise((resolve) => {
    const socket = net.connect(socketPath, () => socket.write('PING\r\n'))
    const end = (answer) => {
      socket.destroy()
      resolve(answer)
    }
    socket.once('data', (chunk) => end(chunk.toString().startsWith('+PONG')))
    socket.once('error', () => end(false))
  })
}

module.exports = { isMissing, startRedis }

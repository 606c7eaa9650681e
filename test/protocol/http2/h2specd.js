'use strict'

/*
 * The conformance tester for HTTP/2 clients, h2specd, a program in Go. This script builds it if Go is installed (`node
 * test/protocol/http2/h2specd.js`), and conformance.test.js runs it if it has been built.
 */

const { spawn, spawnSync } = require('node:child_process')
const fs = require('node:fs')
const net = require('node:net')
const os = require('node:os')
const path = require('node:path')
const { until } = require('../../support/wait')

const MODULE = 'github.com/summerwind/h2spec/cmd/h2specd@v2.2.1+incompatible'
const FOLDER = path.join(os.tmpdir(), 'cannonade-h2specd')
const BINARY = path.join(FOLDER, 'h2specd')
const HINT = 'h2specd is not there: build it with `node test/protocol/http2/h2specd.js`, where Go is installed'

/** @returns {string} '' if it was built; otherwise why not */
function build () {
  if (spawnSync('go', ['version']).error) return 'Go is not installed here'
  fs.mkdirSync(FOLDER, { recursive: true })
  const { status, stderr } = spawnSync('go', ['install', MODULE], { env: { ...process.env, GOBIN: FOLDER }, encoding: 'utf8' })
  return status === 0 ? '' : `it could not be built: ${stderr.trim().split('\n').at(-1)}`
}

/** Whether it has been built. */
function isBuilt () {
  return fs.existsSync(BINARY)
}

/**
 * Starts it: a server for each of its cases, on consecutive ports.
 *
 * @returns {Promise<{ ports: number[], verdicts: function(): string[], stop: function() }>} a verdict is a line that begins
 *   with ✔ or ×, with the lines below it; there is one for each connection
 */
async function start () {
  const { stdout } = spawnSync(BINARY, ['--dryrun', '--exec', 'true'], { encoding: 'utf8', timeout: 20_000 })
  const dryRun = (stdout.match(/^\s*(?:\S+ )?\d+: /gm) ?? []).length
  const count = dryRun > 10 ? dryRun : 57
  const first = await freePorts(count + 1)
  const child = spawn(BINARY, ['-f', String(first + 1), '-p', String(first), '-o', '30'], { timeout: 120_000, killSignal: 'SIGKILL' })
  let output = ''
  child.stdout.setEncoding('utf8').on('data', (text) => { output += text })
  child.stderr.setEncoding('utf8').on('data', (text) => { output += text })
  await until(() => output.includes('BROWSER'))
  return {
    ports: Array.from({ length: count }, (_, index) => first + 1 + index),
    verdicts: () => output.replace(/\x1b\[[0-9;]*m/g, '').split(/^(?=\s*[✔×])/m).filter((part) => /^\s*[✔×]/.test(part)), // eslint-disable-line no-control-regex
    stop: () => new Promise((resolve) => child.once('exit', resolve).kill('SIGKILL'))
  }
}

// A range of ports that are free now.
async function freePorts (count) {
  for (;;) {
    const first = 20_000 + Math.floor(Math.random() * 10_000)
    const servers = []
    try {
      for (let port = first; port < first + count; port++) {
        const server = net.createServer()
        servers.push(server)
        await new Promise((resolve, reject) => server.once('error', reject).listen(port, '127.0.0.1', resolve))
      }
      return first
    } catch { /* one of them is taken */ } finally {
      await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))))
    }
  }
}

module.exports = { isBuilt, start, HINT }

if (require.main === module) {
  const problem = isBuilt() ? '' : build()
  console.log(problem === '' ? `h2specd is at ${BINARY}` : `h2specd: ${problem}`)
  process.exitCode = problem === '' ? 0 : 1
}

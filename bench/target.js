'use strict'

// The server under test, in C if it can be compiled and otherwise in Node. One server serves one run, on a new port.

const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { spawnSync } = require('node:child_process')
const { hasNginx, startNginx } = require('./nginx')
const processes = require('./processes')
const { findProgram } = require('./tools')

const sources = path.join(__dirname, 'server')
const build = path.join(__dirname, 'build')

/**
 * When this process ends, also by a signal, all processes that it started are killed, and the target's files are removed.
 *
 * @param {'c' | 'node' | undefined} wish
 * @returns {object} `language` and `tlsLanguage` (C or Node), `hasTls`, `startServer(scenario, cores)`, and
 *   `bodyFile(bytes)` (the path of a file of that size, for tools that post one)
 */
function prepareTarget (wish) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'cannonade-bench-'))
  process.once('exit', () => {
    processes.killAll()
    fs.rmSync(folder, { recursive: true, force: true })
  })
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => process.exit(130))
  const node = { language: 'Node', command: [process.execPath, path.join(sources, 'server.js')] }
  const plain = (wish !== 'node' && compileServer('server', ['plain.c'])) || node
  const tls = (wish !== 'node' && compileServer('server-tls', ['tls.c', '-lssl', '-lcrypto'])) || node
  const certificate = makeCertificate(folder)
  let started = 0

  return {
    hasTls: certificate !== null,
    hasHttp2: hasNginx(),
    language: plain.language,
    tlsLanguage: tls.language,
    startServer (scenario, cores) {
      if (scenario.http2) return startNginx(fs.mkdtempSync(path.join(folder, 'nginx-')), cores)
      const { command } = scenario.tls ? tls : plain
      const counters = path.join(folder, `counters-${++started}`)
      const { kind, bytes } = scenario.response
      const words = [...command, counters, kind, String(bytes), ...scenario.tls ? [certificate] : []]
      return startServer(words, counters, scenario.tls ? 'https' : 'http', cores)
    },
    bodyFile (bytes) {
      const file = path.join(folder, `body-${bytes}`)
      if (!fs.existsSync(file)) fs.writeFileSync(file, Buffer.alloc(bytes, 'x'))
      return file
    }
  }
}

/** @returns {{ language: string, command: string[] } | null} null: there is no compiler, or no library for it */
function compileServer (name, rest) {
  const program = compile(name, sources, ['server.c', 'response.c', 'websocket.c', 'broadcast.c', ...rest])
  return program === null ? null : { language: 'C', command: [program] }
}

/** @returns {?string} the path of the program; null: there is no compiler, or no library for it */
function compile (name, folder, words) {
  const compiler = ['cc', 'gcc', 'clang'].find(findProgram)
  if (compiler === undefined) return null
  fs.mkdirSync(build, { recursive: true })
  const program = path.join(build, name)
  const { status } = spawnSync(compiler, ['-O2', '-o', program, ...words], { cwd: folder, stdio: 'ignore', timeout: 60_000 })
  return status === 0 ? program : null
}

/** A certificate for this run of the benchmark only: none has to be stored, and none expires. */
function makeCertificate (folder) {
  const [key, certificate, both] = ['key', 'certificate', 'both'].map((name) => path.join(folder, `${name}.pem`))
  const { status } = spawnSync('openssl', ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1',
    '-nodes', '-days', '2', '-subj', '/CN=localhost', '-keyout', key, '-out', certificate], { stdio: 'ignore', timeout: 60_000 })
  if (status !== 0) return null
  fs.writeFileSync(both, fs.readFileSync(key, 'latin1') + fs.readFileSync(certificate, 'latin1'), { mode: 0o600 })
  return both
}

async function startServer (command, counters, scheme, cores) {
  const child = processes.start(command, { cores, stdio: ['pipe', 'pipe', 'pipe'] })
  let complaint = ''
  child.stderr.on('data', (chunk) => { complaint += chunk })
  const port = await Promise.race([
    new Promise((resolve) => child.stdout.once('data', (line) => resolve(Number(line)))),
    child.ended.then((how) => { throw new Error(`the server did not start: ${complaint.trim() || how}`) })
  ])
  const file = fs.openSync(counters, 'r')
  return {
    url: `${scheme}://127.0.0.1:${port}/`,
    pid: child.pid,
    count: () => readCounters(file),
    async stop () {
      fs.closeSync(file)
      await processes.end(child)
    }
  }
}

/** The file has two 64-bit numbers for each process of the server. */
function readCounters (file) {
  const bytes = Buffer.alloc(16 * 64)
  const size = fs.readSync(file, bytes, 0, bytes.length, 0)
  const total = { requests: 0, connections: 0 }
  for (let at = 0; at < size; at += 16) {
    total.requests += Number(bytes.readBigUInt64LE(at))
    total.connections += Number(bytes.readBigUInt64LE(at + 8))
  }
  return total
}

module.exports = { prepareTarget, compile }

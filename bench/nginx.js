'use strict'

// nginx, the server of the HTTP/2 scenarios: one process on one core, which counts requests itself.

const fs = require('node:fs')
const http = require('node:http')
const net = require('node:net')
const path = require('node:path')
const { setTimeout: sleep } = require('node:timers/promises')
const processes = require('./processes')
const { findProgram } = require('./tools')

const MOST_MS_TO_START = 5000
const BODY = 'Hello, world!'

/** Whether it can be started here; on some systems it is only in the administrator's PATH. */
function hasNginx () {
  return programPath() !== undefined
}

function programPath () {
  if (findProgram('nginx')) return 'nginx'
  return ['/usr/sbin/nginx', '/usr/local/sbin/nginx'].find((file) => fs.existsSync(file))
}

/**
 * @param {string} folder for its files
 * @param {number[]} cores
 * @returns {Promise<object>} as the target's servers: `url`, `pid`, `count()`, `stop()`
 */
async function startNginx (folder, cores) {
  const [port, statusPort] = [await freePort(), await freePort()]
  const file = path.join(folder, 'nginx.conf')
  fs.writeFileSync(file, configuration(folder, port, statusPort))
  const child = processes.start([programPath(), '-p', folder, '-c', file], { cores, stdio: ['ignore', 'ignore', 'ignore'] })
  let asked = 0
  const count = async () => {
    const text = await get(statusPort)
    asked++
    const [active] = /\d+/.exec(text)
    const [, , requests] = /(\d+) (\d+) (\d+)/.exec(text).slice(1)
    // The request for the status counts as well.
    return { requests: Number(requests) - asked, connections: Number(active) - 1 }
  }
  const deadline = performance.now() + MOST_MS_TO_START
  for (;;) {
    try {
      await count()
      break
    } catch (error) {
      if (performance.now() > deadline) throw new Error(`nginx did not start: ${error.message}`)
      await sleep(20)
    }
  }
  return { url: `http://127.0.0.1:${port}/`, pid: child.pid, count, stop: () => processes.end(child) }
}

function configuration (folder, port, statusPort) {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${folder}/${name};`)
  return `
    daemon off; master_process off; pid ${folder}/nginx.pid; error_log ${folder}/error.log crit;
    events { worker_connections 8192; }
    http {
      ${temporary.join(' ')} access_log off; keepalive_requests 1000000000;
      server { listen 127.0.0.1:${port} http2; location / { default_type text/plain; return 200 "${BODY}"; } }
      server { listen 127.0.0.1:${statusPort}; location / { stub_status; } }
    }`
}

function get (port) {
  return new Promise((resolve, reject) => {
    http.get({ host: '127.0.0.1', port, agent: false }, (response) => {
      let text = ''
      response.setEncoding('latin1').on('data', (piece) => { text += piece }).on('end', () => resolve(text))
    }).on('error', reject)
  })
}

function freePort () {
  return new Promise((resolve, reject) => {
    const server = net.createServer().on('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address()
      server.close(() => resolve(port))
    })
  })
}

module.exports = { hasNginx, startNginx }

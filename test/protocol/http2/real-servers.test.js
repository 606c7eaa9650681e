'use strict'

const { spawn, spawnSync } = require('node:child_process')
const fs = require('node:fs')
const net = require('node:net')
const os = require('node:os')
const path = require('node:path')
const t = require('tap')
const { run } = require('../../..')
const { violations } = require('../../support/accounts')
const { until } = require('../../support/wait')

const DEADLINE = { timeout: 120_000, killSignal: 'SIGKILL' }
const has = (program, ...args) => spawnSync(program, args, DEADLINE).error === undefined
const ok = { skip: false }
const NGINX = has('nginx', '-v') ? ok : { skip: 'nginx is not there (Debian: apt-get install nginx-light)' }
const NGHTTPD = has('nghttpd', '--version') ? ok : { skip: 'nghttpd is not there (Debian: apt-get install nghttp2-server)' }

function folderOf (t) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'cannonade-'))
  t.teardown(() => fs.rmSync(folder, { recursive: true, force: true }))
  return folder
}

function start (t, program, args) {
  const child = spawn(program, args, DEADLINE)
  const server = { child, output: '' }
  child.stdout.setEncoding('utf8').on('data', (text) => { server.output += text })
  child.stderr.setEncoding('utf8').on('data', (text) => { server.output += text })
  server.stop = () => new Promise((resolve) => child.exitCode === null ? child.once('exit', resolve).kill('SIGTERM') : resolve())
  t.teardown(() => server.stop())
  return server
}

const WAYS = {
  'one stream': { amount: 200 },
  'many streams': { amount: 2000, connections: 3, pipelining: 16 },
  'the open model': { amount: 200, overallRate: 2000, pipelining: 4 },
  'hooks, and a sequence': { amount: 200, pipelining: 4, requests: [{ path: '/text' }, { path: '/missing', onResponse () {} }] },
  'large bodies': { amount: 20, pipelining: 4, url: '/large' },
  'a connection for each request': { amount: 20, keepAlive: false }
}

t.test("nginx's counts equal ours", NGINX, async (t) => {
  const folder = folderOf(t)
  const socketPath = path.join(folder, 'nginx.sock')
  fs.writeFileSync(path.join(folder, 'text'), 'Hello, world!\n')
  fs.writeFileSync(path.join(folder, 'large'), Buffer.alloc(3_000_000, 'x'))
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${folder}/${name};`).join(' ')
  fs.writeFileSync(path.join(folder, 'nginx.conf'), `
    daemon off; master_process off; pid ${folder}/pid; error_log ${folder}/error.log;
    events {}
    http { ${temporary} access_log ${folder}/access.log; keepalive_requests 150;
      server { listen unix:${socketPath} http2; root ${folder}; location = / { return 200 "ok"; } } }`)
  const server = start(t, 'nginx', ['-p', folder, '-c', path.join(folder, 'nginx.conf')])
  await until(() => fs.existsSync(socketPath))
  let counted = 0
  for (const [way, { url = '/', ...opts }] of Object.entries(WAYS)) {
    const result = await run({ url: `http://localhost${url}`, socketPath, http2: true, connections: 1, timeout: 100, ...opts })
    t.strictSame(violations(result), [], way)
    t.match(result.accounting, { sent: opts.amount, completed: opts.amount }, way)
    counted += opts.amount
  }
  // nginx ends each connection after 150 requests with a GOAWAY, and unprocessed requests are sent again.
  await server.stop()
  const lines = fs.readFileSync(path.join(folder, 'access.log'), 'latin1').split('\n').filter((line) => line.includes('HTTP/2.0"'))
  t.equal(lines.length, counted)
})

t.test("nghttpd's counts equal ours", NGHTTPD, async (t) => {
  const folder = folderOf(t)
  fs.writeFileSync(path.join(folder, 'index.html'), 'ok')
  fs.writeFileSync(path.join(folder, 'text'), 'Hello, world!\n')
  fs.writeFileSync(path.join(folder, 'large'), Buffer.alloc(3_000_000, 'x'))
  const port = await freePort()
  const server = start(t, 'nghttpd', ['-v', '--no-tls', '-a', '127.0.0.1', '-d', folder, String(port)])
  await until(() => canConnect(port))
  let counted = 0
  for (const [way, { url = '/', ...opts }] of Object.entries(WAYS)) {
    const result = await run({ url: `http://127.0.0.1:${port}${url}`, http2: true, connections: 1, timeout: 100, ...opts })
    t.strictSame(violations(result), [], way)
    t.match(result.accounting, { sent: opts.amount, completed: opts.amount }, way)
    counted += opts.amount
  }
  await until(() => (server.output.match(/recv HEADERS frame/g) ?? []).length === counted)
  t.pass(`${counted} requests`)
})

// Its SETTINGS, and how it writes; see nghttpd --help.
const VARIANTS = {
  'windows of 15 octets': { args: ['-w', '4'], length: 900 },
  'windows larger than usual': { args: ['-w', '20', '-W', '20'], length: 600_000 },
  'a header table of nothing, and padding': { args: ['-c', '0', '-b', '255'], length: 70_000 },
  'small header tables, and two streams at a time': { args: ['-c', '100', '--encoder-header-table-size', '50', '-m', '2'], length: 70_000 }
}

for (const [variant, { args, length }] of Object.entries(VARIANTS)) {
  t.test(`nghttpd receives bodies unchanged, and returns them: ${variant}`, NGHTTPD, async (t) => {
    const port = await freePort()
    start(t, 'nghttpd', ['--no-tls', '--echo-upload', '-a', '127.0.0.1', ...args, String(port)])
    await until(() => canConnect(port))
    const body = Array.from({ length: length / 10 }, (_, index) => String(index).padStart(10)).join('')
    const requests = [{ method: 'POST', body }, { method: 'POST', path: '/other', headers: { 'x-long': 'x'.repeat(200) }, body }]
    const result = await run({ url: `http://127.0.0.1:${port}`, http2: true, connections: 2, pipelining: 4, amount: 24, timeout: 100, requests, expectBody: body })
    t.strictSame(violations(result), [])
    t.match(result, { accounting: { sent: 24, completed: 24 }, mismatches: 0, connectionStats: { opened: 2 } })
  })
}

async function freePort () {
  const server = net.createServer()
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address()
  await new Promise((resolve) => server.close(resolve))
  return port
}

function canConnect (port) {
  return new Promise((resolve) => {
    const socket = net.connect(port, '127.0.0.1')
    socket.on('connect', () => resolve(true)).on('error', () => resolve(false)).on('close', () => resolve(false))
    socket.on('connect', () => socket.destroy())
  })
}

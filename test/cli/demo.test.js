'use strict'

const t = require('tap')
const net = require('node:net')
const path = require('node:path')
const { request } = require('../support/http-client')
const { until } = require('../support/wait')
const { startProcess } = require('./command')

const script = path.join(__dirname, '../../samples/demo.js')

function isListening (port) {
  return new Promise((resolve) => {
    const socket = net.connect(port, '127.0.0.1', () => { socket.destroy(); resolve(true) })
    socket.on('error', () => resolve(false))
  })
}

// True of a demo of any length.
async function checkOutput (t, { code, stdout, stderr }) {
  t.equal(code, 0)
  t.equal(stderr, '')
  t.notMatch(stdout, /[^\n\P{Cc}]/u, 'no control characters')
  // Text that programs match stays on one line, however long the server's name is.
  t.same(stdout.split('\n').filter((line) => line.length > (/[─│]/.test(line) ? 100 : 80) && !/ requests answered in /.test(line)), [])
  t.match(stdout, /│ Latency *│/)
  t.match(stdout, /│ 200 +│ \d+ +│/)
  t.match(stdout, /half of the requests were answered within \S+ ms/)
  t.match(stdout, / 0 failed/)
  t.match(stdout, 'npx cannonade --help')
  const [, port] = /listening at http:\/\/\S+:(\d+)\./.exec(stdout)
  t.notOk(await isListening(Number(port)), 'nothing remains')
}

t.test('the demo benchmarks its own server; Ctrl-C ends it with the result so far', async (t) => {
  const { kill, output, ended } = startProcess(t, ['600'], { script })
  const [, url] = await until(() => /listening at (http:\S+)\./.exec(output.stdout))
  await until(async () => JSON.parse((await request(`${url}/_stats`, { agent: false })).body).requests > 100)
  kill('SIGINT')
  const { stdout, ...rest } = await ended
  await checkOutput(t, { stdout, ...rest })
  t.match(stdout, 'Running 600s test @ http://')
  const [, seconds] = / requests in ([\d.]+)s/.exec(stdout)
  t.ok(seconds < 60, seconds)
})

t.test('by default it takes five seconds', async (t) => {
  const { kill, output, ended } = startProcess(t, [], { script })
  await until(() => output.stdout.includes('Running 5s test @ http://'))
  kill('SIGINT')
  t.equal((await ended).code, 0)
})

'use strict'

const t = require('tap')
const net = require('node:net')
const path = require('node:path')
const { until } = require('../support/wait')
const { runProcess, startProcess } = require('./command')

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

t.test('the demo benchmarks its own server', async (t) => {
  const { stdout, ...rest } = await runProcess(t, ['0.5'], { script })
  await checkOutput(t, { stdout, ...rest })
  t.match(stdout, 'Running 0.5s test @ http://')
  const [, seconds] = / requests in ([\d.]+)s/.exec(stdout)
  t.ok(seconds >= 0.5 && seconds < 5, seconds)
})

t.test('by default it takes five seconds; Ctrl-C ends it with the result so far', async (t) => {
  const { kill, output, ended } = startProcess(t, [], { script })
  await until(() => output.stdout.includes('Running 5s test @ http://'), 30_000)
  setTimeout(() => kill('SIGINT'), 500)
  const { stdout, ...rest } = await ended
  await checkOutput(t, { stdout, ...rest })
  t.notMatch(stdout, /requests in 5(\.\d+)?s/)
})

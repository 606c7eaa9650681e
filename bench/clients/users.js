'use strict'

// Ten users who send one request and think, and then many: prints how many KiB each of the others holds.

const { run } = require('../..')

const { kind, users, url } = JSON.parse(process.argv[2])
const LONG = 1000
const FEW = 10

const HOW = {
  // Each sends a request, and thinks; the next one belongs to the same connection.
  connections: {},
  sequence: { sessions: true, requests: [{}, { thinkTime: LONG }] },
  user: { user: async (user) => { await user.get('/'); await user.think(LONG) } }
}

async function held (connections) {
  const instance = run({ url, connections, duration: LONG, drain: 0, thinkTime: kind === 'user' ? undefined : LONG, ...HOW[kind] })
  await new Promise((resolve) => instance.on('tick', ({ requests }) => { if (requests >= connections) resolve() }))
  // Garbage of the last responses, and what was only needed for connecting.
  await new Promise((resolve) => setTimeout(resolve, 1000))
  const bytes = total()
  instance.stop()
  const { errors } = await instance
  if (errors > 0) throw new Error(`${errors} errors`)
  return bytes
}

function total () {
  global.gc()
  global.gc()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

async function main () {
  const few = await held(FEW)
  const many = await held(users)
  console.log((many - few) / (users - FEW) / 1024)
}

main().catch((error) => {
  console.error(error.message)
  process.exitCode = 1
})

'use strict'

/*
 * What --diagnose costs a server: CPU time per request and latency, with and without it in alternation, for a server that responds at once and for one
 * that works for most of a millisecond. The server itself counts its CPU time. node bench/profiler.js [rounds] [seconds]
 */

const http = require('node:http')
const { launch, run } = require('..')
const { median } = require('../lib/study/statistics/summaries')

const RATE = 400
const PATHS = { 'that answers at once': '/', 'that builds and serialises an object': '/object' }

async function main (rounds = 5, seconds = 3) {
  const servers = { without: await start(false), with: await start(true) }
  try {
    for (const [what, path] of Object.entries(PATHS)) {
      const all = { without: [], with: [] }
      for (let round = 0; round < rounds; round++) {
        const order = round % 2 === 0 ? ['without', 'with'] : ['with', 'without']
        for (const which of order) all[which].push(await measure(servers[which], path, seconds, which === 'with'))
      }
      console.log(`A server ${what}, ${RATE} requests per second:`)
      for (const which of ['without', 'with']) {
        const cpu = median(all[which].map((each) => each.cpu))
        // Other programs only make responses slower, so the best round is the most accurate; the worst one shows how much they do.
        const times = ['p50', 'p99'].map((name) => `${name} ${rangeOf(all[which].map((each) => each[name]))} ms`)
        console.log(`  ${which.padEnd(8)} ${cpu.toFixed(0)} us of CPU per request, ${times.join(', ')}`)
      }
      const more = median(all.with.map(({ cpu }, round) => cpu - all.without[round].cpu))
      console.log(`  the profiler: ${(more * RATE / 1e4).toFixed(1)}% of a core`)
    }
  } finally {
    for (const server of Object.values(servers)) await server.close()
  }
}

const rangeOf = (values) => `${Math.min(...values).toFixed(2)} to ${Math.max(...values).toFixed(2)}`

async function start (diagnose) {
  const server = await launch([process.execPath, __filename, 'serve'], { diagnose })
  for (const path of Object.values(PATHS)) await run({ url: server.url + path, overallRate: RATE, duration: 2 })
  return server
}

async function measure (server, path, seconds, isDiagnosed) {
  const used = async () => (await fetch(server.url + '/cpu')).json()
  const instance = run({ url: server.url + path, connections: 20, overallRate: RATE, duration: seconds, diagnose: isDiagnosed ? server : undefined })
  // Excludes the beginning and the end of the recording, which no request waits for.
  let from = null
  let to = null
  instance.once('start', async () => { from = await used() })
  instance.on('tick', () => { used().then((cpu) => { to = cpu }, () => {}) })
  const result = await instance
  return { cpu: (to.cpu - from.cpu) / (to.requests - from.requests), p50: result.latency.p50, p99: result.latency.p99 }
}

function serve () {
  let requests = 0
  http.createServer((request, response) => {
    requests++
    if (request.url === '/cpu') {
      const { user, system } = process.cpuUsage()
      response.end(JSON.stringify({ cpu: user + system, requests }))
    } else response.end(request.url === '/object' ? JSON.stringify(rows()) : 'hello')
  }).listen(0)
}

function rows () {
  return Array.from({ length: 1500 }, (_, id) => ({ id, name: `row ${id}`, tags: [id % 7, id % 11] })).filter(({ tags }) => tags[0] !== 3)
}

if (process.argv[2] === 'serve') serve()
else main(...process.argv.slice(2).map(Number))

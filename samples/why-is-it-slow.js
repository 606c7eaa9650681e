'use strict'

// A server is slow, and nobody knows why. A diagnosed run leads to the line of code.

const http = require('node:http')
const { launch, run, track } = require('..') // in your own program: require('cannonade')

async function main () {
  // This file, as a server in a process of its own. The command line would be: cannonade --diagnose -- node server.js
  const server = await launch([process.execPath, __filename, 'serve'], { diagnose: true })
  try {
    const instance = run({ url: server.url, connections: 4, duration: 2, diagnose: server })
    track(instance)
    const { diagnosis } = await instance

    console.log()
    for (const { code, message } of diagnosis.findings) console.log(`${code}: ${message}`)
    const [longest] = [...diagnosis.stalls].sort((a, b) => b.duration - a.duration)
    if (longest) {
      console.log(`After ${longest.at} s, ${longest.waiting} requests waited ${longest.duration} ms for`)
      for (const { function: name, file, line } of longest.stack) console.log(`  ${name} ${file}:${line}`)
    }
  } finally {
    await server.close()
  }
}

function serve () {
  const orders = Array.from({ length: 20_000 }, (_, id) => ({ id, total: (id * 7919) % 1000 }))
  let requests = 0

  const server = http.createServer((request, response) => {
    requests++
    response.end(JSON.stringify(requests % 20 === 0 ? report() : orders[requests]))
  })
  server.listen(0)

  // Nobody noticed while there were few orders.
  function report () {
    return orders.slice(0, 12_000).map(rankOf)
  }

  // Compares an order with all before it.
  function rankOf ({ total }, index) {
    let rank = 1
    for (let other = 0; other < index; other++) if (orders[other].total > total) rank++
    return rank
  }
}

if (process.argv[2] === 'serve') serve()
else main()

'use strict'

// Live metrics for Prometheus, so that you see a run on the same dashboards as its server. Requires `npm install prom-client`.

const { run, startServer } = require('..') // in your own program: require('cannonade')

async function main () {
  const server = await startServer({ port: 0, delay: 5 })
  const instance = run({
    title: 'orders',
    url: server.url,
    overallRate: 100,
    amount: 200,
    // Usually, you would use a fixed port. After the run, it waits up to 30 seconds until the last values have been read.
    prometheus: { port: 0, labels: { branch: 'main' }, linger: 30 }
  })

  instance.on('prometheus', ({ url }) => {
    console.log(`metrics at ${url}`)
    // Prometheus does this every 15 seconds or so.
    instance.on('linger', async () => {
      const page = await (await fetch(url)).text()
      console.log(page.split('\n').filter((line) => line.startsWith('cannonade_requests_total')).join('\n'))
    })
  })

  const { accounting } = await instance
  console.log(`${accounting.completed} of ${accounting.scheduled} completed`)
  await server.close()
}

main()

'use strict'

// A live page that shows a run while it lasts, and becomes its report when it is over. Open it in a browser while this runs.

const { run, startServer } = require('..') // in your own program: require('cannonade')

async function main () {
  const server = await startServer({ port: 0, delay: '5-20', errorRate: '1%' })
  const instance = run({
    title: 'orders',
    url: server.url,
    stages: '1s:50, 1s:50..200',
    sampleInt: 100,
    // Usually, you would use a fixed port, and a longer run. Only this machine can open the page, unless you set a host.
    dashboard: { port: 0 }
  })

  // Emitted before anything is sent. On the command line: cannonade --dashboard 8080 URL
  instance.on('dashboard', async ({ url }) => {
    console.log(`watch it at ${url}`)
    const page = await (await fetch(url)).text()
    console.log(`its title: ${/<title>(.*)<\/title>/.exec(page)[1]}`)
  })

  // The page's server ends once all open pages have the report, at most four seconds after the run.
  const { accounting } = await instance
  console.log(`${accounting.completed} of ${accounting.scheduled} completed`)
  await server.close()
}

main()

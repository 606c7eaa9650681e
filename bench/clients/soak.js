'use strict'

// One run with a connection for each request; prints a line about memory after each tenth of it.

const { run } = require('../..')

const { url, connections, amount, looks } = JSON.parse(process.argv[2])
const mebibytes = (bytes) => (bytes / 1024 / 1024).toFixed(1)

let told = 0
const instance = run({ url, connections, amount, keepAlive: false })
instance.on('tick', ({ requests }) => tell(requests))
instance.then(({ accounting, errors }) => {
  tell(accounting.completed)
  if (errors > 0 || accounting.completed !== amount) {
    console.error(`${errors} errors, ${accounting.completed} of ${amount} completed`)
    process.exitCode = 1
  }
}, (error) => {
  console.error(error.message)
  process.exitCode = 1
})

function tell (completed) {
  if (completed < (told + 1) * amount / looks) return
  told = Math.floor(completed / (amount / looks))
  global.gc()
  const { heapUsed, external, rss } = process.memoryUsage()
  console.log(`${completed.toLocaleString('en-US').padStart(11)} ${mebibytes(heapUsed + external).padStart(9)} ${mebibytes(rss).padStart(13)}`)
}

'use strict'

// A process that plays what a mutant is tried with: the steps in TRIED (JSON), each a test file below test/ or the seed of a
// random world. It says which one begins, so that somebody who waits for it knows for what.

const path = require('node:path')
const { catchUncaught } = require('../support/uncaught')

const steps = JSON.parse(process.env.TRIED)

let tap = null

function loadTap () {
  if (tap !== null) return
  catchUncaught(() => tap)
  tap = require('tap')
  tap.setTimeout(0)
}

async function playFile (file) {
  loadTap()
  const runner = require.cache[require.resolve('tap')]
  await tap.test(file, { timeout: 0 }, async (t) => {
    runner.exports = t
    require(path.join(__dirname, '..', file))
  })
}

async function playWorld (seed) {
  const playWorlds = require('../simulation/random/worlds')
  const { failures: [failure] } = await playWorlds({ seed, worlds: 1 })
  if (failure === undefined) return
  console.log(`not ok world ${seed}: ${failure.problems[0].slice(0, 300)}`)
  process.exit(1)
}

async function main () {
  for (const step of steps) {
    console.log(`begins ${typeof step === 'number' ? `world ${step}` : step}`)
    await (typeof step === 'number' ? playWorld(step) : playFile(step))
  }
  tap?.end()
  console.log('all is well')
  // What a test has left is not this process's affair.
  process.exit(process.exitCode ?? 0)
}

main().catch((error) => {
  console.log(`not ok ${error.stack}`)
  process.exit(1)
})

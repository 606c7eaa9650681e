'use strict'

// A process that runs the steps with which a mutant is tested: TRIED (JSON), each a test file below test/ or the seed of a random world. It
// announces each step, so that the waiting process knows its time limit.

const path = require('node:path')
const DIGESTS = require('../simulation/digests/worlds.json')
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
  const digestOfWorld = require('../simulation/random/digest')
  const playWorlds = require('../simulation/random/worlds')
  let digest = null
  const { failures: [failure] } = await playWorlds({ seed, worlds: 1 }, (played, drawn, outcome) => {
    digest = outcome && digestOfWorld(drawn, outcome)
  })
  if (failure !== undefined) failed(seed, failure.problems[0].slice(0, 300))
  if (seed < DIGESTS.length && digest !== DIGESTS[seed]) failed(seed, 'something that can be seen of it has changed')
}

function failed (seed, why) {
  console.log(`not ok world ${seed}: ${why}`)
  process.exit(1)
}

async function main () {
  for (const step of steps) {
    console.log(`begins ${typeof step === 'number' ? `world ${step}` : step}`)
    await (typeof step === 'number' ? playWorld(step) : playFile(step))
  }
  tap?.end()
  console.log('all is well')
  // Timers or sockets that a test left open must not keep this process alive.
  process.exit(process.exitCode ?? 0)
}

main().catch((error) => {
  console.log(`not ok ${error.stack}`)
  process.exit(1)
})

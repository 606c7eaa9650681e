'use strict'

// A process that plays what a mutant is tried with: the test files in TRIED (JSON: `{ files, worlds }`), then the random worlds
// with these seeds. It says which one begins, so that somebody who waits for it knows for what.

const path = require('node:path')
const { catchUncaught } = require('../support/uncaught')

const { files, worlds } = JSON.parse(process.env.TRIED)

async function playFiles () {
  catchUncaught(() => tap)
  const tap = require('tap')
  const runner = require.cache[require.resolve('tap')]
  tap.setTimeout(0)
  for (const file of files) {
    await tap.test(file, { timeout: 0 }, async (t) => {
      console.log(`begins ${file}`)
      runner.exports = t
      require(path.join(__dirname, '..', file))
    })
  }
  tap.end()
}

async function playTheWorlds () {
  const playWorlds = require('../simulation/random/worlds')
  for (const seed of worlds) {
    console.log(`begins world ${seed}`)
    const { failures: [failure] } = await playWorlds({ seed, worlds: 1 })
    if (failure !== undefined) {
      console.log(`not ok world ${seed}: ${failure.problems[0].slice(0, 300)}`)
      process.exit(1)
    }
  }
}

async function main () {
  if (files.length > 0) await playFiles()
  if (worlds.length > 0) await playTheWorlds()
  console.log('all is well')
  // What a test has left is not this process's affair.
  process.exit(process.exitCode ?? 0)
}

main().catch((error) => {
  console.log(`not ok ${error.stack}`)
  process.exit(1)
})

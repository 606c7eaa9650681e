'use strict'

// `npm run simulate -- --worlds 100000`: plays random worlds, and prints their coverage.

const { performance } = require('node:perf_hooks')
const { parseArgs } = require('node:util')

const PROGRESS_MS = 1000

const help = `npm run simulate -- [options]

  --worlds N   how many random worlds to play (default 1 with --seed, else 10000)
  --seed N     the seed of the first world (default 0); the others have the seeds that follow
  --help

Exits with 1 if a world is not as it must be, and prints it with the line that plays it again.
`

function readArguments (args) {
  const { values } = parseArgs({ args, options: { worlds: { type: 'string' }, seed: { type: 'string' }, help: { type: 'boolean' } } })
  const whole = (name, text, least) => {
    const number = /^\d+$/.test(text) ? Number(text) : NaN
    if (!(number >= least && number <= 2 ** 52)) throw new Error(`--${name} must be a whole number from ${least} to ${2 ** 52}; got ${JSON.stringify(text)}`)
    return number
  }
  const worlds = whole('worlds', values.worlds ?? (values.seed === undefined ? '10000' : '1'), 1)
  return { help: values.help === true, worlds, seed: whole('seed', values.seed ?? '0', 0) }
}

/**
 * @param {string[]} args
 * @param {{ stdout: object, stderr: object }} streams
 * @returns {Promise<number>} the exit code
 */
async function main (args, { stdout, stderr }) {
  let which
  try {
    which = readArguments(args)
  } catch (error) {
    stderr.write(`${error.message.split('\n', 1)[0]}\n`)
    return 2
  }
  if (which.help) {
    stdout.write(help)
    return 0
  }
  // Loaded after the arguments are read: it takes half a second.
  const playWorlds = require('./random/worlds')
  const startedAt = performance.now()
  const seconds = () => (performance.now() - startedAt) / 1000
  let toldAt = startedAt
  const { coverage, failures } = await playWorlds(which, (played) => {
    if (performance.now() - toldAt < PROGRESS_MS) return
    toldAt = performance.now()
    stderr.write(`${played} of ${which.worlds} worlds, ${Math.round(played / seconds())} per second\n`)
  })
  for (const { text } of failures) stdout.write(`${text}\n\n`)
  stdout.write(`${coverage}\n${failures.length === 0 ? 'All of them' : `All but ${failures.length}`} were as they must be (${seconds().toFixed(1)} s).\n`)
  return failures.length > 0 ? 1 : 0
}

if (require.main === module) {
  main(process.argv.slice(2), process).then((code) => { process.exitCode = code })
}

module.exports = main

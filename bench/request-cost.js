'use strict'

// The CPU time of a request, of variants of a run that take turns. Each run is a process of its own, so that code which was compiled for one
// variant is not used for another.

const { fork } = require('node:child_process')

const WARMUP_SECONDS = 0.5

/**
 * @param {object[]} variants `opts` of each run; `isBare`: without heat map
 * @param {{ rounds: number, seconds: number }} settings
 * @returns {Promise<Array<Array<{ us: number, missing: number }>>>} for each variant, each of its runs: CPU time of a request, and how many
 *   lines of a record are missing
 */
async function costsInTurns (variants, { rounds, seconds }) {
  const costs = variants.map(() => [])
  for (let round = 0; round < rounds; round++) {
    for (let turn = 0; turn < variants.length; turn++) {
      const which = (turn + round) % variants.length
      const { opts, isBare = false } = variants[which]
      costs[which].push(await measure({ ...opts, duration: seconds }, isBare))
    }
  }
  return costs
}

function measure (opts, isBare) {
  const child = fork(__filename, [JSON.stringify({ opts, isBare })])
  return new Promise((resolve, reject) => child.once('message', resolve).once('exit', () => reject(new Error('the client ended and reported nothing'))))
}

async function beClient ({ opts, isBare }) {
  const { run } = require('../')
  if (isBare) require('../lib/metrics/parts/heat').Heat.prototype.add = () => {}
  let before
  const instance = run({ ...opts, warmup: { duration: WARMUP_SECONDS } })
  instance.once('start', () => { before = process.cpuUsage() })
  const result = await instance
  const { user, system } = process.cpuUsage(before)
  const incomplete = result.warnings.find(({ code }) => code === 'RECORD_INCOMPLETE')
  process.send({ us: (user + system) / result.accounting.sent, missing: incomplete ? parseInt(incomplete.message.replaceAll(',', '')) : 0 }, () => process.exit())
}

if (require.main === module) beClient(JSON.parse(process.argv[2]))

module.exports = { costsInTurns }

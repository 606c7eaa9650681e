'use strict'

// A process that plays random worlds, and then those in which planted defects must be found, and sends the outcomes to its parent. One process
// for both, because code that has run for a while is faster.

const findDefects = require('./find-defects')
const digestOfWorld = require('./random/digest')
const playWorlds = require('./random/worlds')

async function main (count) {
  const digests = []
  const { coverage: { worlds, requests, occurred }, failures } = await playWorlds({ seed: 0, worlds: count }, (played, drawn, outcome) => {
    digests.push(outcome && digestOfWorld(drawn, outcome))
  })
  const defects = await findDefects()
  process.send({ worlds: { coverage: { worlds, requests, occurred: [...occurred.keys()] }, failures, digests }, defects }, () => process.disconnect())
}

main(Number(process.argv[2]))

'use strict'

// A process that plays random worlds, or those in which planted defects must be found, and sends the outcome to its parent.

const findDefects = require('./find-defects')
const playWorlds = require('./random/worlds')

const PLAYS = {
  async worlds (count) {
    const { coverage: { worlds, requests, occurred }, failures } = await playWorlds({ seed: 0, worlds: Number(count) })
    return { coverage: { worlds, requests, occurred: [...occurred.keys()] }, failures }
  },

  defects: () => findDefects()
}

async function main ([what, ...args]) {
  const said = await PLAYS[what](...args)
  process.send(said, () => process.disconnect())
}

main(process.argv.slice(2))

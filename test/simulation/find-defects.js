'use strict'

// `node test/simulation/find-defects.js` looks for each planted defect from the first world on, and records where it was found: the test
// starts there, so that it plays one world for a defect instead of dozens.

const fs = require('node:fs')
const path = require('node:path')
const DEFECTS = require('./defects')
const playWorlds = require('./random/worlds')

const FILE = path.join(__dirname, 'defect-seeds.json')

/**
 * @param {{ isFromStart?: boolean }} [options] `isFromStart`: ignores where each was found before. Otherwise the search starts there, and
 *   if a change of the draws has
 *   moved the defect, it is repeated from the first world
 * @returns {Promise<Array<{ name: string, failures: object[] }>>}
 */
async function findDefects ({ isFromStart = false } = {}) {
  const seeds = isFromStart ? {} : JSON.parse(fs.readFileSync(FILE, 'utf8'))
  const found = []
  for (const { name, plant, which } of DEFECTS) {
    const takeOut = plant()
    const there = seeds[name] === undefined ? { failures: [] } : await playWorlds({ ...which, seed: seeds[name], worlds: 1 })
    const { failures } = there.failures.length > 0 ? there : await playWorlds({ seed: 0, mostFailures: 1, ...which })
    takeOut()
    found.push({ name, failures })
  }
  return found
}

if (require.main === module) {
  findDefects({ isFromStart: true }).then((found) => {
    const seeds = found.filter(({ failures }) => failures.length > 0).map(({ name, failures }) => [name, failures[0].seed])
    fs.writeFileSync(FILE, `${JSON.stringify(Object.fromEntries(seeds), null, 2)}\n`)
    console.log(`${seeds.length} of ${found.length} defects were found.`)
  })
}

module.exports = findDefects

'use strict'

// The cost of `require()` of a library in addition to a bare Node, in CPU time of the process itself (user and system).

const path = require('node:path')
const { execFileSync } = require('node:child_process')

const modules = { cannonade: path.join(__dirname, '../'), autocannon: 'autocannon' }
const print = 'const used = process.cpuUsage(); process.stdout.write(String(used.user + used.system))'

const canMeasure = (name) => Object.hasOwn(modules, name)

/** @returns {{ startup: number }} milliseconds; of this round only, so use the median of many rounds */
function measureStartup (name) {
  const bare = cpuOf(print)
  const loaded = cpuOf(`require(${JSON.stringify(modules[name])}); ${print}`)
  return { startup: (loaded - bare) / 1000 }
}

function cpuOf (program) {
  return Number(execFileSync(process.execPath, ['-e', program], { cwd: __dirname, encoding: 'latin1', timeout: 20_000 }))
}

module.exports = { measureStartup, canMeasure }

'use strict'

// A process that plays as many random worlds as its argument says, and records which code they execute: `{ file: [[intervals, worlds], …]
// }`.

const fs = require('node:fs')
const { Session } = require('node:inspector')
const { promisify } = require('node:util')
const { executedIn, fileOf } = require('./executed')

async function main ([worlds, output]) {
  const session = new Session()
  session.connect()
  const ask = promisify(session.post.bind(session))
  await ask('Profiler.enable')
  await ask('Profiler.startPreciseCoverage', { callCount: true, detailed: true })
  const playWorlds = require('../simulation/random/worlds')
  const byFile = new Map()
  for (let seed = 0; seed < Number(worlds); seed++) {
    const { failures } = await playWorlds({ seed, worlds: 1 })
    if (failures.length > 0) throw new Error(failures[0].text)
    const { result } = await ask('Profiler.takePreciseCoverage')
    for (const script of result) note(byFile, script, seed)
  }
  const entries = [...byFile].map(([file, kinds]) => [file, [...kinds.values()]])
  fs.writeFileSync(output, JSON.stringify(Object.fromEntries(entries)))
}

// Most worlds execute the same parts of a file as others do.
function note (byFile, script, seed) {
  const file = fileOf(script)
  if (file === null) return
  if (!byFile.has(file)) byFile.set(file, new Map())
  const kinds = byFile.get(file)
  const intervals = executedIn(script)
  const key = intervals.join()
  if (!kinds.has(key)) kinds.set(key, [intervals, []])
  kinds.get(key)[1].push(seed)
}

main(process.argv.slice(2)).catch((error) => {
  console.error(error)
  process.exit(1)
})

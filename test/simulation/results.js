'use strict'

// `npm run simulate:results -- --write FILE` plays seeded worlds, of runs and of studies, and writes every field of their results;
// `--against FILE` plays them again and lists the differences. Use it before and after a change that must not change any number.

const fs = require('node:fs')
const { parseArgs } = require('node:util')
const { compare, findCapacity, findJamming, printResult, sweep, toHTML, toJUnit, toMarkdown, formatHttperf } = require('../..')
const digests = require('../support/digests')
const drawWorld = require('./random/draw')
const playWorld = require('./random/play')
const { simulate } = require('./world')

const MOST_DIFFERENCES = 20

/** The results of each kind of study with servers whose limits depend on the seed. */
const STUDIES = {
  sweep: (world, seed) => sweep({ url: world.server({ serviceTime: 10, slots: 2 + seed }).url, connections: 20 }, { rates: [50, 200, 400], duration: 1, pause: 0 }),
  capacity: (world, seed) => findCapacity({ url: world.server({ serviceTime: 20, slots: 1 + seed }).url, connections: 20 }, { rates: { from: 10, to: 400 }, duration: 2, pause: 0, slo: 'p99 < 100ms' }),
  comparison: (world, seed) => {
    const [a, b] = [10, 10 + seed].map((serviceTime, index) => ({ url: world.server({ host: `10.0.0.${index + 1}`, serviceTime, slots: 4 }).url, connections: 4 }))
    return compare([a, b], { rounds: 4, duration: 0.5, warmup: 0, pause: 0, seed, maxRegression: { p50: '10%' } })
  },
  jamming: (world, seed) => {
    const serviceTime = ({ peer }) => peer.server.openConnections.length * (1 + seed / 10)
    const { url } = world.server({ websocket: 'broadcast', slots: 1, serviceTime })
    return findJamming({ url: url.replace('http', 'ws') }, { connections: [5, 10], start: 20, step: 40, duration: 1, pause: 0, drain: 1, maxRate: 200 })
  }
}

/**
 * @param {number} worlds how many random runs
 * @param {number} studies how many of each kind
 * @yields {{ name: string, value: * }} plain data: the result, and the reports of it
 */
async function * playAll (worlds, studies) {
  for (let seed = 0; seed < worlds; seed++) {
    const drawn = drawWorld(seed)
    const { results, error } = await playWorld(drawn)
    yield { name: `run ${seed}`, value: plain({ results, error: error?.message, reports: results.map(reportsOf) }) }
  }
  for (const [kind, study] of Object.entries(STUDIES)) {
    for (let seed = 0; seed < studies; seed++) {
      const { value } = await simulate({ seed }, (world) => study(world, seed).then((answer) => answer, (error) => ({ error: error.message })))
      yield { name: `${kind} ${seed}`, value: plain({ answer: value, report: value.error ? null : shown(value) }) }
    }
  }
}

const shown = (value) => [{ columns: 80, isTTY: true }, {}].map((outputStream) => printResult(value, { outputStream, renderStatusCodes: true, renderLatencyTable: true }))

const reportsOf = (result) => result === undefined ? null : { shown: shown(result), html: toHTML(result), junit: toJUnit(result), markdown: toMarkdown(result), httperf: formatHttperf(result) }

const plain = (value) => JSON.parse(digests.plain(value))

/** The paths at which two values differ. */
function * differences (before, after, path = '') {
  if (Object.is(before, after)) return
  const areBoth = [before, after].every((value) => value !== null && typeof value === 'object')
  if (!areBoth) yield `${path}: ${short(before)} -> ${short(after)}`
  else for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) yield * differences(before[key], after[key], `${path}.${key}`)
}

function short (value) {
  const text = String(JSON.stringify(value))
  return text.length > 100 ? `${text.slice(0, 99)}…` : text
}

async function main (args) {
  const { values } = parseArgs({ args, options: { write: { type: 'string' }, against: { type: 'string' }, worlds: { type: 'string', default: '200' }, studies: { type: 'string', default: '5' } } })
  if ((values.write === undefined) === (values.against === undefined)) {
    console.error('npm run simulate:results -- --write FILE | --against FILE [--worlds 200] [--studies 5]')
    return 2
  }
  const before = values.against === undefined ? null : new Map(fs.readFileSync(values.against, 'utf8').trim().split('\n').map((line) => JSON.parse(line)).map(({ name, value }) => [name, value]))
  const lines = []
  let differing = 0
  let played = 0
  for await (const { name, value } of playAll(Number(values.worlds), Number(values.studies))) {
    played++
    if (before === null) {
      lines.push(JSON.stringify({ name, value }))
      continue
    }
    const found = before.has(name) ? [...differences(before.get(name), value)] : ['it was not played before']
    if (found.length > 0 && ++differing <= MOST_DIFFERENCES) console.log([name, ...found.slice(0, MOST_DIFFERENCES)].join('\n  '))
  }
  if (before === null) fs.writeFileSync(values.write, lines.join('\n') + '\n')
  console.log(before === null ? `${played} results were written.` : `${played - differing} of ${played} results are the same, field by field.`)
  return differing > 0 ? 1 : 0
}

main(process.argv.slice(2)).then((code) => { process.exitCode = code })

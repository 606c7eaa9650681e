'use strict'

// Which tests and random worlds execute which code, and how long they take: recorded once, valid until the test changes. If a file of lib/
// has changed since, any part of it may be executed. Files are named by their path below lib/ or test/, and recognized by their content, so
// a copy of the records is as good in another working copy.

const { createHash } = require('node:crypto')
const fs = require('node:fs')
const path = require('node:path')
const { performance } = require('node:perf_hooks')
const { executedIn, fileOf, isExecuted } = require('./executed')
const { play, startNode } = require('./try')

const ROOT = path.join(__dirname, '../..')
const TESTS = path.join(ROOT, 'test')
const KEPT = path.join(ROOT, 'node_modules/.cache/mutation')

function hash (text) {
  return createHash('sha256').update(text).digest('hex').slice(0, 16)
}

const hashOf = (file) => hash(fs.readFileSync(file))

function filesBelow (folder) {
  return fs.readdirSync(folder, { recursive: true }).filter((file) => file.endsWith('.js')).map((file) => path.join(folder, file)).sort()
}

class Records {
  constructor () {
    const lib = path.join(ROOT, 'lib')
    this.now = Object.fromEntries(filesBelow(lib).map((file) => [path.relative(lib, file).replaceAll(path.sep, '/'), hashOf(file)]))
    this.folder = KEPT
    fs.mkdirSync(KEPT, { recursive: true })
  }

  /** A record of this test that is still valid, or a new one. */
  async kept (name, test, record, isEnough = () => true) {
    const file = path.join(KEPT, `${name.replaceAll('/', '+')}.json`)
    if (fs.existsSync(file)) {
      const found = JSON.parse(fs.readFileSync(file, 'utf8'))
      if (found.test === test && isEnough(found)) return found
    }
    const made = { test, sources: this.now, ...await record() }
    // Failures are not stored: the test may pass later without a change to it.
    if (!made.problem) {
      // Whole, whenever another process reads it.
      fs.writeFileSync(`${file}.${process.pid}`, JSON.stringify(made))
      fs.renameSync(`${file}.${process.pid}`, file)
    }
    return made
  }

  /** @param {string} file of a test, below test/ */
  ofTest (file) {
    return this.kept(file, hashOf(path.join(TESTS, file)), () => recordTest(file))
  }

  /** The first worlds; a record of more contains them. */
  async ofWorlds (worlds) {
    const drawn = filesBelow(path.join(TESTS, 'simulation')).filter((file) => !file.endsWith('.test.js')).map(hashOf).join()
    const record = await this.kept('worlds', hash(drawn), () => recordWorlds(worlds), (found) => found.worlds >= worlds)
    return { ...record, worlds }
  }

  /** Whether the record of a file applies to its current content. */
  isOfNow ({ sources }, file) {
    return sources[file] === this.now[file]
  }

  executes (record, file, offset) {
    const intervals = record.executed[file]
    if (!this.isOfNow(record, file)) return true
    return intervals !== undefined && isExecuted(intervals, offset)
  }

  /** The seeds of the worlds that execute the code at this offset. */
  worldsOf (record, file, offset) {
    const isKnown = this.isOfNow(record, file)
    return (record.executed[file] ?? [])
      .flatMap(([intervals, seeds]) => !isKnown || isExecuted(intervals, offset) ? seeds.filter((seed) => seed < record.worlds) : [])
      .sort((a, b) => a - b)
  }
}

async function recordTest (file) {
  const folder = fs.mkdtempSync(path.join(KEPT, 'coverage-'))
  try {
    const begunAt = performance.now()
    const problem = await play([file], { env: { NODE_V8_COVERAGE: folder }, mostMs: () => 300_000 })
    const ms = performance.now() - begunAt
    return { ms, problem, executed: executedOf(folder) }
  } finally {
    fs.rmSync(folder, { recursive: true })
  }
}

// Each process and each thread wrote its own report.
function executedOf (folder) {
  const byFile = new Map()
  for (const name of fs.readdirSync(folder)) {
    const { result } = JSON.parse(fs.readFileSync(path.join(folder, name), 'utf8'))
    for (const script of result) {
      const file = fileOf(script)
      if (file === null) continue
      byFile.set(file, union(byFile.get(file) ?? [], executedIn(script)))
    }
  }
  return Object.fromEntries(byFile)
}

function union (some, others) {
  const boundaries = [...new Set([...some, ...others])].sort((a, b) => a - b)
  const intervals = []
  for (const boundary of boundaries) {
    const isIn = isExecuted(some, boundary) || isExecuted(others, boundary)
    if (isIn !== (intervals.length % 2 === 1)) intervals.push(boundary)
  }
  return intervals
}

async function recordWorlds (worlds) {
  const folder = fs.mkdtempSync(path.join(KEPT, 'worlds-'))
  try {
    const output = path.join(folder, 'executed.json')
    const { code, stderr } = await startNode([path.join(__dirname, 'record-worlds.js'), String(worlds), output], { mostMs: () => 1_200_000 })
    if (code !== 0) throw new Error(`The random worlds could not be recorded:\n${stderr}`)
    return { worlds, executed: JSON.parse(fs.readFileSync(output, 'utf8')) }
  } finally {
    fs.rmSync(folder, { recursive: true })
  }
}

module.exports = Records

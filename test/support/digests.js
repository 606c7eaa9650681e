'use strict'

// Compares many outputs, of values that are drawn from seeds, by their digests: a text of each would be too long to review.

const crypto = require('node:crypto')
const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')

// The last digits of a number depend on the version of Node.js, which computes powers and logarithms in its own way.
const rounded = (text) => text.replace(/\d+\.\d{9,}(?:e[-+]\d+)?/g, (number) => String(Number(Number(number).toPrecision(9))))
const digestOf = (text) => crypto.createHash('sha256').update(rounded(text)).digest('base64url').slice(0, 6)

async function digestsOf (outputsOf, seeds) {
  const all = []
  for (let seed = 0; seed < seeds; seed++) all.push(Object.fromEntries(Object.entries(await outputsOf(seed)).map(([name, text]) => [name, digestOf(text)])))
  return all
}

const linesOf = (kind, all) => `  ${JSON.stringify(kind)}: [\n${all.map((each) => `    ${JSON.stringify(each)}`).join(',\n')}\n  ]`

/**
 * Compares outputs with those of a fixture. After a change of them, WRITE_DOCUMENTS=1 writes the fixture anew. To see what has changed, print the outputs
 * before and after: `node test/support/print-drawn.js report/drawn/outputs run 17`.
 *
 * @param {object} t
 * @param {string} fixture path of a JSON file
 * @param {string} module below test/; its OUTPUTS has functions by kind, each from a seed to texts by name, or a promise of them
 * @param {Record<string, number>} seeds how many of each kind
 */
async function compareDigests (t, fixture, module, seeds) {
  const { OUTPUTS } = require(`../${module}`)
  const found = {}
  for (const [kind, outputsOf] of Object.entries(OUTPUTS)) found[kind] = await digestsOf(outputsOf, seeds[kind])
  if (process.env.WRITE_DOCUMENTS) fs.writeFileSync(fixture, `{\n${Object.entries(found).map(([kind, all]) => linesOf(kind, all)).join(',\n')}\n}\n`)
  const wanted = JSON.parse(fs.readFileSync(fixture, 'utf8'))
  t.same(Object.keys(wanted), Object.keys(found))
  for (const [kind, all] of Object.entries(found)) {
    t.equal(all.length, wanted[kind].length, kind)
    all.forEach((digests, seed) => t.strictSame(digests, wanted[kind][seed], `node test/support/print-drawn.js ${module} ${kind} ${seed}`))
  }
}

/**
 * Compares the digests of everything that can be seen of some worlds, the first with the seed 0, with those of a fixture. Checks say what must be true
 * of a world, and these whether anything of it has changed, right or wrong. WRITE_DOCUMENTS=1 accepts a change.
 *
 * @param {object} t
 * @param {string} fixture path of a JSON file
 * @param {Array<?string>} digests null for worlds that differ from machine to machine
 */
function compareWorlds (t, fixture, digests) {
  if (process.env.WRITE_DOCUMENTS) fs.writeFileSync(fixture, `[\n${digests.map((digest) => JSON.stringify(digest)).join(',\n')}\n]\n`)
  const before = JSON.parse(fs.readFileSync(fixture, 'utf8'))
  t.equal(digests.length, before.length)
  t.same(digests.flatMap((digest, seed) => digest === before[seed] ? [] : [seed]), [], 'the seeds of changed worlds')
}

const ROOT = path.join(__dirname, '..', '..')

// Much faster than a function that JSON.stringify calls for each part.
const ENVIRONMENT = /"environment":\{[^{}]*\},?/g
// What a process draws and counts for all of its runs: ids that replace [<id>] or separate the parts of a form, and keys of handshakes.
// And the lines in files of tests that errors of hooks name. Each with what it contains, since most texts have none.
const PASSING = [['./test/', /(?<=\.\/test\/[\w/-]+\.js):\d+:\d+/g], ['00000', /[\da-z]{12}0{5}[\da-z]{4}/g], ['Sec-WebSocket-Key', /(?<=Sec-WebSocket-Key: )[\w+/=]+/g]]

/** A value as JSON, without the process, the machine, the version, where files are, and lines of tests. */
function plain (value) {
  const text = JSON.stringify(value).replace(ENVIRONMENT, '').replaceAll(ROOT, '.').replaceAll(os.tmpdir(), '/tmp')
  return PASSING.reduce((text, [part, pattern]) => text.includes(part) ? text.replace(pattern, '…') : text, text)
}

module.exports = { compareDigests, compareWorlds, digestOf, plain }

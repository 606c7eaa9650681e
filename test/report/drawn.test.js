'use strict'

// Everything that is reported of drawn results and studies, in which any part may be there or not, and what is shown while drawn runs last. A digest of each
// output is compared with those of a fixture, so that nothing changes unnoticed. To see what has changed, print the outputs before and after:
// `node test/report/drawn/print.js run 17`.

const crypto = require('node:crypto')
const fs = require('node:fs')
const path = require('node:path')
const t = require('tap')
const { OUTPUTS } = require('./drawn/outputs')
const environment = require('./fixtures/environment')

const FIXTURE = path.join(__dirname, 'fixtures/drawn.json')
// How many of each kind.
const SEEDS = { run: 90, track: 60, script: 60 }
const OTHERS = 45

environment(t, { TERM: 'xterm', NO_COLOR: undefined })

const digest = (text) => crypto.createHash('sha256').update(text).digest('base64url').slice(0, 6)
const digestsOf = (outputs) => Object.fromEntries(Object.entries(outputs).map(([name, text]) => [name, digest(text)]))

async function drawn (kind) {
  const all = []
  for (let seed = 0; seed < (SEEDS[kind] ?? OTHERS); seed++) all.push(digestsOf(await OUTPUTS[kind](seed)))
  return all
}

// After a change of a report, WRITE_DOCUMENTS=1 writes the fixture anew.
const written = (found) => `{\n${Object.entries(found).map(([kind, all]) => `  ${JSON.stringify(kind)}: [\n${all.map((each) => `    ${JSON.stringify(each)}`).join(',\n')}\n  ]`).join(',\n')}\n}\n`

t.test('all drawn results', async (t) => {
  const found = {}
  for (const kind of Object.keys(OUTPUTS)) found[kind] = await drawn(kind)
  if (process.env.WRITE_DOCUMENTS) fs.writeFileSync(FIXTURE, written(found))
  const wanted = JSON.parse(fs.readFileSync(FIXTURE, 'utf8'))
  t.same(Object.keys(wanted), Object.keys(found))
  for (const [kind, all] of Object.entries(found)) {
    t.equal(all.length, wanted[kind].length, kind)
    all.forEach((digests, seed) => t.strictSame(digests, wanted[kind][seed], `node test/report/drawn/print.js ${kind} ${seed}`))
  }
})

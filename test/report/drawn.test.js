'use strict'

// Everything that is reported of drawn results and studies, in which any part may be there or not. A digest of each output is compared with those of a
// fixture, so that nothing that is reported changes unnoticed. To see what has changed, print the outputs before and after: `node test/report/drawn/print.js run 17`.

const crypto = require('node:crypto')
const fs = require('node:fs')
const path = require('node:path')
const t = require('tap')
const { outputsOfRun, outputsOfStudy } = require('./drawn/outputs')
const { KINDS } = require('./drawn/studies')

const FIXTURE = path.join(__dirname, 'fixtures/drawn.json')
const RUNS = 90
const STUDIES = 45

const digest = (text) => crypto.createHash('sha256').update(text).digest('base64url').slice(0, 6)
const digestsOf = (outputs) => Object.fromEntries(Object.entries(outputs).map(([name, text]) => [name, digest(text)]))

const DRAWN = { run: [RUNS, outputsOfRun], ...Object.fromEntries(KINDS.map((kind) => [kind, [STUDIES, (seed) => outputsOfStudy(kind, seed)]])) }

const found = Object.fromEntries(Object.entries(DRAWN).map(([kind, [most, outputsOf]]) => [kind, Array.from({ length: most }, (_, seed) => digestsOf(outputsOf(seed)))]))

// After a change of a report, WRITE_DOCUMENTS=1 writes the fixture anew.
const lines = (kinds) => Object.entries(kinds).map(([kind, all]) => `  ${JSON.stringify(kind)}: [\n${all.map((each) => `    ${JSON.stringify(each)}`).join(',\n')}\n  ]`).join(',\n')
if (process.env.WRITE_DOCUMENTS) fs.writeFileSync(FIXTURE, `{\n${lines(found)}\n}\n`)
const wanted = JSON.parse(fs.readFileSync(FIXTURE, 'utf8'))

for (const [kind, all] of Object.entries(found)) {
  t.test(`drawn results: ${kind}`, async (t) => {
    t.equal(all.length, wanted[kind].length)
    all.forEach((digests, seed) => t.strictSame(digests, wanted[kind][seed], `node test/report/drawn/print.js ${kind} ${seed}`))
  })
}

'use strict'

// Everything that is reported of drawn results and studies, in which any part may be there or not; what is shown while drawn runs last; and what the scripts of
// pages draw. Nothing of it changes unnoticed.

const path = require('node:path')
const t = require('tap')
const { textsOf } = require('./drawn/outputs')
const { drawnRun } = require('./drawn/runs')
const { KINDS, drawnStudy } = require('./drawn/studies')
const { compareDigests } = require('../support/digests')
const environment = require('./fixtures/environment')

environment(t, { TERM: 'xterm', NO_COLOR: undefined })

t.test('drawn results, studies and runs', (t) => compareDigests(t, path.join(__dirname, 'fixtures/drawn.json'), 'report/drawn/outputs', { run: 50, sweep: 28, capacity: 28, comparison: 28, jamming: 28, documents: 120, script: 24, track: 56 }))

// They would clear the screen, move the cursor, ring, or turn the direction of what follows.
const CONTROLS = '\u0007\u001b[2J\u009b1A\u2028\u202e'
// eslint-disable-next-line no-control-regex -- any but line feeds
const CONTROL = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2028\u202e]/

// What decides how something is shown, rather than being shown.
const WORDS = /^(kind|axis|ratesOf|start|finish|operator|url|verdict|unit|scale|metric|outcome|reason|limitedBy|phase|cause|regressionVerdict|threshold|latency)$/
const RECORDS = ['statuses', 'statusCodeStats', 'grpcStatus', 'errorCodes', 'closeCodes', 'metrics', 'phases']

/** With control characters at the end of each text, and of each name in a record. */
function hostile (value, name = '') {
  if (typeof value === 'string') return WORDS.test(name) ? value : value + CONTROLS
  if (Array.isArray(value)) return value.map((each) => hostile(each, name))
  if (value === null || typeof value !== 'object' || name === 'latency') return value
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [RECORDS.includes(name) ? key + CONTROLS : key, hostile(each, key)]))
}

t.test('control characters in any text, and in any name, reach no reader', async (t) => {
  const found = []
  const look = (name, value) => {
    for (const [output, text] of Object.entries(textsOf(value))) {
      const place = text.search(CONTROL)
      if (place !== -1) found.push(`${name}, ${output}: ${JSON.stringify(text.slice(Math.max(0, place - 60), place + 20))}`)
    }
  }
  for (let seed = 0; seed < 12; seed++) {
    look(`run ${seed}`, hostile(drawnRun(seed)))
    for (const kind of KINDS) look(`${kind} ${seed}`, { ...(kind === 'comparison' && { metrics: {} }), ...hostile(drawnStudy(kind, seed).study) })
  }
  t.same(found, [])
})

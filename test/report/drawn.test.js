'use strict'

// Everything that is reported of drawn results and studies, in which any part may be there or not; what is shown while drawn runs last; and what the scripts of
// pages draw. Nothing of it changes unnoticed.

const path = require('node:path')
const t = require('tap')
const { compareDigests } = require('../support/digests')
const environment = require('./fixtures/environment')

environment(t, { TERM: 'xterm', NO_COLOR: undefined })

t.test('drawn results, studies and runs', (t) => compareDigests(t, path.join(__dirname, 'fixtures/drawn.json'), 'report/drawn/outputs', { run: 90, sweep: 45, capacity: 45, comparison: 45, jamming: 45, script: 60, track: 100 }))

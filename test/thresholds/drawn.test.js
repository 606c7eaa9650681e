'use strict'

// No verdict of drawn thresholds on drawn results changes unnoticed.

const path = require('node:path')
const t = require('tap')
const { compareDigests } = require('../support/digests')

t.test('drawn thresholds', (t) => compareDigests(t, path.join(__dirname, 'drawn/digests.json'), 'thresholds/drawn/outputs', { verdicts: 300 }))

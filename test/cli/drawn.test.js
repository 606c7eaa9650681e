'use strict'

// No drawn command line becomes other options, or another error, unnoticed.

const path = require('node:path')
const t = require('tap')
const { compareDigests } = require('../support/digests')

t.test('drawn command lines', (t) => compareDigests(t, path.join(__dirname, 'drawn/digests.json'), 'cli/drawn/outputs', { lines: 360 }))

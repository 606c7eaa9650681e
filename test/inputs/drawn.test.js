'use strict'

// Nothing that is read from drawn inputs changes unnoticed, nor what is said of bad ones.

const path = require('node:path')
const t = require('tap')
const { compareDigests } = require('../support/digests')

t.test('drawn inputs', (t) => compareDigests(t, path.join(__dirname, 'drawn/digests.json'), 'inputs/drawn/outputs', { curl: 120, har: 90, replay: 90, sessions: 80, rows: 80, openapi: 120 }))

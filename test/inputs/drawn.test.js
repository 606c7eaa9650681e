'use strict'

// Nothing that is read from drawn inputs changes unnoticed, nor what is said of bad ones.

const path = require('node:path')
const t = require('tap')
const { compareDigests } = require('../support/digests')

t.test('drawn inputs', (t) => compareDigests(t, path.join(__dirname, 'drawn/digests.json'), 'inputs/drawn/outputs', { curl: 80, har: 60, replay: 60, sessions: 50, rows: 50, openapi: 80 }))

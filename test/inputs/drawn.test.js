'use strict'

// Nothing that is read from drawn inputs changes unnoticed, nor what is said of bad ones.

const path = require('node:path')
const t = require('tap')
const { compareDigests } = require('../support/digests')

t.test('drawn inputs', (t) => compareDigests(t, path.join(__dirname, 'drawn/digests.json'), 'inputs/drawn/outputs', { curl: 50, har: 30, replay: 40, sessions: 30, rows: 30, openapi: 40 }))

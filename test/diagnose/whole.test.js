'use strict'

// The diagnoses of drawn servers, whole: nothing of them changes unnoticed.

const path = require('node:path')
const t = require('tap')
const { compareDigests } = require('../support/digests')

t.test('drawn servers', (t) => compareDigests(t, path.join(__dirname, 'drawn.json'), 'diagnose/drawn-diagnoses', { diagnosis: 150 }))

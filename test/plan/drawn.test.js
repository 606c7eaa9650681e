'use strict'

// No plan, warning or error of drawn options changes unnoticed.

const path = require('node:path')
const t = require('tap')
const { compareDigests } = require('../support/digests')

t.test('drawn options', (t) => compareDigests(t, path.join(__dirname, 'drawn/digests.json'), 'plan/drawn/outputs', { plans: 200 }))

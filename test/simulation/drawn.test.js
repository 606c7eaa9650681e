'use strict'

const path = require('node:path')
const t = require('tap')
const { compareDigests } = require('../support/digests')

t.test('drawn mixtures of options', (t) => compareDigests(t, path.join(__dirname, 'drawn/digests.json'), 'simulation/drawn/outputs', { mixtures: 160 }))

'use strict'

// What pages, OpenTelemetry and Prometheus are told of drawn runs, whole: nothing of it changes unnoticed.

const path = require('node:path')
const t = require('tap')
const { compareDigests } = require('../support/digests')

t.test('drawn runs, told while they last', (t) => compareDigests(t, path.join(__dirname, 'fixtures/drawn.json'), 'watch/drawn', { dashboard: 30, telemetry: 30, prometheus: 20 }))

'use strict'

// Everything that can be seen of drawn studies: no number, verdict, warning, event or request changes unnoticed.

const path = require('node:path')
const t = require('tap')
const { compareDigests } = require('../support/digests')

t.test('drawn studies', (t) => compareDigests(t, path.join(__dirname, 'fixtures/drawn.json'), 'study/drawn/outputs', { sweep: 12, capacity: 14, comparison: 10, jamming: 6, mixed: 20 }))

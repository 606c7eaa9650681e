'use strict'

// Whole documents of studies: every table with the columns that only pages or only terminals have, every chart with its data, and every
// sentence.

const path = require('node:path')
const t = require('tap')
const { studyDocument } = require('../../lib/report/study-document')
const { compareDocuments } = require('./documents')
const { BY_CONNECTIONS, CAPACITY, COMPARISON, EDGES, JAMMING, SWEEP, USERS } = require('./fixtures/unique-studies')

const STUDIES = {
  sweep: SWEEP,
  'sweep of one target': { ...SWEEP, targets: SWEEP.targets.slice(0, 1), rows: SWEEP.rows.map((row) => ({ ...row, targets: row.targets.slice(0, 1) })), knee: SWEEP.knee[0], stoppedBy: 'stop' },
  'sweep by connections': BY_CONNECTIONS,
  capacity: CAPACITY,
  'capacity in connections': USERS,
  'capacity without an answer': { ...CAPACITY, capacity: 0, interval: [0, null], precision: null, seconds: null, connections: null, slo: [], reasons: [], steps: [], knee: null, limitedBy: '', limitingThreshold: '', target: { name: '' }, start: undefined },
  comparison: COMPARISON,
  'comparison without a verdict': { ...COMPARISON, confidence: null, falseAlarmRate: null, passed: null, regressionVerdict: '', method: '', finish: COMPARISON.start, comparisons: [{ ...COMPARISON.comparisons[0], regression: null, hot: null, verdict: 'no difference shown' }], sides: COMPARISON.sides.slice(0, 2), runs: [] },
  jamming: JAMMING,
  'jamming of one level': { ...JAMMING, levels: JAMMING.levels.slice(0, 1), payloads: null, limit: null },
  'two rates': EDGES.TWO_RATES,
  'one rate': EDGES.ONE_RATE,
  'few users': EDGES.FEW_USERS,
  'capacity without an agent': EDGES.LOST_AGENT,
  'capacity at the maximum': EDGES.AT_THE_MAXIMUM,
  'capacity that could not be sustained': EDGES.NOT_SUSTAINED,
  'capacity, nearly': EDGES.NEARLY,
  'comparison at the limits': EDGES.LIMITS,
  'jamming at nearly the same rates': EDGES.CLOSE,
  'jamming at the same rate': EDGES.EQUAL,
  'jamming, only begun': EDGES.BEGUN,
  'jamming of the generator': EDGES.OF_GENERATOR
}

const documentOf = (study) => studyDocument(JSON.parse(JSON.stringify(study)))

compareDocuments(t, path.join(__dirname, 'fixtures/study-documents.json'), Object.fromEntries(Object.entries(STUDIES).map(([name, study]) => [name, documentOf(study)])))

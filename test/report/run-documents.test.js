'use strict'

// Whole documents of runs, of one and of several side by side, as study-documents.test.js does it for studies: every table, every chart
// with its data, and every sentence.

const path = require('node:path')
const t = require('tap')
const runDocument = require('../../lib/report/run')
const { compareDocuments } = require('./documents')
const { AT_A_RATE, COPIES, EDGES, FLEET, FOREIGN, MANY, MESSAGES, NO_COPIES, OTHER, RUN, statistics } = require('./fixtures/unique')

const documentOf = (...results) => runDocument(results.map((result) => JSON.parse(JSON.stringify(result))), {})

compareDocuments(t, path.join(__dirname, 'fixtures/run-documents.json'), {
  'one run': documentOf(RUN),
  'two runs': documentOf(RUN, OTHER),
  'three runs': documentOf(OTHER, { ...OTHER, title: undefined, latencyBounds: { count: 3, share: 0.01, smallest: 5.5 } }, { ...RUN, diagnosis: null, heat: null }),
  'a rate': documentOf(AT_A_RATE),
  'a fleet': documentOf(FLEET),
  'of another program': documentOf(FOREIGN),
  'a rate and a fleet': documentOf(AT_A_RATE, FLEET),
  'at the edges': documentOf(EDGES),
  'many agents': documentOf(MANY),
  'edges side by side': documentOf(EDGES, MANY),
  'with an empty one beside it': documentOf({ ...MANY, grpcStatus: { OK: 30 }, latency: { ...statistics(0), totalCount: 0 }, timeline: [] }, EDGES, { ...MANY, grpcStatus: undefined }),
  'copies that nobody expected': documentOf(COPIES),
  'with copies and without': documentOf(COPIES, NO_COPIES),
  messages: documentOf(MESSAGES),
  'messages side by side': documentOf(MESSAGES, { ...MESSAGES, closeCodes: { 1001: 2 }, broadcast: undefined }, { ...MESSAGES, latency: statistics(16) })
})

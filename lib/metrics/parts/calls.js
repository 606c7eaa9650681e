'use strict'

const { suggest } = require('../../base/suggest')
const { OUTCOMES } = require('../../grpc/status')
const { counted } = require('../../words/numbers')
const { countOrNone } = require('../fields')
const { byLabel, counter } = require('../series')
const { definePart } = require('./part')

/** Counts gRPC calls by the name of their outcome. @param {object[]} endpoints whose `outcomes` are `[outcome, count]` */
function grpcStatus (endpoints) {
  const counts = {}
  for (const { outcomes } of endpoints) {
    for (const [outcome, count] of outcomes ?? []) counts[OUTCOMES[outcome]] = (counts[OUTCOMES[outcome]] ?? 0) + count
  }
  return counts
}

// Only names that gRPC defines are accepted: a threshold on a misspelled name could never fail.
const statusField = (whole) => ({
  example: 'UNAVAILABLE',
  entry: { ...countOrNone, whole },
  complaint (name) {
    const meant = OUTCOMES.includes(name) ? name : suggest(name, OUTCOMES)
    return meant === name ? null : `is not a gRPC status${meant === undefined ? '' : `: did you mean ${meant}?`}`
  }
})

// A server that sent these responses does not speak gRPC, or closed the stream early.
function statusMissing ({ grpcStatus, statusCodeStats }) {
  const { MISSING = 0, NO_MESSAGE = 0 } = grpcStatus ?? {}
  if (MISSING + NO_MESSAGE === 0) return null
  const parts = [
    MISSING > 0 && `${counted(MISSING, 'response')} had no grpc-status (MISSING; the HTTP status codes were ${Object.keys(statusCodeStats).join(', ')}), so the server may not be a gRPC server`,
    NO_MESSAGE > 0 && `${counted(NO_MESSAGE, 'response')} had the status OK but no message (NO_MESSAGE)`
  ]
  return { code: 'GRPC_STATUS_MISSING', message: `${parts.filter(Boolean).join('; ')}. These calls do not count as OK.` }
}

/** gRPC calls by their gRPC status. Each endpoint has its own counts: see ../endpoint.js. */
const calls = definePart({
  name: 'calls',
  isIn: ({ grpc }) => grpc !== null,
  condition: 'with grpc',
  contrast: 'whether they call gRPC',
  of: ({ endpoints }) => endpoints[0]?.outcomes ? endpoints : null,
  result: (endpoints) => ({ grpcStatus: grpcStatus(endpoints) }),
  ofEndpoint: (endpoint) => endpoint.outcomes ? { grpcStatus: grpcStatus([endpoint]) } : {},
  interim: (endpoints) => ({ grpcStatus: grpcStatus(endpoints) }),
  fields: { grpcStatus: statusField('completed') },
  endpointFields: { grpcStatus: statusField('endpoint') },
  warnings: [statusMissing],
  totals: (endpoints) => ({ calls: grpcStatus(endpoints) }),
  series: [
    counter('cannonade_grpc_calls_total', 'gRPC calls by status.', ({ calls = {} }) => byLabel('status', calls))
  ]
})

module.exports = { calls }

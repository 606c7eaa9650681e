'use strict'

const { refuseTraceparent, withoutTraceparent } = require('../values/headers')
const world = require('../world')
const TraceIds = require('../world/trace-ids')

/**
 * Throws if the headers contain a traceparent although the option of that name is set.
 *
 * @param {object} options as read
 * @throws {CannonadeError} CANNONADE_BAD_OPTION
 */
function checkTraceparent ({ traceparent, headers, requests, har, replay, websocket, grpc, scenarios }) {
  if (!traceparent) return
  const ofList = (list, where) => list.flatMap((request, index) => [
    [`${where}[${index}].headers`, request.headers],
    [`${where}[${index}].grpc.metadata`, request.grpc?.metadata]
  ])
  const places = [
    ['headers', headers],
    ['websocket.headers', websocket?.headers],
    ['grpc.metadata', grpc?.metadata],
    ...(har === null && replay === null ? ofList(requests, 'requests') : []),
    ...(scenarios ?? []).flatMap((scenario, index) => ofList(scenario.requests ?? [], `scenarios[${index}].requests`))
  ]
  for (const [where, given] of places) refuseTraceparent(given, where)
}

/** The random words that the trace ids of a run are made from; null without trace context. */
function createTraceKey ({ traceparent }) {
  return traceparent ? TraceIds.createKey((limit) => world.randomInt(limit)) : null
}

/** Returns a target whose requests carry a traceparent with ids of the run. */
function traced (target, key) {
  return key === null ? target : { ...target, traceparent: TraceIds.blankOf(key) }
}

/** Returns the options without the traceparents of recorded requests, which new ones replace. */
function withoutRecorded (options) {
  if (!options.traceparent || options.har === null) return options
  return { ...options, requests: options.requests.map((request) => ({ ...request, headers: withoutTraceparent(request.headers) })) }
}

module.exports = { checkTraceparent, createTraceKey, traced, withoutRecorded }

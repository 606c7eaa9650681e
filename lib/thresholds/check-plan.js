'use strict'

const { named, words } = require('../base/errors')
const { endpointGroups } = require('../metrics/endpoint-groups')
const { badThreshold } = require('./bad-threshold')

/**
 * Throws where it can be known beforehand that a run's result will not have what a threshold is about.
 *
 * @param {object[]} thresholds as parsed
 * @param {object} plan of it: its `requests`, `schedule`, `sessions`, `stream`, `websocket`, `grpc`, `monitor`, `targets`, `workers` and `warmup`
 * @throws {CannonadeError} CANNONADE_BAD_THRESHOLD
 */
function checkAgainstPlan (thresholds, plan) {
  for (const { threshold, field } of thresholds) {
    const complaint = complaintAbout(field, plan)
    if (complaint !== null) throw badThreshold(threshold, complaint)
  }
}

function complaintAbout ({ metric, path: [first, second, ...rest] }, plan) {
  switch (first) {
    case 'endpoints':
      return complaintAboutEndpoint(second, plan.requests) ?? (rest[0] === 'grpcStatus' ? complaintAbout({ metric, path: rest }, plan) : null)
    case 'rate':
    case 'sendDelay':
      if (plan.schedule !== null) return null
      return words`${metric} is there only under a schedule: give ${named('overallRate')}, ${named('connectionRate')}, ${named('stages')} or ${named('bursts')} as well`
    case 'monitor':
      if (plan.monitor === null) return `${metric} is there only with monitor, which names the processes to watch`
      return second < plan.monitor.length ? null : `there is no monitor[${second}]: ${plan.monitor.length === 1 ? 'one process is watched, monitor[0]' : `${plan.monitor.length} processes are watched, up to monitor[${plan.monitor.length - 1}]`}`
    case 'stream':
      return plan.stream === null ? `${metric} is there only with stream, which says that responses are streams of events` : null
    case 'sessions':
      return plan.sessions === null ? `${metric} is there only with sessions, which says that users come and go` : null
    case 'messages':
    case 'closeCodes':
      return plan.websocket === null ? `${metric} is there only with a ws: or wss: URL` : null
    case 'broadcast':
      return plan.websocket?.expect !== 'broadcast' ? `${metric} is there only with websocket.expect 'broadcast'` : null
    case 'grpcStatus':
      return plan.grpc === null ? `${metric} is there only with grpc` : null
    case 'connectTime':
      return second === 'tls' && plan.targets.every(({ secure }) => !secure) ? `${metric} is there only with https` : null
    case 'workers':
      return plan.workers === null ? 'this run has no workers' : null
    case 'warmup':
      if (plan.warmup === null) return 'this run has no warm-up'
      return complaintAbout({ metric, path: [second, ...rest] }, plan)
    default:
      return null
  }
}

function complaintAboutEndpoint (key, requests) {
  if (typeof key === 'number') {
    const { length } = endpointGroups(requests)
    if (key < length) return null
    const last = length === 1 ? 'endpoints[0]' : `up to endpoints[${length - 1}]`
    if (length < requests.length) return `there is no endpoints[${key}]: requests of the same title are one endpoint, and the run has ${length === 1 ? 'one' : length}, ${last}`
    return `there is no endpoints[${key}]: the run has ${length === 1 ? 'one request' : `${length} requests`}, ${last}`
  }
  return requests.some(({ title }) => title === key.title) ? null : `no request has the title '${key.title}'`
}

module.exports = { checkAgainstPlan }

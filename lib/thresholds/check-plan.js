'use strict'

const { badThreshold, named, words } = require('../base/errors')
const { endpointGroups } = require('../metrics/endpoint-groups')
const { PARTS } = require('../metrics/parts')

/**
 * Throws if the plan shows that the result of the run will not have the field that a threshold is about.
 *
 * @param {object[]} thresholds as parsed
 * @param {object} plan its `requests`, `isUserCode`, `schedule`, `sessions`, `stream`, `websocket`, `grpc`, `monitor`, `targets`, `workers` and `warmup`
 * @throws {CannonadeError} CANNONADE_BAD_THRESHOLD
 */
function checkAgainstPlan (thresholds, plan) {
  for (const { threshold, field } of thresholds) {
    const complaint = complaintAbout(field, plan)
    if (complaint !== null) throw badThreshold(threshold, complaint)
  }
}

// Parts by the names of their fields in a result.
const PART_OF = new Map(PARTS.flatMap((part) => Object.keys({ ...part.fields, ...part.endpointFields }).map((name) => [name, part])))

function complaintAbout ({ metric, path }, plan) {
  const [first, second, ...rest] = path
  switch (first) {
    case 'endpoints':
      return (plan.isUserCode ? null : complaintAboutEndpoint(second, plan.requests)) ?? (PART_OF.has(rest[0]) ? complaintAbout({ metric, path: rest }, plan) : null)
    case 'scenarios':
      return complaintAboutScenario(metric, second.name, plan.scenarios ?? null) ?? (PART_OF.has(rest[0]) && rest[0] !== 'sessions' ? complaintAbout({ metric, path: rest }, plan) : null)
    case 'connectTime':
      return second === 'tls' && plan.targets.every(({ secure }) => !secure) ? `${metric} exists only with https` : null
    case 'workers':
      return plan.workers === null ? 'this run has no workers' : null
    case 'warmup':
      if (plan.warmup === null) return 'this run has no warm-up'
      return complaintAbout({ metric, path: [second, ...rest] }, plan)
    default:
      return PART_OF.has(first) ? complaintAboutPart(PART_OF.get(first), metric, path, plan) : null
  }
}

function complaintAboutPart (part, metric, path, plan) {
  if (part.isIn(plan)) return part.complaint(path, plan)
  return typeof part.condition === 'string' ? `${metric} exists only ${part.condition}` : words`${metric} exists only ${part.condition}`
}

function complaintAboutScenario (metric, name, scenarios) {
  if (scenarios === null) return words`${metric} exists only with ${named('scenarios')}`
  if (scenarios.some((scenario) => scenario.name === name)) return null
  return `there is no scenario '${name}': this run has ${scenarios.map((scenario) => `'${scenario.name}'`).join(', ')}`
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

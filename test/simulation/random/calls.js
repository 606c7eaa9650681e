'use strict'

const path = require('node:path')
const loader = require('@grpc/proto-loader')
const { STATUSES, frameMessage } = require('../world/grpc')

const PROTO = path.join(__dirname, '../../protocol/grpc/shop.proto')
const METHOD = 'shop.Shop/Find'

let service
// Loaded lazily, because only some worlds need it.
const messageOf = (text) => {
  service ??= loader.loadSync(PROTO)['shop.Shop']
  return service.Find.responseSerialize({ text })
}

/** A drawn response to a gRPC call, as a setting of the simulated server, with the `text` of its message. */
function answerToCall (answer) {
  if (typeof answer !== 'object' || typeof answer.text !== 'string') return answer
  const message = messageOf(answer.text)
  return { ...answer, ...(answer.harm === undefined ? { message } : { body: harmed(frameMessage(message), answer.harm) }) }
}

// One byte shorter or longer than its prefix says.
function harmed (bytes, harm) {
  return harm === 'cut' ? bytes.subarray(0, -1) : Buffer.concat([bytes, Buffer.alloc(1)])
}

/** The options for calls; `{{id}}` in them comes from the feed. */
function optionsOfCalls ({ text }, hasFeed, hooks) {
  const message = { user_name: hasFeed ? `${text}{{id}}` : text }
  return { grpc: { proto: PROTO, method: METHOD, message }, requests: [hooks] }
}

/** The status of a call that was answered, by its name in `grpcStatus`. */
function outcomeOf (answer) {
  // An HTTP status, from a server without gRPC.
  if (typeof answer === 'number') return 'MISSING'
  const { status = 'OK', isHeadOnly = false, message } = typeof answer === 'string' ? { status: answer } : answer
  if (status === null) return 'MISSING'
  if (!STATUSES.includes(status)) return 'UNKNOWN'
  return status === 'OK' && (isHeadOnly || message === null) ? 'NO_MESSAGE' : status
}

const countBy = (values) => JSON.stringify(values.reduce((counts, value) => ({ ...counts, [value]: (counts[value] ?? 0) + 1 }), {}), [...new Set(values)].sort())

/**
 * Each call that was answered is counted by its status; anything other than OK is not 2xx.
 *
 * @param {Round} round
 */
function checkCalls ({ whole, result: { grpcStatus, non2xx, endpoints }, must }) {
  const outcomes = whole.map(({ answer }) => outcomeOf(answer))
  const seen = countBy(outcomes)
  for (const [whose, said] of [['the run', grpcStatus], ['its endpoint', endpoints[0].grpcStatus]]) {
    const told = JSON.stringify(said, Object.keys(said).sort())
    must(told === seen, `grpcStatus of ${whose} is ${told}, but calls ended ${seen}`)
  }
  const bad = outcomes.filter((outcome) => outcome !== 'OK').length
  must(non2xx === bad, `non2xx ${non2xx}, but ${bad} calls were not OK`)
}

module.exports = { answerToCall, checkCalls, outcomeOf, optionsOfCalls }

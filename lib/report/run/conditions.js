'use strict'

const numbers = require('../../words/numbers')
const provenance = require('../provenance')
const { modelInWords, targets } = require('./runs')

/** Returns the test conditions: the target, the connections, and how busy the load generator was. @returns {Array<[string, string]>} */
function conditionsOf (result) {
  const { pipelining, workers, sampleInt, duration, drain, warmup, bytes, start } = result
  return [
    ['Target', targets(result).join(', ')],
    ['Started', numbers.moment(start)],
    ['Duration', numbers.span(duration)],
    ['Model', modelInWords(result)],
    pipelining > 1 && ['Pipelining', numbers.count(pipelining)],
    workers > 0 && ['Workers', numbers.count(workers)],
    warmup && ['Warm-up', `${numbers.span(warmup.duration)}, excluded from the numbers`],
    drain?.seconds > 0 && ['Drain', `${numbers.span(drain.seconds)} after the end, during which ${numbers.count(drain.completed)} more completed`],
    numbers.isNumber(sampleInt) && ['Sample interval', numbers.span(sampleInt / 1000)],
    ['Connections', connectionsOf(result)],
    ['Time to connect', connectTimeOf(result)],
    bytes && ['Bytes', `${numbers.size(bytes.read)} read, ${numbers.size(bytes.written)} written`],
    ['Load generator', generatorOf(result)],
    ...provenance(result.environment)
  ].filter((row) => row && row[1] !== '')
}

function connectionsOf ({ connectionStats }) {
  if (!connectionStats) return ''
  const { opened, failed, closedByServer, closedByClient, peak } = connectionStats
  return [
    `${numbers.count(opened)} opened`,
    `at most ${numbers.count(peak)} at a time`,
    failed > 0 && `${numbers.count(failed)} failed`,
    closedByServer > 0 && `${numbers.count(closedByServer)} closed by the server`,
    closedByClient > 0 && `${numbers.count(closedByClient)} closed by Cannonade`
  ].filter(Boolean).join(', ')
}

function connectTimeOf ({ connectTime }) {
  if (!(connectTime?.totalCount > 0)) return ''
  const parts = [['DNS', 'dns'], ['TCP', 'tcp'], ['TLS', 'tls']]
    .filter(([, key]) => connectTime[key]?.totalCount > 0)
    .map(([name, key]) => `${name} ${numbers.time(connectTime[key].p50)}`)
  return `median ${numbers.time(connectTime.p50)}, longest ${numbers.time(connectTime.max)}${parts.length > 1 ? ` (medians: ${parts.join(', ')})` : ''}`
}

// How a generator whose delays are part of the numbers is described, by `generator.cause`.
const SATURATED = { process: 'saturated', machine: 'held up by other programs on the machine', hooks: 'held up by hooks or listeners' }

function generatorOf ({ generator }) {
  if (!generator) return ''
  const utilization = generator.eventLoop?.utilization
  return [
    numbers.isNumber(generator.cpu?.percent) && `${numbers.percent(generator.cpu.percent / 100)} of a CPU core`,
    numbers.isNumber(utilization) && `event loop busy ${numbers.percent(utilization)} of the time`,
    generator.saturated ? `${SATURATED[generator.cause] ?? 'saturated'}: the numbers include its delays` : 'not saturated'
  ].filter(Boolean).join(', ')
}

module.exports = { conditionsOf }

'use strict'

const { contradiction } = require('../../base/errors')
const { readRecorded } = require('../har')
const { har } = require('../../values/har')
const { headerList } = require('../../values/headers')
const { Groups } = require('./groups')
const { shared } = require('./scan')
const { timing } = require('./timing')

const MOST_NAMED = 3

/**
 * Plans the replay of a HAR file at the recorded start times. All its requests are held in memory; requests to other
 * origins are skipped.
 *
 * @param {object} content parsed
 * @param {{ speed: number, limit: number }} replay
 * @param {object[]} targets of the plan
 * @returns {object} see planReplay
 */
function readHar (content, { speed, limit }, targets) {
  if (targets.length > 1) throw contradiction('replay', 'url', 'a HAR file does not say which of several URLs its requests go to')
  const { requests, skipped, others, origin } = readRecorded(har.read(content, 'replay.file'), targets[0])
  const taken = requests.slice(0, limit)
  const groups = new Groups()
  const { times, order, duration, first } = timing(Float64Array.from(taken, ({ time }) => time), speed, (length) => shared(Float64Array, length))
  const entries = order === null ? taken : Array.from(order, (index) => taken[index])
  const endpoints = shared(Uint16Array, entries.length)
  entries.forEach((request, index) => { endpoints[index] = groups.numberOf(request) })
  return {
    format: 'har',
    count: entries.length,
    times,
    places: null,
    lengths: null,
    groups: groups.settle(endpoints),
    endpoints,
    entries: entries.map(({ method, path, headers, body }) => ({ method, path, headers: headerList(headers), body })),
    duration,
    first,
    leftOut: { count: 0, first: '' },
    elsewhere: skipped.length === 0 ? '' : `its requests go to ${others.slice(0, MOST_NAMED).join(', ')}${others.length > MOST_NAMED ? ', …' : ''}, and the target is ${origin}`,
    warnings: skipped
  }
}

module.exports = { readHar }

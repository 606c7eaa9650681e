'use strict'

const { kind, choice, ofParts, toNumber, wholeNumber } = require('../../values/kinds')

const file = kind('the path of a log', (value) => typeof value === 'string' && value !== '' ? value : undefined)
const format = choice('common', 'combined', 'jsonl', 'har')
const limit = wholeNumber(1)
const speed = kind('a number greater than 0: 2 replays twice as fast as recorded', (value) => {
  const number = toNumber(value)
  return number > 0 ? number : undefined
})

/** A log to replay: `{ file, format, speed, limit }`, or only its path. The file is read later. */
const replay = ofParts({ file, format, speed, limit }, {
  defaults: { format: null, speed: 1, limit: Infinity },
  needs: ['file'],
  shorthand: { part: 'file', accepts: (value) => typeof value === 'string' },
  allowed: 'the path of a log, or { file, format, speed, limit }'
})

module.exports = { replay }

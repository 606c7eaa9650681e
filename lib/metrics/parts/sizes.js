'use strict'

const { each, group, leaf } = require('../fields')
const { definePart } = require('./part')

// Bytes of a response, in the mean.
function replySize ({ completed, headBytes, contentBytes, footerBytes }) {
  const perReply = (bytes) => completed === 0 ? 0 : Math.round(bytes / completed * 1000) / 1000
  return { head: perReply(headBytes), content: perReply(contentBytes), footer: perReply(footerBytes) }
}

/** What complete responses were made of. */
const sizes = definePart({
  name: 'sizes',
  counters: ['headBytes', 'contentBytes', 'footerBytes'],
  of: ({ counters }) => counters,
  result: (counters) => ({ replySize: replySize(counters) }),
  fields: { replySize: group('content', each(['head', 'content', 'footer'], leaf('bytes'))) }
})

module.exports = { sizes }

'use strict'

const { thousandth } = require('../../base/rounding')
const { each, from, group, leaf } = require('../fields')
const { definePart } = require('./part')

// Average bytes per response.
function replySize ({ completed, headBytes, contentBytes, footerBytes }) {
  const perReply = (bytes) => completed === 0 ? 0 : thousandth(bytes / completed)
  return { head: perReply(headBytes), content: perReply(contentBytes), footer: perReply(footerBytes) }
}

/** Sizes of the parts of complete responses. */
const sizes = definePart({
  name: 'sizes',
  counters: ['headBytes', 'contentBytes', 'footerBytes'],
  of: ({ counters }) => counters,
  result: (counters) => ({ replySize: replySize(counters) }),
  fields: { replySize: group('content', each(['head', 'content', 'footer'], from('completed', leaf('bytes')))) }
})

module.exports = { sizes }

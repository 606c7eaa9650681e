'use strict'

const hello = (request, response) => response.end('hello')

/**
 * A handler that answers the first `count` requests when all of them are there, and all others at once: so each of several
 * connections has one before the first of them has had all answers.
 */
function together (count, handler = hello) {
  let waiting = []
  return (request, response) => {
    if (waiting === null) return handler(request, response)
    waiting.push([request, response])
    if (waiting.length < count) return
    for (const each of waiting) handler(...each)
    waiting = null
  }
}

module.exports = { together }

'use strict'

const hello = (request, response) => response.end('hello')

/**
 * Returns a handler that responds to the first `count` requests when all of them have arrived, and to all others at once. So each of
 * several connections has sent a request before the first of them gets all responses.
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

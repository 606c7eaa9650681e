'use strict'

/*
 * What is sent, in words: with WebSocket a request is a message (docs/realtime.md), and nobody who reads of his messages should have to
 * know that. What programs read keeps its names.
 */

const WEBSOCKET_URL = /^wss?:/i

/** What one result counts, or several together. @param {...object} results @returns {'request'|'message'} */
function nounOf (...results) {
  return wordFor(results.length > 0 && results.every((result) => Boolean(result?.messages)))
}

/** What a run with these options sends. @param {object} opts `instance.opts`, or a plan */
function nounOfOptions ({ url, websocket, socketio }) {
  return wordFor(Boolean(websocket || socketio) || WEBSOCKET_URL.test([url].flat()[0] ?? ''))
}

function wordFor (isMessage) {
  return isMessage ? 'message' : 'request'
}

/** In the tables of a terminal, as short as autocannon has it; programs look for that name. @param {{ isForPrograms?: boolean }} style */
function shortNoun (result, { isForPrograms = false }) {
  return !isForPrograms && nounOf(result) === 'message' ? 'Msg' : 'Req'
}

/** What has become of those that are complete: a message may wait for nothing, or for its copy. @param {string} noun */
function doneOf (noun) {
  return noun === 'message' ? 'completed' : 'answered'
}

/** At the head of a column: `Messages`. @param {string} noun */
function headOf (noun) {
  return `${noun[0].toUpperCase()}${noun.slice(1)}s`
}

module.exports = { doneOf, headOf, nounOf, nounOfOptions, shortNoun }

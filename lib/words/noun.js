'use strict'

/*
 * The word for what is sent: with WebSocket, requests are messages (docs/realtime.md), and people who read about messages should not
 * have to know that. Output for programs keeps its names.
 */

const WEBSOCKET_URL = /^wss?:/i

/** The word for what one result counts, or several together. @param {...object} results @returns {'request'|'message'} */
function nounOf (...results) {
  return wordFor(results.length > 0 && results.every((result) => Boolean(result?.messages)))
}

/** The word for what a run with these options sends. @param {object} opts `instance.opts`, or a plan */
function nounOfOptions ({ url, websocket, socketio }) {
  return wordFor(Boolean(websocket || socketio) || WEBSOCKET_URL.test([url].flat()[0] ?? ''))
}

function wordFor (isMessage) {
  return isMessage ? 'message' : 'request'
}

/** The short form for tables in a terminal, as in autocannon; programs look for that name. @param {{ isForPrograms?: boolean }} style */
function shortNoun (result, { isForPrograms = false }) {
  return !isForPrograms && nounOf(result) === 'message' ? 'Msg' : 'Req'
}

/** The word for completed requests or messages: a message may need no answer, or wait for its copy. @param {string} noun */
function doneOf (noun) {
  return noun === 'message' ? 'completed' : 'answered'
}

/** The heading of a column: `Messages`. @param {string} noun */
function headOf (noun) {
  return `${noun[0].toUpperCase()}${noun.slice(1)}s`
}

module.exports = { doneOf, headOf, nounOf, nounOfOptions, shortNoun }

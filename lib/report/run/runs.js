'use strict'

const { count, isNumber, rate } = require('../../words/numbers')
const { nounOf } = require('../../words/noun')
const { clean: shown, cleanName, cleanUrl: shownUrl } = require('../text')

const LONGEST_NAME = 60

/**
 * Gives each result of a page a unique name.
 *
 * @param {object[]} results
 * @returns {Array<{ name: string, result: object }>}
 */
function namedRuns (results) {
  const names = results.map((result, index) => shorten(ownName(result)) || `Run ${index + 1}`)
  return results.map((result, index) => {
    const isUnique = names.filter((name) => name === names[index]).length === 1
    return { name: isUnique ? names[index] : `${names[index]} (${index + 1})`, result }
  })
}

function ownName ({ title, url, socketPath }) {
  if (title) return cleanName(title)
  return targets({ url, socketPath }).join(', ')
}

function shorten (name) {
  return name.length > LONGEST_NAME ? `${name.slice(0, LONGEST_NAME - 1)}…` : name
}

/** Returns the targets for display, without secrets. */
function targets ({ url, socketPath }) {
  const urls = [url].flat().filter(Boolean).map(shownUrl)
  return socketPath ? [...urls, `socket ${shown(socketPath)}`] : urls
}

/** Describes the load model, in a sentence without a full stop. */
function modelInWords (result) {
  const { rate: rates, connections, pipelining, sessions } = result
  if (sessions) return usersInWords(sessions, rates, connections)
  const noun = nounOf(result)
  const over = `${connectionsInWords(connections)}${pipelining > 1 ? `, ${count(pipelining)} ${noun}s at a time on each` : ''}`
  return rates
    ? `open model: ${rate(rates.offered)} ${noun}s per second came due, over ${over}`
    : `closed model: ${over}, each sending its next ${noun} when the previous ${noun === 'message' ? 'reply' : 'response'} has arrived`
}

// With sessions, users come due, and bring connections of their own.
function usersInWords ({ rate: users }, rates, connections) {
  if (rates && isNumber(users?.offered)) return `open model: ${rate(users.offered)} sessions per second came due`
  const most = isNumber(connections) ? count(connections) : 'some'
  return `closed model: ${most} ${connections === 1 ? 'session' : 'sessions'} at a time, each followed by the next when it is over`
}

function connectionsInWords (connections) {
  if (!isNumber(connections)) return 'connections'
  return connections === 1 ? 'one connection' : `${count(connections)} connections`
}

module.exports = { modelInWords, namedRuns, targets }

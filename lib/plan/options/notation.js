'use strict'

const fs = require('node:fs')
const { optionError, optionProblem } = require('../../base/errors')
const { toSeconds } = require('../../values/duration')
const { ORDERS } = require('../../inputs/feed')
const { toNumber } = require('../../values/kinds')
const { holdsCertificate } = require('../tls')
const { readFile } = require('../read-file')

/*
 * How values of options are written on a command line. These functions only split the text; the option's own `read` checks
 * the parts.
 */

/** A number where the text is one; otherwise the text, which may be a duration or a mistake. */
function number (text) {
  return toNumber(text) ?? text
}

/** A length of time in seconds where the text is one; otherwise the text. */
function seconds (text) {
  return toSeconds(text) ?? text
}

/** `20` events, or a length of time such as `5s`. */
function streamLimit (text) {
  return toNumber(text) ?? { seconds: text }
}

/** `10`, or `10..100/30s` for a number of connections that grows from 10 to 100 within 30 seconds. */
function connections (text) {
  if (!text.includes('..')) return number(text)
  const ramp = /^(.*?)\.\.(.*?)\/(.*)$/.exec(text)
  if (ramp === null) throw optionError('connections', text, 'a number, or FROM..TO/SEC such as 10..100/30s')
  return { from: number(ramp[1]), to: number(ramp[2]), over: number(ramp[3]) }
}

/** `0.5`, or `0.2..1.5` for a range, or `mean:0.5` for pauses of that mean. */
function thinkTime (text) {
  if (text.startsWith('mean:')) return { mean: number(text.slice('mean:'.length)) }
  return text.includes('..') ? text.split('..').map(number) : number(text)
}

/** `100/5s`: a hundred requests, again every five seconds. */
function bursts (text) {
  const slash = text.indexOf('/')
  if (slash === -1) throw optionError('bursts', text, 'SIZE/SEC, such as 100/5s')
  return { size: number(text.slice(0, slash)), interval: number(text.slice(slash + 1)) }
}

/** `K=V` or `K:V`: the first of the two signs ends the name, and the rest is kept as it is. */
function header (text) {
  const end = text.search(/[=:]/)
  if (end < 1) {
    const sentence = `An HTTP header was not correctly formatted: ${text}`
    throw optionProblem('headers', sentence)
  }
  return [text.slice(0, end), text.slice(end + 1)]
}

/** The bytes of a file; `what` says what it is for. */
function file (what) {
  return (path) => readFile(path, what)
}

/** The bytes of a file that has to hold certificates in PEM: of anything else, TLS would trust nobody and say nothing. */
function certificates (what) {
  return (path) => {
    const bytes = readFile(path, what)
    if (!holdsCertificate(bytes)) {
      throw optionProblem(what, `${what} must be a file with PEM certificates; '${path}' contains none`)
    }
    return bytes
  }
}

/** What a HAR file holds. */
function har (path) {
  try {
    return JSON.parse(fs.readFileSync(path, 'utf8').replace(/^\ufeff/, ''))
  } catch (cause) {
    throw optionProblem('har', `Failed to load HAR file content: ${cause.message}`, { cause })
  }
}

/** `users.csv`, or `once:users.csv` with the order in which the rows are used. */
function feed (text) {
  const order = ORDERS.find((name) => text.startsWith(`${name}:`))
  return order === undefined ? { file: text } : { file: text.slice(order.length + 1), order }
}

/** `9464`, or `0.0.0.0:9464` with the address to listen on; an IPv6 address in brackets. */
function listenAt (text) {
  const [, inBrackets, plain, port] = /^(?:(?:\[(.*)\]|([^:]*)):)?(.*)$/.exec(text)
  const host = inBrackets ?? plain
  return { ...(host !== undefined && { host }), port: number(port) }
}

/** The key of a fleet from a file, without the line break at its end. */
function keyFile (path) {
  const key = readFile(path, 'key').toString('utf8').replace(/\r?\n$/, '')
  if (key === '') throw optionProblem('keyFile', `the key in ${path} is empty: it must be a secret that all machines of the fleet share`)
  return key
}

/** The words of a list, such as `100,200,500`, as numbers where they are numbers. */
function numbers (text) {
  return text.split(/[\s,]+/).filter(Boolean).map(number)
}

/** For flags that may be repeated: an array of all values. */
const list = (before = [], value) => [...before, value]

/** For flags that may be repeated: an object of all `[name, value]`. A name given again replaces the earlier one. */
const entries = (before = {}, [name, value]) => ({ ...before, [name]: value })

module.exports = { entries, list, keyFile, numbers, har, listenAt, feed, number, seconds, streamLimit, connections, thinkTime, bursts, header, file, certificates }

'use strict'

const fs = require('node:fs')
const path = require('node:path')
const { optionError, optionProblem } = require('../../base/errors')
const { toSeconds } = require('../../values/duration')
const { ORDERS } = require('../../inputs/feed')
const { isObject, toNumber } = require('../../values/kinds')
const { holdsCertificate } = require('../tls')
const { readFile } = require('../read-file')

/*
 * Parses option values from the command line. These functions only split the text; the option's own `read` checks the
 * parts.
 */

/** Returns a number if the text is one; otherwise the text, which may be a duration or a mistake. */
function number (text) {
  return toNumber(text) ?? text
}

/** Returns a duration in seconds if the text is one; otherwise the text. */
function seconds (text) {
  return toSeconds(text) ?? text
}

/** Parses `20` (events), or a duration such as `5s`. */
function streamLimit (text) {
  return toNumber(text) ?? { seconds: text }
}

/** Parses `10`, or `10..100/30s`: grow from 10 to 100 connections over 30 seconds. */
function connections (text) {
  if (!text.includes('..')) return number(text)
  const ramp = /^(.*?)\.\.(.*?)\/(.*)$/.exec(text)
  if (ramp === null) throw optionError('connections', text, 'a number, or FROM..TO/SEC such as 10..100/30s')
  return { from: number(ramp[1]), to: number(ramp[2]), over: number(ramp[3]) }
}

/** Parses `0.5`, a range such as `0.2..1.5`, or `mean:0.5` for random pauses with that mean. */
function thinkTime (text) {
  if (text.startsWith('mean:')) return { mean: number(text.slice('mean:'.length)) }
  return text.includes('..') ? text.split('..').map(number) : number(text)
}

/** Parses `100/5s`: 100 requests at once, every 5 seconds. */
function bursts (text) {
  const slash = text.indexOf('/')
  if (slash === -1) throw optionError('bursts', text, 'SIZE/SEC, such as 100/5s')
  return { size: number(text.slice(0, slash)), interval: number(text.slice(slash + 1)) }
}

/** Parses `K=V` or `K:V`: the first `=` or `:` ends the name; the rest is the value, unchanged. */
function header (text) {
  const end = text.search(/[=:]/)
  if (end < 1) {
    const sentence = `An HTTP header was not correctly formatted: ${text}`
    throw optionProblem('headers', sentence)
  }
  return [text.slice(0, end), text.slice(end + 1)]
}

/** Returns a function that reads the bytes of a file; `what` is its purpose, for errors. */
function file (what) {
  return (name) => readFile(name, what)
}

/**
 * Returns a function that reads a file of PEM certificates. It throws if there is none, since TLS would silently trust
 * nobody.
 */
function certificates (what) {
  return (path) => {
    const bytes = readFile(path, what)
    if (!holdsCertificate(bytes)) {
      throw optionProblem(what, `${what} must be a file with PEM certificates; '${path}' contains none`)
    }
    return bytes
  }
}

/** Reads a HAR file. */
function har (path) {
  try {
    return JSON.parse(fs.readFileSync(path, 'utf8').replace(/^\ufeff/, ''))
  } catch (cause) {
    throw optionProblem('har', `Failed to load HAR file content: ${cause.message}`, { cause })
  }
}

/** Parses `users.csv`, or `once:users.csv`, which includes the order in which rows are used. */
function feed (text) {
  const order = ORDERS.find((name) => text.startsWith(`${name}:`))
  return order === undefined ? { file: text } : { file: text.slice(order.length + 1), order }
}

/** Parses `buy.js`, or `buy.js:5` with its weight: a user as code, or in a JSON file the requests of a sequence. */
function scenario (text) {
  const [, weighted, weight] = /^(.+):(\d*\.?\d+)$/.exec(text) ?? []
  const file = weighted ?? text
  const { name, ext } = path.parse(file)
  const about = { name, ...(weight !== undefined && { weight: number(weight) }) }
  return ext.toLowerCase() === '.json' ? { ...about, ...sequenceIn(file) } : { ...about, user: file }
}

// An array of requests, or an object with them, and with a think time and calls.
function sequenceIn (file) {
  let content
  try {
    content = JSON.parse(readFile(file, 'scenario').toString('utf8').replace(/^\ufeff/, ''))
  } catch (cause) {
    if (!(cause instanceof SyntaxError)) throw cause
    throw optionProblem('scenarios', `the scenario file '${file}' is not valid JSON: ${cause.message}`, { cause })
  }
  if (Array.isArray(content)) return { requests: content }
  if (!isObject(content)) throw optionProblem('scenarios', `the scenario file '${file}' must contain an array of requests, or an object with requests`)
  const { requests, thinkTime, calls } = content
  return { requests, thinkTime, calls }
}

/** Parses `9464`, or `0.0.0.0:9464` with the address to listen on. IPv6 addresses need brackets. */
function listenAt (text) {
  const [, inBrackets, plain, port] = /^(?:(?:\[(.*)\]|([^:]*)):)?(.*)$/.exec(text)
  const host = inBrackets ?? plain
  return { ...(host !== undefined && { host }), port: number(port) }
}

/** Reads a fleet key from a file, without the trailing line break. */
function keyFile (path) {
  const key = readFile(path, 'key').toString('utf8').replace(/\r?\n$/, '')
  if (key === '') throw optionProblem('keyFile', `the key in ${path} is empty: it must be a secret that all machines of the fleet share`)
  return key
}

/** Splits a list such as `100,200,500`; items that are numbers become numbers. */
function numbers (text) {
  return text.split(/[\s,]+/).filter(Boolean).map(number)
}

/** For repeatable flags: collects all values in an array. */
const list = (before = [], value) => [...before, value]

/** For repeatable flags: collects `[name, value]` pairs in an object. A repeated name replaces the earlier value. */
const entries = (before = {}, [name, value]) => ({ ...before, [name]: value })

module.exports = { entries, list, keyFile, numbers, har, listenAt, feed, scenario, number, seconds, streamLimit, connections, thinkTime, bursts, header, file, certificates }

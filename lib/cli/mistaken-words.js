'use strict'

const fs = require('node:fs')
const { optionProblem, show } = require('../base/errors')
const { suggest } = require('../base/suggest')

const PATIENCE_MS = 2000

/**
 * Throws if the first word looks like a misspelled command, such as `cannonade seve`, unless a file or a host of that
 * name exists.
 *
 * @param {string} [word]
 * @param {string[]} commands the names of all commands
 * @throws {CannonadeError} CANNONADE_BAD_OPTION
 */
async function checkFirstWord (word, commands) {
  if (!/^[a-z]+$/i.test(word ?? '')) return
  const meant = suggest(word, commands)
  if (meant === undefined || fs.existsSync(word) || await isHost(word)) return
  throw optionProblem(word, `${show(word)} is not a command or a known host: did you mean ${meant}?`)
}

/**
 * Throws if the name of a command would be used as a host: `cannonade -c 10 sweep URL`.
 *
 * @param {string|string[]|undefined} url the option, as read
 * @param {string[]} commands
 * @throws {CannonadeError} CANNONADE_BAD_OPTION
 */
async function checkHosts (url, commands) {
  for (const each of [url].flat()) {
    const name = /^http:\/\/([a-z]+)$/.exec(each)?.[1]
    if (!commands.includes(name) || await isHost(name)) continue
    throw optionProblem('url', `${show(name)} is a command and not a known host: put the command first, as in cannonade ${name} [options]`)
  }
}

// If the name server does not respond in time, the host counts as unknown.
async function isHost (name) {
  const dns = require('node:dns/promises')
  const { setTimeout: sleep } = require('node:timers/promises')
  const over = new AbortController()
  const lookup = dns.lookup(name).then(() => true, () => false)
  try {
    return await Promise.race([lookup, sleep(PATIENCE_MS, false, { signal: over.signal })])
  } finally {
    over.abort()
  }
}

const ASSIGNMENT = /^[a-z]\w*=/i

/**
 * Throws if a word among the URLs is an option as another tool writes it, and says how it is written here: `URL 5` (openload) would
 * otherwise be a second server, and `url=localhost` (pound) the name of a host.
 *
 * @param {string[]} operands
 * @throws {CannonadeError} CANNONADE_BAD_OPTION
 */
function checkForeignWords (operands) {
  const number = operands.length === 1 ? undefined : operands.find((word) => /^\d+$/.test(word))
  if (number !== undefined) {
    throw optionProblem('url', `${show(number)} is not a URL: for ${number} connections, write cannonade -c ${number} URL; a port follows a colon, as in localhost:${number}`)
  }
  const assignments = operands.filter((word) => ASSIGNMENT.test(word))
  if (assignments.length === 0) return
  const instead = require('../compat/pound').fromPound(assignments)
  const [first] = assignments
  throw optionProblem('url', `${show(first)} is not a URL: ${instead === null ? 'options begin with dashes, as in -c 10' : `did you mean ${instead}?`}`)
}

// A host without a dot, port or path. It may well be one (in a network of containers), so it is no error.
const PLAIN_WORD = /^(?!localhost$)[a-z][\w-]*$/i

// Words that became URLs only because nothing else could be made of them, by the options that they are in.
const extraWords = new WeakMap()

/** Remembers which words of a command line with several URLs don't look like one. @param {object} options @param {string[]} operands */
function rememberExtraWords (options, operands) {
  const plain = operands.filter((word) => PLAIN_WORD.test(word))
  if (operands.length > 1 && plain.length > 0) extraWords.set(options, plain)
}

/** Says on stderr what such words were taken for. @param {object} options */
function warnOfExtraWords (options) {
  for (const word of extraWords.get(options) ?? []) {
    process.stderr.write(`Warning: ${show(word)} is taken as one more URL, http://${word}, which gets its share of the load. Is a flag missing before it?\n`)
  }
}

module.exports = { checkFirstWord, checkHosts, checkForeignWords, rememberExtraWords, warnOfExtraWords }

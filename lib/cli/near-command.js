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

module.exports = { checkFirstWord, checkHosts }

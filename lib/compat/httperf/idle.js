'use strict'

const { FLAGS } = require('./words')

const OF_SESSIONS = 'it applies only to the sessions of --wsess and --wsesslog'
const SAID_BY = { wsess: '--wsess says how many there are', wsesslog: 'the session log defines the requests' }

/**
 * Returns a sentence for each given flag that has no effect, either never or in combination with the other flags.
 *
 * @param {Map<string, *>} given the flags
 * @returns {string[]} sentences
 */
function idleFlags (given) {
  const kind = ['wsess', 'wsesslog'].find((name) => given.has(name))
  const idle = FLAGS.filter(({ idle }) => idle !== undefined).map(({ name, idle }) => [name, idle])
  if (kind === undefined) idle.push(...['session-cookies', 'failure-status', 'max-piped-calls'].map((name) => [name, OF_SESSIONS]))
  else idle.push(...['num-conns', 'num-calls'].map((name) => [name, SAID_BY[kind]]))
  if (kind === 'wsesslog') idle.push(...['uri', 'burst-length', 'wlog', 'wset'].map((name) => [name, SAID_BY.wsesslog]))
  if (!(given.get('timeout') > 0)) idle.push(['think-timeout', 'it is added to --timeout, which is not set'])
  return idle.filter(([name]) => given.has(name)).map(([name, why]) => `--${name} has no effect: ${why}`)
}

module.exports = { idleFlags }

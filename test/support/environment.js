'use strict'

// Environment variables that change what the package, its samples or Node.js do or print. They belong to the user who starts the tests.
const OF_USER = Object.freeze([
  'API_KEY', 'CANNONADE_FLEET_KEY', 'CI', 'COLUMNS', 'ENDPOINT', 'FORCE_COLOR', 'GITHUB_ACTIONS', 'GITHUB_OUTPUT', 'GITHUB_STEP_SUMMARY', 'LINES', 'MODEL', 'NODE_DISABLE_COMPILE_CACHE',
  'NODE_TLS_REJECT_UNAUTHORIZED', 'NO_COLOR', 'PORT'
])

/** Whether the tests run in a CI system, or are to run as there. A room removes the variable, so it is read here, before that. */
const isInCI = Boolean(process.env.CI)

/** The environment variables of this process that a tested program may see. */
function inherited () {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !OF_USER.includes(name)))
}

module.exports = { OF_USER, isInCI, inherited }

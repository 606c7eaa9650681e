'use strict'

const { optionProblem } = require('../base/errors')
const { readFile } = require('./files')
const { partsOf } = require('./parts')
const { certificates, number, seconds } = require('./values')

/** The key of a fleet from a file, without the end of its line. */
function keyFile (path) {
  const key = readFile(path, 'key').toString('utf8').replace(/\r?\n$/, '')
  if (key === '') throw optionProblem('keyFile', `the key in ${path} is empty: all machines of a fleet know it, and nobody else`)
  return key
}

const ofFleet = partsOf('fleet')

/** The flags of a run on other machines. */
const fleetFlags = Object.freeze([
  { name: 'fleet', sets: 'fleet.redis', argument: 'URL', set: ofFleet('redis'), help: 'run on other machines, on which cannonade agent waits: the Redis where they meet, redis:// or rediss://' },
  { name: 'fleetAgents', sets: 'fleet.agents', argument: 'NUM', read: number, set: ofFleet('agents'), help: 'how many of them' },
  { name: 'fleetKeyFile', sets: 'fleet.key', argument: 'FILE', read: keyFile, set: ofFleet('key'), help: 'the key that all of them know; or CANNONADE_FLEET_KEY' },
  { name: 'fleetKey', sets: 'fleet.key', argument: 'KEY', set: ofFleet('key'), help: 'the same, for who trusts everybody on this machine' },
  { name: 'fleetWait', sets: 'fleet.wait', argument: 'SEC', read: seconds, set: ofFleet('wait'), help: 'how long to wait until they are there (default 10)' },
  {
    name: 'fleetCa',
    sets: 'fleet.tls',
    argument: 'FILE',
    read: certificates('fleetCa'),
    set: (options, ca) => ofFleet('tls')(options, { ca }),
    help: 'certificates to trust for rediss://, PEM'
  }
])

module.exports = { fleetFlags, keyFile }

'use strict'

const dns = require('node:dns/promises')
const net = require('node:net')
const formatHttperf = require('../../report/httperf')
const { NO_SAMPLES } = require('../../report/httperf-figures')
const { clean } = require('../../report/text')
const run = require('../../run')
const world = require('../../world')
const { helpText } = require('../../cli/shared/help')
const { onInterrupt } = require('../../cli/shared/interrupt')
const { versionText } = require('../../cli/shared/version')
const { commandLine, idleFlags } = require('./command-line')
const { HTTPERF_FLAGS } = require('./flags')
const { optionsOf, portOf } = require('./options')
const { readWords } = require('./words')

const WINDOW_SECONDS = 5

// `cannonade httperf …`: a replacement for httperf, with its flags and its output.
const httperf = {
  name: 'httperf',
  call: 'cannonade httperf',
  usage: 'cannonade httperf [flags of httperf]',
  about: [
    "Takes httperf's command line and prints httperf's output, so that programs that call httperf, such as " +
      'autobench, can use it. Flag names may be abbreviated if unambiguous, and --name=value is the same as --name ' +
      'value.'
  ],
  groups: HTTPERF_FLAGS,
  defaultOf: ({ default: value }) => value,
  notes: [
    'docs/from-httperf.md lists the differences. The exit code is 0 for a run, even one with errors; 1 if the ' +
      'server has no address; 2 for invalid flags.'
  ],
  examples: [
    'cannonade httperf --server localhost --port 3000 --rate 100 --num-conns 1000',
    'cannonade httperf --server localhost --wsess 100,10,2 --rate 5 --timeout 5'
  ],
  read,
  run: perform
}

/** Used instead of optionsFrom, since httperf has its own command-line syntax. */
function read (argv) {
  const { given, written } = readWords(argv)
  if (given.has('help')) {
    process.stdout.write(helpText(httperf))
  } else if (given.has('version')) {
    process.stdout.write(versionText())
  } else {
    // Checks the flags before the server's name is resolved.
    optionsOf(given, '127.0.0.1', () => {})
    return { given, written }
  }
}

async function perform ({ given, written }) {
  const write = (text) => process.stdout.write(text)
  const hasSessions = given.has('wsess') || given.has('wsesslog')
  const options = optionsOf(given, await addressOf(given.get('server') ?? 'localhost'), write)
  write(`${commandLine(written, hasSessions, { port: portOf(given) })}\n`)
  for (const sentence of idleFlags(given)) process.stderr.write(`${sentence}\n`)
  const { result, isInterrupted } = await play(options, given, write)
  const isAskedFor = ({ code }) => code === 'STOPPED' && given.has('runtime') && !isInterrupted
  for (const { message } of result.warnings.filter((warning) => !isAskedFor(warning))) process.stderr.write(`${clean(message)}\n`)
  if (result.replyRate.samples.length === 0) process.stderr.write(`${NO_SAMPLES} Raise --num-conns.\n`)
  const isAtRate = options.overallRate !== undefined || options.stages !== undefined
  const counted = isAtRate ? result : withoutBurst(result)
  write(formatHttperf(hasSessions ? counted : withoutSessions(counted)))
}

// httperf reports a burst length only for connections that are due by a rate, and 0 for consecutive ones.
function withoutBurst ({ connectionStats, ...result }) {
  return { ...result, connectionStats: { ...connectionStats, burst: 0 } }
}

// Without sessions, each session is one connection, so the peak of sessions counts as connections.
function withoutSessions ({ sessions, connectionStats, ...result }) {
  return { ...result, connectionStats: { ...connectionStats, peak: Math.max(connectionStats.peak, sessions.peak) } }
}

// Resolves the name once, as httperf does, so that DNS lookups are not part of connection times.
async function addressOf (server) {
  if (net.isIP(server)) return server
  const addresses = await dns.lookup(server, { all: true }).catch((cause) => { throw new Error(`the server ${server} has no address (${cause.code})`) })
  return (addresses.find(({ family }) => family === 4) ?? addresses[0]).address
}

async function play (options, given, write) {
  const instance = run(options)
  if (given.has('verbose')) instance.on('tick', writeRates(write))
  let timer
  // If the number of connections is given too, the run ends at whichever limit is reached first.
  if (given.has('runtime') && options.sessions.amount !== undefined) instance.on('start', () => { timer = world.setTimeout(instance.stop, given.get('runtime') * 1000) })
  let isInterrupted = false
  const letGo = onInterrupt(() => {
    isInterrupted = true
    instance.stop()
  })
  try {
    return { result: await instance, isInterrupted }
  } finally {
    letGo()
    world.clearTimeout(timer)
  }
}

// Prints the reply rate every five seconds; ticks arrive every second.
function writeRates (write) {
  let windows = 0
  let told = 0
  return ({ time, requests }) => {
    if (Math.round(time) < (windows + 1) * WINDOW_SECONDS) return
    write(`reply-rate = ${((requests - told) / WINDOW_SECONDS).toFixed(1)}\n`)
    told = requests
    windows++
  }
}

module.exports = { httperf }

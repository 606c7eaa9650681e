'use strict'

const path = require('node:path')
const { setTimeout: sleep } = require('node:timers/promises')
const Awaitable = require('../../awaitable')
const { CannonadeError, CODES, show } = require('../../errors')
const { begin } = require('../begin')
const { exitCodeOf, onInterrupt } = require('../interrupt')
const { addressOf, atPort } = require('./aim')
const ChildServer = require('./child-server')
const PortChannel = require('./port-channel')
const { accepts, waitForPort } = require('./wait-for-port')

// A server may have to compile itself first.
const PATIENCE_SECONDS = 60

/**
 * Whether a command is meant to be started even without --on-port.
 *
 * @param {string[]} words
 */
function isNode ([program = '']) {
  return /^node(\.exe)?$/i.test(path.basename(program))
}

/**
 * Starts a command, waits until it listens on a port, runs against that port, and ends the command with all that it has
 * started.
 *
 * @param {object} options of parseArguments; `spawn`: the command and its arguments
 * @param {number} [patience] seconds in which it must listen
 * @returns {Promise<object>} the result
 * @throws {CannonadeError} CANNONADE_BAD_OPTION without a command, CANNONADE_SERVER_FAILED where it cannot be started,
 *   does not listen, or ends before the run does
 */
async function runOnPort ({ spawn, onPort, ...options }, patience = PATIENCE_SECONDS) {
  checkCommand(spawn, onPort)
  const channel = await PortChannel.open()
  // Asked before the command is started: what answers there now is another server.
  const address = await freeAddressOf(options.url)
  let server = null
  let isRunning = false
  let isInterrupted = false
  // A run sees to its signals itself: the first ends that run, and the server after it as it always does.
  const interrupted = (signal) => {
    isInterrupted = true
    if (!isRunning) process.exit(exitCodeOf(signal))
  }
  // Before the command is started, so that at no time a signal leaves it behind.
  const letGo = endWithUs(() => server?.kill(), channel, interrupted)
  try {
    server = new ChildServer(spawn, channel.environment)
    const port = await portOf(server, channel, address, patience)
    isRunning = true
    return await runAgainst(server, { ...options, url: aim(options.url, port) }, () => isInterrupted)
  } finally {
    isRunning = false
    await server?.stop()
    letGo()
    channel.close()
  }
}

function checkCommand (words, onPort) {
  if (!words?.[0]) {
    throw badOption('--on-port needs the command that starts the server after --, such as: -- node server.js')
  }
  if (!onPort) {
    throw badOption(`what follows -- is a command for --on-port, which goes without saying for node only: ${show(words.join(' '))}`)
  }
}

function badOption (sentence) {
  return new CannonadeError(CODES.BAD_OPTION, sentence, { option: 'onPort' })
}

async function freeAddressOf (url) {
  const address = addressOf([url].flat()[0])
  return address !== null && !await accepts(address) ? address : null
}

function aim (url, port) {
  return Array.isArray(url) ? url.map((each) => atPort(each, port)) : atPort(url, port)
}

// Programs on Node.js tell their port. Others are found at the port of the URL.
async function portOf (server, channel, address, patience) {
  const over = new AbortController()
  const failed = (what) => { throw server.failure(what) }
  try {
    return await Promise.race([
      channel.port,
      ...(address === null ? [] : [waitForPort(address, over.signal)]),
      server.ended.then((how) => failed(server.hasBegun ? `${how} before it listened on a port` : how)),
      sleep(patience * 1000, undefined, { signal: over.signal }).then(() => failed(`has not listened on a port within ${patience} seconds. ` +
        'The port is seen where the command runs on Node.js; for anything else, give the port in the URL'))
    ])
  } finally {
    over.abort()
  }
}

// A signal to all that belongs to a job ends the server as well, and nothing has failed then.
async function runAgainst (server, options, isInterrupted) {
  let end = null
  const instance = begin(options)
  server.ended.then((how) => {
    end = how
    instance.stop()
  })
  const result = await Awaitable.outcomeOf(instance)
  if (end !== null && !isInterrupted()) throw server.failure(`${end} before the run was over`)
  return result
}

// The command is in a group of its own, which no signal of a terminal reaches.
function endWithUs (killServer, channel, interrupted) {
  const kill = () => {
    killServer()
    channel.close()
  }
  process.on('exit', kill)
  const letGo = onInterrupt(interrupted)
  return () => {
    process.removeListener('exit', kill)
    letGo()
  }
}

module.exports = { isNode, runOnPort }

'use strict'

const { Console } = require('node:console')
const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { Readable, Writable } = require('node:stream')
const { setTimeout: sleep } = require('node:timers/promises')
const { OF_USER } = require('./environment')

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP']
const DEADLINE_MS = 60_000

let isTaken = false

/**
 * Runs in this process what users run in a separate process: captures stdout and stderr, passes signals to its listeners, and reports the
 * exit code that it sets. The program must end by itself, not by `process.exit`. Only one can run at a time.
 *
 * @param {object} t
 * @param {function(): Promise} play the process ends when its promise settles
 * @param {object} [opts]
 * @param {object} [opts.env] temporary additions to the environment
 * @param {string} [opts.stdin]
 * @param {boolean} [opts.isTerminal] stderr is a terminal of 24 lines with 80 columns
 * @param {boolean} [opts.hasChildren] stderr is a file, because child processes write to it as well
 * @returns {{ kill: function(string), output: { stdout: string, stderr: string }, ended: Promise<object> }} `output` is what
 *   has been written so far; `ended` resolves with `{ code, signal: null, stdout, stderr }`, and rejects if there is no end within a
 *   minute
 */
function playHere (t, play, { env = {}, stdin = '', hasChildren = false, isTerminal = false } = {}) {
  if (isTaken) throw new Error('this process is taken: what was played in it before has to end first')
  isTaken = true
  const said = { stdout: inMemory(), stderr: hasChildren ? inFile(t) : inMemory() }
  if (isTerminal) Object.assign(said.stderr.stream, { isTTY: true, columns: 80, rows: 24 })
  const output = { get stdout () { return said.stdout.text }, get stderr () { return said.stderr.text } }
  const listeners = new Map(SIGNALS.map((signal) => [signal, new Set(process.listeners(signal))]))
  const own = (signal) => process.listeners(signal).filter((listener) => !listeners.get(signal).has(listener))
  const giveBack = takeProcess({ stdout: said.stdout.stream, stderr: said.stderr.stream, stdin: Readable.from([stdin]) }, env)

  async function end () {
    const over = new AbortController()
    try {
      await Promise.race([play(), tooLate(over.signal)])
      return { code: process.exitCode ?? 0, signal: null, ...output }
    } finally {
      over.abort()
      for (const signal of SIGNALS) for (const listener of own(signal)) process.removeListener(signal, listener)
      giveBack()
      isTaken = false
    }
  }

  function kill (signal) {
    const heard = own(signal)
    if (heard.length === 0) throw new Error(`nobody listens to ${signal}: it would have ended the process`)
    for (const listener of heard) listener.call(process, signal)
  }

  const ended = end()
  // Cleans up if the test fails in between.
  t.teardown(() => {
    if (isTaken && own('SIGTERM').length > 0) kill('SIGTERM')
    return ended.catch(() => {})
  })
  return { kill, output, ended }
}

async function tooLate (signal) {
  await sleep(DEADLINE_MS, undefined, { signal })
  throw new Error(`it has not ended within ${DEADLINE_MS / 1000} s`)
}

/** Replaces the streams, environment and so on of this process, until the returned function is called. */
function takeProcess (streams, env) {
  const { exitCode } = process
  const { console } = globalThis
  const before = Object.fromEntries([...OF_USER, ...Object.keys(env)].map((name) => [name, process.env[name]]))
  const places = Object.keys(streams).map((name) => [name, Object.getOwnPropertyDescriptor(process, name)])

  setEnvironment(Object.fromEntries(OF_USER.map((name) => [name, undefined])))
  setEnvironment(env)
  for (const [name] of places) Object.defineProperty(process, name, { configurable: true, enumerable: true, value: streams[name] })
  globalThis.console = new Console(streams)
  process.exitCode = undefined
  return () => {
    process.exitCode = exitCode
    globalThis.console = console
    for (const [name, place] of places) Object.defineProperty(process, name, place)
    setEnvironment(before)
  }
}

function inMemory () {
  const kept = { text: '', stream: writable((text) => { kept.text += text }) }
  return kept
}

function inFile (t) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'cannonade-stderr-'))
  const file = path.join(folder, 'stderr')
  const fd = fs.openSync(file, 'a')
  t.teardown(() => {
    fs.closeSync(fd)
    fs.rmSync(folder, { recursive: true })
  })
  const stream = Object.assign(writable((text) => fs.writeSync(fd, text)), { fd })
  return { stream, get text () { return fs.readFileSync(file, 'utf8') } }
}

function writable (write) {
  return new Writable({
    decodeStrings: false,
    write (text, encoding, callback) {
      write(text)
      callback()
    }
  })
}

function setEnvironment (env) {
  for (const [name, value] of Object.entries(env)) {
    if (value === undefined) delete process.env[name]
    else process.env[name] = value
  }
}

module.exports = { playHere }

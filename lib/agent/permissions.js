'use strict'

const fs = require('node:fs')
const net = require('node:net')
const path = require('node:path')
const { CannonadeError, CODES } = require('../base/errors')
const { mostParts, shareOf } = require('../engine/deal/part')

// Properties of `tlsOptions` that would redirect the connection to another server.
const ELSEWHERE = ['host', 'port', 'path', 'socket', 'lookup', 'localAddress', 'localPort', 'hints', 'family']

/** What an agent's operator allows. Each plan is checked against it before anything is done. */
class Permissions {
  /**
   * @param {object} settings
   * @param {object[]} [settings.allow] targets, as returned by `allowed`; default: this machine only
   * @param {string} [settings.hooks] the folder of the modules that may be loaded; default: none
   * @param {number} [settings.maxConnections] connections at a time
   * @param {number} [settings.maxRate] requests per second
   */
  constructor ({ allow = [], hooks = null, maxConnections = Infinity, maxRate = Infinity }) {
    this.allow = allow
    this.folder = hooks
    this.maxConnections = maxConnections
    this.maxRate = maxRate
  }

  /**
   * @param {object} plan
   * @param {object} hooks of createPlan, with names of files
   * @param {{ share: number, of: number }} part
   * @returns {object} the hooks, with the paths of files on this machine
   * @throws {CannonadeError} CANNONADE_AGENT_REFUSED
   */
  grant (plan, hooks, part) {
    checkFiles(plan)
    this.checkTargets(plan)
    this.checkLimits(plan, part)
    const { requests, names, users = [], ...ofRun } = hooks
    return { ...this.filesOf(ofRun), names, users: users.map((user) => this.fileOf(user)), requests: requests.map((each) => this.filesOf(each)) }
  }

  filesOf (hooks) {
    return Object.fromEntries(Object.entries(hooks).map(([name, hook]) => [name, this.fileOf(hook)]))
  }

  // --- which targets are allowed

  checkTargets ({ targets, socketPath, tlsOptions }) {
    const elsewhere = ELSEWHERE.find((name) => tlsOptions !== null && typeof tlsOptions === 'object' && name in tlsOptions)
    if (elsewhere !== undefined) throw refusal(`tlsOptions.${elsewhere} could send the run to another host`)
    if (typeof socketPath === 'string') {
      this.checkSocket(socketPath)
      return
    }
    for (const { hostname, port, proxy } of targets) {
      this.checkHost(hostname, port)
      if (proxy) this.checkHost(proxy.hostname, proxy.port)
    }
  }

  checkSocket (socketPath) {
    if (!this.allow.some((each) => each.path === socketPath)) throw refusal(`--allow does not list the unix socket ${socketPath}`)
  }

  checkHost (hostname, port) {
    const isNamed = this.allow.some((each) => each.hostname === hostname.toLowerCase() && (each.port === null || each.port === port))
    if (isNamed || (this.allow.length === 0 && isLoopback(hostname))) return
    const allowed = this.allow.length === 0 ? 'this agent only sends to loopback addresses: start it with --allow' : '--allow does not list it'
    throw refusal(`the target ${hostname}:${port} is not allowed: ${allowed}`)
  }

  // --- how much load is allowed

  checkLimits (plan, part) {
    const units = shareOf(mostConnections(plan), part)
    if (units > this.maxConnections) throw refusal(`${units} connections exceed --max-connections (${this.maxConnections})`)
    if (this.maxRate === Infinity) return
    if (plan.isUserCode) throw refusal(`users as code may send any number of requests, so they could exceed --max-rate (${this.maxRate} requests per second)`)
    const rate = highestRate(plan)
    if (rate === null) throw refusal(`a run without a rate could exceed --max-rate (${this.maxRate} requests per second): set overallRate`)
    const share = rate * shareOf(dealt(plan), part) / dealt(plan)
    if (share > this.maxRate) throw refusal(`${Math.ceil(share)} requests per second exceed --max-rate (${this.maxRate})`)
  }

  // --- which modules are allowed

  fileOf (name) {
    if (name === null || name === undefined) return name ?? null
    if (typeof name !== 'string') throw refusal('a hook must be the name of a file')
    if (this.folder === null) throw refusal(`the hook ${name} cannot be loaded: this agent was started without --hooks`)
    const folder = fs.realpathSync(this.folder)
    const file = found(path.join(folder, name))
    // Check where the path leads after resolving links and `..`, not what it looks like.
    if (path.isAbsolute(name) || file === null || !isWithin(folder, file)) throw refusal(`the hook ${name} is not a file in the --hooks folder`)
    return file
  }
}

// The files of a run are on the machine of its leader, so a plan that names one was not made by `run`.
function checkFiles ({ record, replay }) {
  const file = record?.file ?? replay?.file ?? null
  if (file !== null) throw refusal(`the plan names a file on this machine: ${file}`)
}

function found (file) {
  try {
    const real = fs.realpathSync(require.resolve(file))
    return fs.statSync(real).isFile() ? real : null
  } catch {
    return null
  }
}

function isWithin (folder, file) {
  const way = path.relative(folder, file)
  return way !== '' && !way.startsWith('..') && !path.isAbsolute(way)
}

// The maximum number of connections at a time, over all parts.
function mostConnections ({ connections, sessions, schedule, warmup }) {
  const ofRun = sessions === null ? connections : (schedule === null ? connections : sessions.maxOpen) * sessions.connections
  return Math.max(ofRun, warmup?.connections ?? 0)
}

// What the schedule is split by: connections, or sessions.
function dealt (plan) {
  return plan.sessions === null ? plan.connections : Math.max(1, mostParts(plan))
}

// The maximum of requests per second of the whole run; null if nothing limits them.
function highestRate ({ schedule, connections, sessions, scenarios, requests, followRedirects }) {
  if (schedule === null) return null
  const calls = sessions === null ? 1 : scenarios === null ? sessions.calls ?? requests.length : mostCalls(scenarios, sessions)
  return ratesOf(schedule) * calls * (1 + (followRedirects ?? 0))
}

// All sessions may be of the longest scenario, although its weight makes this unlikely.
function mostCalls (scenarios, { scripts }) {
  const length = (script) => script.reduce((sum, { requests }) => sum + requests.length, 0)
  return Math.max(...scenarios.map(({ calls }, index) => calls ?? length(scripts[index])))
}

function ratesOf ({ kind, rate, stages, size, interval }) {
  if (kind === 'constant') return rate
  if (kind === 'stages') return Math.max(...stages.flatMap(({ from, to }) => [from, to]))
  // The maximum number of bursts within one second.
  return size * Math.ceil(1 / interval)
}

function isLoopback (hostname) {
  const name = hostname.toLowerCase()
  if (name === 'localhost' || name.endsWith('.localhost')) return true
  if (net.isIPv4(name)) return name.startsWith('127.')
  return name === '::1'
}

/** Parses `HOST`, `HOST:PORT`, `[IPV6]:PORT`, or the path of a Unix socket. @returns {?object} null if it is none of these */
function allowed (text) {
  if (text.startsWith('/')) return { path: text }
  const [, inBrackets, plain, port] = /^(?:\[([0-9a-f:.]+)\]|([^:/@\s[\]]+))(?::(\d+))?$/i.exec(text) ?? []
  if (inBrackets === undefined && plain === undefined) return net.isIPv6(text) ? { hostname: canonical(text), port: null } : null
  if (port !== undefined && !(Number(port) >= 1 && Number(port) <= 65535)) return null
  return { hostname: canonical(inBrackets ?? plain), port: port === undefined ? null : Number(port) }
}

// Normalizes a host as URLs do, because targets are given as URLs.
function canonical (hostname) {
  const host = net.isIPv6(hostname) ? `[${hostname}]` : hostname
  try {
    return new URL(`http://${host}`).hostname.replace(/^\[|\]$/g, '')
  } catch {
    return hostname.toLowerCase()
  }
}

function refusal (reason) {
  return new CannonadeError(CODES.AGENT_REFUSED, reason)
}

module.exports = { Permissions, allowed, refusal }

'use strict'

const fs = require('node:fs')
const { allowed } = require('../agent/permissions')
const { named, optionError, optionProblem, show, whyUnreadable, words } = require('../base/errors')
const { redisURL, readTls } = require('../plan/fleet')
const { rate, wholeNumber } = require('../values/kinds')
const { clean } = require('../report/text')
const { askFlags } = require('./shared/version')
const { onInterrupt } = require('./shared/interrupt')
const { applySettings } = require('./read-command')
const { certificates, keyFile, number } = require('../plan/options/notation')

const count = wholeNumber(1)

const flags = [
  { name: 'redis', argument: 'URL', help: 'Redis through which the fleet coordinates: redis://, or rediss:// with TLS' },
  { name: 'keyFile', option: 'key', argument: 'FILE', read: keyFile, help: 'file with the key that all agents share; or CANNONADE_FLEET_KEY' },
  { name: 'key', argument: 'KEY', help: 'the key itself; other users of this machine may see it' },
  {
    name: 'allow',
    argument: 'HOST[:PORT]',
    set: (options, text) => { options.allow = [...(options.allow ?? []), readAllowed(text)] },
    help: 'target, unix socket or proxy that runs may connect to; repeatable (default: loopback addresses)'
  },
  { name: 'hooks', argument: 'DIR', help: 'folder of the modules that runs may load by name (default: none)' },
  { name: 'maxConnections', argument: 'NUM', read: number, help: 'limit on the connections of a run on this machine' },
  { name: 'maxRate', argument: 'NUM', read: number, help: 'limit on requests per second on this machine; runs then need a rate' },
  { name: 'cores', argument: 'NUM', read: number, help: 'threads that send requests (default: one per core)' },
  { name: 'name', argument: 'NAME', help: 'name in results (default: host name and process)' },
  { name: 'redisCa', argument: 'FILE', read: certificates('redisCa'), help: 'certificate authorities to trust for rediss://, PEM' }
]

// `cannonade agent [options]`
const agent = {
  name: 'agent',
  call: 'cannonade agent',
  usage: 'cannonade agent --redis URL --key-file FILE [options]',
  about: [
    'Waits for runs on several machines (cannonade --fleet) and does its part of each, until Ctrl-C. It accepts only messages ' +
      'signed with the key, connects only to what --allow lists, and loads hooks only from the folder of --hooks.'
  ],
  groups: [{ title: 'Options', flags: [...flags, ...askFlags] }],
  defaultOf: () => undefined,
  notes: ['Needs the packages bullmq and ioredis: npm install bullmq ioredis.'],
  examples: [
    'cannonade agent --redis redis://10.0.0.5 --key-file fleet.key --allow shop.test',
    'cannonade --fleet redis://10.0.0.5 --fleet-agents 4 -c 4000 https://shop.test'
  ],
  optionsFrom,
  run
}

function readAllowed (text) {
  const read = allowed(text)
  if (read === null) throw optionError('allow', text, 'HOST, HOST:PORT, [IPV6]:PORT or the path of a unix socket')
  return read
}

function optionsFrom (settings, operands) {
  if (operands.length > 0) {
    throw optionProblem(operands[0], `cannonade agent takes only options; got ${show(operands[0])}`)
  }
  const options = { key: process.env.CANNONADE_FLEET_KEY }
  applySettings(settings, options)
  return checked(options)
}

function checked ({ redisCa, ...options }) {
  if (options.redis === undefined) throw optionProblem('redis', words`${named('redis')} is required: the URL of the Redis through which the machines of the fleet coordinate`)
  redisURL.read(options.redis, 'redis')
  if (!options.key) throw optionProblem('keyFile', 'an agent needs the key of its fleet: give --key-file FILE, or set the environment variable CANNONADE_FLEET_KEY')
  if (options.cores !== undefined) count.read(options.cores, 'cores')
  if (options.maxConnections !== undefined) count.read(options.maxConnections, 'maxConnections')
  if (options.maxRate !== undefined) rate.read(options.maxRate, 'maxRate')
  if (options.hooks !== undefined) checkFolder(options.hooks)
  if (redisCa !== undefined) options.tls = readTls({ ca: redisCa }, 'redisCa', options.redis)
  return options
}

function checkFolder (folder) {
  try {
    fs.readdirSync(folder)
  } catch (cause) {
    const why = cause.code === 'ENOTDIR' ? 'it is a file' : whyUnreadable(cause)
    throw optionProblem('hooks', words`${named('hooks')} must be a readable folder; '${folder}' is not: ${why}`, { cause })
  }
}

async function run (options) {
  // Loaded only here, since the help must work without the packages that an agent needs.
  const Agent = require('../agent')
  const instance = new Agent(options, tell)
  const interrupted = new Promise((resolve) => onInterrupt(resolve))
  await instance.start()
  const { name, cores } = instance.about
  process.stdout.write(`${clean(name)} waits for runs, with ${cores} ${cores === 1 ? 'thread' : 'threads'}\n`)
  await interrupted
  await instance.stop()
}

function tell (kind, sentence) {
  const stream = kind === 'refused' ? process.stderr : process.stdout
  stream.write(`${kind}: ${clean(sentence)}\n`)
}

module.exports = { agent }

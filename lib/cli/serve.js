'use strict'

const { optionProblem, show } = require('../base/errors')
const { serverOptions, startServer } = require('../server')
const { askFlags } = require('./shared/version')
const { onInterrupt } = require('./shared/interrupt')
const { applySettings } = require('./read-command')

const ARGUMENTS = {
  port: 'PORT', host: 'HOST', websocket: 'KIND', workers: 'NUM', delay: 'MS', status: 'CODE', bodySize: 'BYTES', errorRate: 'SHARE'
}

const flags = serverOptions.map(({ name, help, choices, default: value }) => ({
  name, help, choices, argument: typeof value === 'boolean' ? undefined : ARGUMENTS[name] ?? 'VALUE'
}))

// `cannonade serve [options]`
const serve = {
  name: 'serve',
  call: 'cannonade serve',
  usage: 'cannonade serve [options]',
  about: [
    'Starts a small HTTP server for tests, until Ctrl-C. It answers every path and method; /_stats returns what it has ' +
      'counted.'
  ],
  groups: [{ title: 'Options', flags: [...flags, ...askFlags] }],
  defaultOf: (flag) => serverOptions.find(({ name }) => name === flag.name)?.default || undefined,
  examples: [
    'cannonade serve --workers 2',
    'cannonade serve --port 8080 --delay 10-30 --error-rate 1%'
  ],
  optionsFrom,
  run
}

function optionsFrom (settings, operands) {
  if (operands.length > 0) {
    const sentence = `cannonade serve takes only options; got ${show(operands[0])}: set the port with --port PORT`
    throw optionProblem(operands[0], sentence)
  }
  const options = {}
  applySettings(settings, options)
  return options
}

async function run (options) {
  const server = await startServer(options)
  const interrupted = new Promise((resolve) => onInterrupt(resolve))
  process.stdout.write(`Listening on ${server.url}\n`)
  await interrupted
  await server.close()
}

module.exports = { serve }

'use strict'

const { optionProblem } = require('../base/errors')
const fromOpenAPI = require('../inputs/openapi')
const { benchmark, complete } = require('./benchmark')
const { configFlag } = require('./config')
const { over } = require('./layers')
const { startRun, untilEnded } = require('./start-run')
const { startsServer } = require('./on-port')
const { applySettings } = require('./read-command')

// Flags that do not apply, since the document defines what is sent.
const NOT_HERE = new Set(['method', 'body', 'input', 'form', 'curl', 'har', 'harTiming', configFlag.name])

const documentFlags = [
  {
    name: 'path',
    argument: 'PATH',
    set: (options, path) => { options.paths = [...(options.paths ?? []), path] },
    help: "request to send, repeatable: /pets, 'POST /pets', or with values '/pets/5?limit=3' (default: all GET and HEAD)"
  },
  { name: 'allowFiles', help: 'allow references to files below the folder of the document; their contents are sent to the server' }
]

// `cannonade openapi FILE [URL]`
const openapi = {
  name: 'openapi',
  call: 'cannonade openapi',
  usage: 'cannonade openapi [options] FILE [URL] [-- COMMAND]',
  about: [
    'Runs a load test with the requests of an OpenAPI 3 document, one after the other, with its examples as values. Without a ' +
      'URL, the target is the first server of the document. Needs the package @apidevtools/swagger-parser.'
  ],
  groups: [
    { title: 'Document', flags: documentFlags },
    ...benchmark.groups.map(({ name, title, flags }) => ({ name, title, flags: flags.filter(({ name }) => !NOT_HERE.has(name)) }))
  ],
  defaultOf: benchmark.defaultOf,
  units: benchmark.units,
  notes: ['-H adds headers to every request, such as for authorization.'],
  examples: [
    "cannonade openapi api.yaml --path /pets --path '/pets/{id}' localhost:3000",
    "cannonade openapi api.yaml --path 'POST /pets' -H 'Authorization: Bearer …' -R 50 -d 30",
    'cannonade openapi api.yaml -- node server.js'
  ],
  startsServer: true,
  optionsFrom,
  run
}

function optionsFrom (settings, [file, ...urls], rest) {
  if (file === undefined) throw optionProblem('openapi', 'cannonade openapi needs an OpenAPI document', { isUsageNeeded: true })
  if (urls.length > 1) throw optionProblem('url', `cannonade openapi takes one URL; got ${urls.length}`)
  const options = { tlsOptions: {} }
  applySettings(settings, options)
  return { ...options, file, urls, rest }
}

async function run ({ file, paths, allowFiles, urls, rest, ...flags }) {
  // A path is enough if a server is started, since the server reports its port.
  const url = urls[0] ?? (rest.length > 0 ? '/' : undefined)
  const { url: found, requests } = await fromOpenAPI(file, { paths, url, allowFiles })
  const started = rest.length > 0 && { onPort: startsServer(flags, rest), spawn: rest }
  const options = complete(over({ url: found ?? url, requests }, { ...flags, ...started }))
  return untilEnded(startRun(options), options)
}

module.exports = { openapi }

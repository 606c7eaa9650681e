'use strict'

const { OPTIONS } = require('../plan/options')
const { seconds } = require('../plan/options/notation')
const { askFlags } = require('./shared/version')
const { configFlag } = require('./config')
const { resultFileFlags } = require('./result-files')
const { flags: shownFlags } = require('../report/shown')
const { verdictFlags } = require('./verdict')
const { optionError } = require('../base/errors')
const { readArguments } = require('./arguments')
const { kebab } = require('./shared/names')

/** The groups of flags, in the order of the help. */
const TOPICS = [
  { name: 'load', title: 'Load' },
  { name: 'sessions', title: 'Sessions (users that arrive, make their calls with pauses, and leave)' },
  { name: 'rate', title: 'Rate (without one, connections send as soon as they can)' },
  { name: 'request', title: 'Request' },
  { name: 'streams', title: 'Streams (responses that arrive piece by piece)' },
  { name: 'connection', title: 'Connection' },
  { name: 'grpc', title: 'gRPC (unary calls, over HTTP/2)' },
  { name: 'fleet', title: 'Fleet (several machines that work as one)' },
  { name: 'websocket', title: 'WebSocket (with a ws:// or wss:// URL; a message is a request)' },
  { name: 'verdict', title: 'Verdict' },
  { name: 'output', title: 'Output' }
]

function setProgress (options, isOn, spelling) {
  options.renderProgressBar = isOn
  if (spelling === '-n' && !isOn) options.verbose = false
}

/** Flags that are options of the command and not of a run, by topic. They have the same form as the flags of options. */
const OF_THE_COMMAND = {
  request: [
    configFlag,
    { name: 'curl', argument: 'LINE', help: "take the request from a curl command, as copied from developer tools: \"curl 'https://…' -H …\"; flags override it" }
  ],
  connection: [
    { name: 'onPort', help: 'start the COMMAND after --, wait until it listens on a port, test that port, and stop it afterwards; implied if COMMAND is node, and by --diagnose' },
    {
      name: 'diagnose',
      argument: '[FILE.cpuprofile]',
      isOptional: true,
      follows: /\.cpuprofile$/,
      set: (options, file) => { options.diagnose = file === '' ? true : { profile: file } },
      help: 'find out what limits the server that COMMAND starts: CPU profile, event loop, garbage collection; FILE receives the CPU profile'
    }
  ],
  verdict: verdictFlags,
  output: [
    { letter: 'j', name: 'json', isCommon: true, help: 'print the result to stdout as one line of JSON' },
    { name: 'csvLine', help: 'print the result to stdout as one line of CSV, to collect many runs in a file' },
    ...shownFlags,
    {
      letter: 'n',
      name: 'progress',
      names: ['renderProgressBar'],
      isNegative: true,
      option: 'renderProgressBar',
      set: setProgress,
      help: 'print no progress bar or other output before the result; -n implies --no-verbose'
    },
    ...resultFileFlags,
    { name: 'github', help: 'in GitHub Actions: write the result to the job summary; failed thresholds and warnings become annotations' },
    { name: 'live', help: 'use the full screen while it runs, with the history of each figure' },
    { name: 'statusInterval', argument: 'SEC', read: seconds, help: 'without a terminal: how often to print a progress line; 0 disables it (default 5)' },
    { name: 'opentelemetry', help: 'export metrics to OpenTelemetry, through the SDK that is loaded (node --require, NODE_OPTIONS); needs the package @opentelemetry/api' },
    { letter: 'V', name: 'verbose', help: 'print tables (the default); --no-verbose prints one line instead' },
    ...askFlags
  ]
}

// Returns a function that sets an option or a part of it. Setting a part replaces a value that is not an object, such as
// `true`.
function setter ({ name }, { part, collect = (before, value) => value }) {
  return (options, value) => {
    if (part === undefined) {
      options[name] = collect(options[name], value)
    } else {
      const { [name]: before } = options
      const parts = typeof before === 'object' ? before : {}
      options[name] = { ...parts, [part]: collect(parts?.[part], value) }
    }
  }
}

// Completes the flag of an option descriptor (see lib/plan/options/index.js) for the command.
function flagOf (option, flag) {
  const { name = option.name, part, sets = part === undefined ? option.name : `${option.name}.${part}` } = flag
  const isWhole = part === undefined && !flag.set
  const choices = isWhole ? option.choices : option.choicesWithin?.[part]
  return {
    ...flag,
    name,
    option: option.name,
    sets,
    set: flag.set ?? setter(option, flag),
    ...(choices && { choices }),
    ...(flag.takesFlags && { read: readBracketed(name, flag.read, flag.takesFlags.map(flagNamed)) }),
    ...(isWhole && { default: option.default })
  }
}

const flagNamed = (name) => {
  const option = OPTIONS.find((each) => each.name === name)
  return flagOf(option, option.flags[0])
}

/**
 * The flags of a benchmark in groups, one per topic of the help: `{ name, title, flags }`. A flag has the properties of
 * its descriptor (see lib/plan/options/index.js), and `option`, `sets`, `set` and `default` of its option.
 */
const benchmarkFlags = TOPICS.map(({ name: topic, title }) => ({
  name: topic,
  title,
  flags: [
    ...OPTIONS.filter((option) => option.topic === topic).flatMap((option) => option.flags.map((flag) => flagOf(option, flag))),
    ...OF_THE_COMMAND[topic] ?? []
  ]
}))

/**
 * Returns a function that reads the value of a flag that also accepts flags in brackets: `-W 3s`, or `-W [ -c 1 -d 3 ]`.
 *
 * @param {string} name of the option
 * @param {function(string): *} readText reads a value without brackets
 * @param {object[]} flags that are allowed in the brackets
 * @returns {function(string|string[]): *} takes a string, or the words in the brackets; throws CANNONADE_BAD_OPTION
 */
function readBracketed (name, readText, flags) {
  const form = `[ ${flags.map(({ letter, argument }) => `-${letter} ${argument}`).join(' ')} ]`
  return (value) => {
    if (!Array.isArray(value)) return readText(value)
    const { settings, operands, rest } = readArguments(value, flags, `--${kebab(name)} takes ${form}`)
    if (operands.length + rest.length > 0) throw optionError(name, `[ ${value.join(' ')} ]`, `a number of seconds, or ${form}`)
    return Object.fromEntries(settings.map(({ flag, value }) => [flag.option, flag.read(value)]))
  }
}

module.exports = { benchmarkFlags }

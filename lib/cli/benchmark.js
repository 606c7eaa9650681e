'use strict'

const { contradiction, optionProblem } = require('../base/errors')
const { benchmarkFlags } = require('./benchmark-flags')
const { completeUrl } = require('../plan/url')
const { isGiven, isOff } = require('../values/kinds')
const { applySettings } = require('./read-command')
const { liveSettings } = require('../report/live')
const { startRun, untilEnded, withoutCommand } = require('./start-run')
const { withCurl } = require('./curl-line')
const { over } = require('./layers')
const { checkForeignWords, rememberExtraWords } = require('./mistaken-words')
const { checkResultFiles } = require('./result-files')
const { checkStdout } = require('./result-stream')
const { checkBaseline, checkVerdict } = require('./verdict')

const UNITS = "SEC is a number of seconds, or has units: 500ms, 30s, '1m 30s'."

// The command itself: `cannonade [options] URL…`.
const benchmark = {
  call: 'cannonade',
  usage: 'cannonade [options] URL… [-- COMMAND]',
  about: [
    'Sends HTTP requests and measures how fast and how reliably a server responds.',
    'Several URLs share the connections. A URL without a scheme is http. A path is enough if the environment variable PORT is ' +
      'set, or with --on-port, which starts the server itself.'
  ],
  groups: benchmarkFlags,
  defaultOf: (flag) => flag.default,
  units: UNITS,
  notes: [
    `${UNITS} Long names may also be written in camelCase: --overallRate.`,
    'Ctrl-C, SIGTERM and SIGHUP end the run and print the result so far; a second signal exits immediately. The exit code is 0 ' +
      'after a run, even if Ctrl-C ended it; 1 if the run failed, had no response at all or failed a threshold; 2 for invalid ' +
      'options; 143 after SIGTERM, 129 after SIGHUP and 130 after a second Ctrl-C.'
  ],
  examples: [
    'cannonade -c 100 -d 10 http://localhost:3000',
    'cannonade -R 500 -d 1m --render-status-codes localhost:3000/items',
    'cannonade -d 5 /items -- node server.js',
    'cannonade -m POST -H Content-Type=application/json -b \'{"a":1}\' localhost:3000',
    'cannonade -j localhost:3000 > result.json',
    "cannonade --threshold 'p99 < 50ms' --threshold 'failures == 0' localhost:3000",
    "cannonade -c 50 --curl \"curl 'https://localhost:3000/api' -H 'accept: */*'\"",
    'cannonade --config load.config.js -d 30',
    'cannonade --baseline result.json --max-regression 5% localhost:3000'
  ],
  startsServer: true,
  optionsFrom,
  run: (options) => untilEnded(startRun(options), options)
}

/** Converts the parsed words of a command line to options. @see parseArguments */
function optionsFrom (settings, operands, rest, config) {
  checkForeignWords(operands)
  const options = over(config?.run ?? {}, withCurl(givenBy(settings)))
  if (isOff(options.baseline) || !isGiven(options.baseline)) delete options.baseline
  if (typeof options.baseline === 'string') options.baseline = require('./saved-results').readRuns(options.baseline)
  else if (options.baseline !== undefined) checkBaseline(options.baseline)
  if (rest.length > 0) Object.assign(options, { onPort: require('./on-port').startsServer(options, rest), spawn: rest })
  if (settings.some(({ flag }) => flag.name === 'body') && settings.some(({ flag }) => flag.name === 'input')) {
    throw contradiction('body', 'input', 'there is one body')
  }
  if (operands.length === 0 && options.url === undefined && options.socketPath === undefined && !options.spawn) {
    const [starter] = ['diagnose', 'onPort'].filter((name) => options[name])
    if (starter !== undefined) throw withoutCommand(starter)
    const instead = (config?.calls ?? []).map((call) => `, or ${call}`).join('')
    throw optionProblem('url', `url or socketPath option required: give the URL of the server${instead}`, { isUsageNeeded: true })
  }
  if (operands.length > 0) options.url = operands.length > 1 ? operands : operands[0]
  else if (options.spawn) options.url ??= '/'
  rememberExtraWords(options, operands)
  return complete(options)
}

/**
 * Completes the options of a benchmark before it starts, and checks those that only the command has.
 *
 * @param {object} options
 * @returns {object} the same object
 * @throws {CannonadeError} CANNONADE_BAD_OPTION
 */
function complete (options) {
  // A file with JSON works like JSON on the command line, which is text.
  if (options.socketio && Buffer.isBuffer(options.body)) options.body = options.body.toString()
  options.url = completeUrl(options.url ?? 'localhost', options.socketPath, options.websocket ?? options.socketio)
  checkStdout(options)
  liveSettings(options)
  checkResultFiles(options)
  checkVerdict(options)
  return options
}

function givenBy (settings) {
  const options = { tlsOptions: {} }
  applySettings(settings, options)
  return options
}

module.exports = { benchmark, complete }

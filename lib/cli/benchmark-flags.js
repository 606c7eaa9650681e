'use strict'

const { askFlags } = require('./ask-flags')
const { configFlag } = require('./config')
const { fleetFlags } = require('./fleet-flags')
const { holdsCertificate } = require('../plan/tls')
const { partsOf } = require('./parts')
const { grpcFlags, streamFlags, webSocketFlags } = require('./protocol-flags')
const { resultFileFlags } = require('./result-files')
const { number, seconds, thinkTime, bursts, header, file, har, feed, listenAt } = require('./values')
const { verdictFlags } = require('./verdict')
const { warmup, warmupFlags } = require('./warmup')

// A name given again replaces the earlier one, as it does in an object.
function addHeader (options, [name, value]) {
  options.headers = Object.fromEntries([...Object.entries(options.headers ?? {}), [name, value]])
}

// Whoever says which authorities to trust wants servers verified by them. A file without a certificate names none.
function addTrusted (options, files) {
  options.tlsOptions.ca = [...(options.tlsOptions.ca ?? []), ...files]
  if (files.some(holdsCertificate)) options.tlsOptions.rejectUnauthorized ??= true
}

// One is there as it is, and only several are a list.
const addTo = (part) => (options, files) => {
  const all = [options.tlsOptions[part] ?? [], files].flat()
  options.tlsOptions[part] = all.length === 1 ? all[0] : all
}

function setProgress (options, isOn, spelling) {
  options.renderProgressBar = isOn
  if (spelling === '-n' && !isOn) options.verbose = false
}

function addToPrometheus (options, part) {
  options.prometheus = { ...options.prometheus, ...part }
}

const ofReplay = partsOf('replay')
const ofSessions = partsOf('sessions')

/**
 * The flags of a benchmark, in groups. This one table is what is parsed, suggested and shown as help.
 *
 * - `letter`, `name` (in camelCase, kebab-case is derived from it), `names` (further ones)
 * - `argument`: what its argument is called; without one the flag is true or false
 * - `takesList`: the argument may be a list in brackets, which `read` gets as an array
 * - `isNegative`: it is there to be switched off, so that is what the letter does and the help shows
 * - `option`: the option it sets, where that has another name
 * - `read(value)`: the option's value; without it the text, or the truth, itself
 * - `set(options, value, spelling)`: where that is more than an assignment
 * - `sets`: the option, or the part of one, that messages name, where `set` puts it elsewhere
 * - `help`: what it is for. The default is added to it from the table of options in lib/plan
 */
const benchmarkFlags = [
  {
    title: 'Load',
    flags: [
      warmupFlags.connections,
      { letter: 'p', name: 'pipelining', argument: 'NUM', read: number, help: 'requests in flight on each connection' },
      warmupFlags.duration,
      { letter: 'a', name: 'amount', argument: 'NUM', read: number, help: 'requests to send, however long that takes' },
      { letter: 't', name: 'timeout', argument: 'SEC', read: number, help: 'how long a request may take' },
      {
        name: 'thinkTime',
        argument: 'SEC',
        read: thinkTime,
        help: "pause between a response and the same connection's next request; FROM..TO or mean:SEC draws one each time"
      },
      {
        letter: 'w',
        name: 'workers',
        argument: 'NUM',
        read: number,
        help: 'threads that send the requests; auto: one less than there are cores'
      },
      {
        letter: 'M',
        name: 'maxConnectionRequests',
        argument: 'NUM',
        read: number,
        help: 'the most requests of each connection'
      },
      {
        letter: 'O',
        name: 'maxOverallRequests',
        argument: 'NUM',
        read: number,
        help: 'the most requests of all connections together'
      },
      {
        letter: 'D',
        name: 'reconnectRate',
        argument: 'NUM',
        read: number,
        help: 'requests after which a connection is replaced by a new one'
      },
      {
        letter: 'B',
        name: 'bailout',
        argument: 'NUM',
        read: number,
        help: 'errors and mismatches after which the run ends'
      },
      {
        letter: 'W',
        name: 'warmup',
        argument: 'SEC',
        takesList: true,
        read: warmup,
        help: 'run for so long before measuring, or with its own connections: [ -c NUM -d SEC ]'
      },
      { letter: 'f', name: 'forever', help: 'start again after each run, until Ctrl-C' }
    ]
  },
  {
    title: 'Sessions (users that arrive, make their calls with pauses, and leave)',
    flags: [
      {
        name: 'sessions',
        help: 'what arrives is a session: rates, stages and bursts are of sessions; without them --connections users are there at a time',
        set: (options, value) => { options.sessions = value && (options.sessions || true) }
      },
      { name: 'sessionCalls', argument: 'NUM', read: number, sets: 'sessions.calls', set: ofSessions('calls'), help: 'requests of each session (default: the sequence once)' },
      { name: 'sessionAmount', argument: 'NUM', read: number, sets: 'sessions.amount', set: ofSessions('amount'), help: 'sessions in all, however long that takes' },
      { name: 'sessionConnections', argument: 'NUM', read: number, sets: 'sessions.connections', set: ofSessions('connections'), help: 'connections that a session may have at a time (default 1)' },
      { name: 'maxSessions', argument: 'NUM', read: number, sets: 'sessions.maxOpen', set: ofSessions('maxOpen'), help: 'sessions at a time; what comes due beyond waits (default 10000)' },
      { name: 'sessionLog', argument: 'FILE', sets: 'sessions.log', set: ofSessions('log'), help: 'what the sessions do, in turn: a session log of httperf' },
      { name: 'failOn', argument: 'LIST', sets: 'sessions.failOn', set: ofSessions('failOn'), help: 'statuses that end a session as failed, such as 404,5xx' }
    ]
  },
  {
    title: 'Rate (without one, each connection sends as soon as it has its response)',
    flags: [
      {
        letter: 'R',
        name: 'overallRate',
        argument: 'NUM',
        read: number,
        help: 'requests per second of all connections together, evenly spaced; latency counts from when each was due'
      },
      {
        letter: 'r',
        name: 'connectionRate',
        argument: 'NUM',
        read: number,
        help: 'requests per second of each connection; takes precedence over --overall-rate'
      },
      {
        name: 'stages',
        argument: 'LIST',
        help: "rates one after the other, SEC:RATE or SEC:FROM..TO: '10s:100, 30s:100..2000, 10s:0'"
      },
      {
        name: 'bursts',
        argument: 'SIZE/SEC',
        read: bursts,
        help: 'so many requests at once, again after each interval, such as 100/5s'
      },
      { name: 'arrivals', argument: 'KIND', help: 'uniform, or poisson: at random, as of many independent users' },
      { name: 'seed', argument: 'NUM', read: number, help: 'the seed of what is random; the same one repeats it' },
      {
        letter: 'C',
        name: 'ignoreCoordinatedOmission',
        help: 'let latency count from when a request was sent, not from when it was due'
      },
      { name: 'pacing', argument: 'KIND', help: 'precise, or sleep: up to 1 ms late, for less CPU' },
      {
        name: 'drain',
        argument: 'SEC',
        read: number,
        help: 'how long to wait at the end for responses still to come (default: the timeout)'
      }
    ]
  },
  {
    title: 'Request',
    flags: [
      { letter: 'm', name: 'method', argument: 'METHOD', help: 'the HTTP method (default GET, POST with a form)' },
      {
        letter: 'H',
        name: 'headers',
        names: ['header'],
        argument: 'K=V',
        read: header,
        set: addHeader,
        help: 'a header, K=V or K:V; once for each header'
      },
      { letter: 'b', name: 'body', argument: 'BODY', help: 'the body' },
      { letter: 'i', name: 'input', argument: 'FILE', option: 'body', read: file('input'), help: 'the body, from a file' },
      {
        letter: 'F',
        name: 'form',
        argument: 'FORM',
        help: 'a form to send as multipart/form-data: JSON, or a file of it'
      },
      configFlag,
      { name: 'curl', argument: 'LINE', help: "the request of a line of curl, as developer tools copy it: \"curl 'https://…' -H …\"; flags go over it" },
      {
        name: 'har',
        argument: 'FILE',
        read: har,
        help: 'send the requests that were recorded in a HAR file, those to the URLs given'
      },
      { name: 'replay', argument: 'FILE', sets: 'replay.file', set: ofReplay('file'), help: 'send the requests of a log when they were recorded: an access log (common or combined), JSON lines, or HAR' },
      { name: 'speed', argument: 'NUM', read: number, sets: 'replay.speed', set: ofReplay('speed'), help: 'with --replay: so many times as fast as it was recorded' },
      { name: 'harTiming', help: 'with --sessions: play what a HAR file has as it was recorded, pages as bursts and pauses as think times' },
      {
        name: 'feed',
        argument: 'FILE',
        read: feed,
        help: 'rows for {{column}} in path, headers and body: CSV, JSON or JSON lines; once:FILE uses each row once, ' +
          'random:FILE draws them'
      },
      {
        letter: 'I',
        name: 'idReplacement',
        help: 'put a new id in the place of each [<id>] in path, headers and body'
      },
      {
        letter: 'E',
        name: 'expectBody',
        argument: 'TEXT',
        help: 'count a response with another body as a mismatch'
      },
      {
        name: 'verifyBody',
        argument: 'FILE',
        help: 'a module that exports a function from a body to whether it is right'
      },
      {
        name: 'setupClient',
        argument: 'FILE',
        help: 'a module that exports a function, called with the client of each connection'
      }
    ]
  },
  { title: 'Streams (answers that come piece by piece)', flags: streamFlags },
  {
    title: 'Connection',
    flags: [
      {
        letter: 'S',
        name: 'socketPath',
        argument: 'PATH',
        help: 'a unix socket or a named pipe; of the URL only host and path count then'
      },
      {
        name: 'onPort',
        help: 'start the COMMAND after --, wait until it listens on a port, aim at that, and end it afterwards; goes ' +
          'without saying where the COMMAND is node'
      },
      {
        letter: 's',
        name: 'servername',
        argument: 'NAME',
        help: 'the name for TLS (SNI), where it is not that of the URL'
      },
      {
        name: 'cert',
        sets: 'tlsOptions',
        argument: 'FILE',
        takesList: true,
        read: (paths) => [paths].flat().map(file('cert')),
        set: addTo('cert'),
        help: 'a certificate to show to the server, PEM; one for each kind of key as [ A B ]'
      },
      {
        name: 'key',
        sets: 'tlsOptions',
        argument: 'FILE',
        takesList: true,
        read: (paths) => [paths].flat().map(file('key')),
        set: addTo('key'),
        help: 'the private key of that certificate, PEM; several as [ A B ]'
      },
      {
        name: 'ca',
        sets: 'tlsOptions',
        argument: 'FILE',
        takesList: true,
        read: (paths) => [paths].flat().map(file('ca')),
        set: addTrusted,
        help: 'certificates to trust, PEM; several as [ A B ]; the server has to show one that they vouch for'
      },
      {
        name: 'verify',
        sets: 'tlsOptions',
        set: (options, value) => { options.tlsOptions.rejectUnauthorized = value },
        help: "verify the server's certificate, with the system's authorities where there is no --ca"
      },
      {
        name: 'proxy',
        argument: 'URL',
        help: 'an HTTP proxy to go through, http://user:password@host:port'
      },
      { name: 'localAddress', argument: 'ADDR', help: 'the addresses of this machine that connections come from, in turn: ADDR[,ADDR…]' },
      { name: 'http2', help: 'HTTP/2: by ALPN on https, by prior knowledge on http; -p is streams at a time' },
      {
        name: 'keepAlive',
        isNegative: true,
        help: 'a new connection for each request'
      },
      { name: 'cookies', help: 'keep cookies and send them again, for each connection as for one user' },
      {
        name: 'followRedirects',
        argument: 'NUM',
        read: number,
        help: 'follow so many redirects in a row, where they stay on the same server'
      }
    ]
  },
  { title: 'gRPC (unary calls, over HTTP/2)', flags: grpcFlags },
  { title: 'Fleet (several machines do the work as one)', flags: fleetFlags },
  { title: 'WebSocket (with a ws:// or wss:// URL; a message is a request)', flags: webSocketFlags },
  { title: 'Verdict', flags: verdictFlags },
  {
    title: 'Output',
    flags: [
      { letter: 'T', name: 'title', argument: 'TITLE', help: 'a title to find in the result' },
      { letter: 'j', name: 'json', help: 'the result as one line of JSON on stdout, and nothing else' },
      {
        letter: 'l',
        name: 'latency',
        names: ['renderLatencyTable'],
        option: 'renderLatencyTable',
        help: 'also a table of all percentiles of the latency'
      },
      { name: 'renderStatusCodes', names: ['statusCodes'], help: 'also a table of the status codes' },
      {
        letter: 'n',
        name: 'progress',
        names: ['renderProgressBar'],
        isNegative: true,
        option: 'renderProgressBar',
        set: setProgress,
        help: 'no progress bar, and nothing else before the result; -n is also --no-verbose'
      },
      ...resultFileFlags,
      { name: 'github', help: 'in GitHub Actions: the result in the summary of the job, lost thresholds and warnings as annotations' },
      { name: 'live', help: 'the whole screen while it runs, with the history of each figure' },
      {
        name: 'statusInterval',
        argument: 'SEC',
        read: seconds,
        help: 'where there is no terminal, how often a line says what happens now; 0 is never (default 5)'
      },
      { name: 'dashboard', argument: '[HOST:]PORT', read: listenAt, help: 'serve a page at this port that draws the run while it lasts, to this machine only where no HOST is given; 0 is any free port' },
      { name: 'monitor', argument: 'PID', help: 'processor and memory of processes on this machine beside the latency: PID[,PID…]; --on-port monitors its server' },
      {
        name: 'prometheus',
        argument: '[HOST:]PORT',
        read: listenAt,
        set: addToPrometheus,
        help: 'serve live metrics for Prometheus at this port under /metrics, to this machine only where no HOST is given; needs the package prom-client'
      },
      {
        name: 'prometheusLinger',
        sets: 'prometheus.linger',
        argument: 'SEC',
        read: number,
        set: (options, linger) => addToPrometheus(options, { linger }),
        help: 'at the end, wait so long for the last metrics to be read'
      },
      { name: 'opentelemetry', help: 'tell OpenTelemetry of the run, through the SDK that is loaded (node --require, NODE_OPTIONS); needs the package @opentelemetry/api' },
      { letter: 'V', name: 'verbose', help: 'tables (the default); --no-verbose is one line instead' },
      { letter: 'L', name: 'sampleInt', argument: 'MS', read: number, help: 'milliseconds between samples' },
      {
        letter: 'x',
        name: 'excludeErrorStats',
        help: 'leave responses other than 2xx out of latency and bytes'
      },
      {
        name: 'skipAggregateResult',
        help: 'let the result carry what is needed to add it up with those of other machines'
      },
      { name: 'debug', help: 'each error on stderr, when it happens' },
      ...askFlags
    ]
  }
]

module.exports = { benchmarkFlags }

'use strict'

// Why a study does not take a flag of a run.

const t = require('tap')
const { benchmarkFlags } = require('../../lib/cli/benchmark-flags')
const { chooseCommand } = require('../../lib/cli/commands')

// Of every study.
const ALWAYS = {
  'a run that it ends early does not measure the server': 'bailout',
  'a study ends': 'forever',
  'a study measures servers that are already running, or that cannonade compare --command starts': 'onPort',
  'each of its runs would overwrite the file; record a single run at the setting in question': 'record',
  'it is about a single run': 'baseline title slowest skipAggregateResult csvLine latency renderStatusCodes junit markdown hdr github live statusInterval'
}
const NO_PROFILER = { 'a profiler would slow the server down; diagnose a single run': 'diagnose' }
const WITHOUT_VERDICT = { 'it is about a single run': 'maxRegression strict' }

// More reasons of single studies, and the flags that have them.
const OWN = {
  compare: {
    'all runs of a comparison last as long as --duration says': 'amount maxConnectionRequests maxOverallRequests',
    'a run that it ends early does not measure the server': 'abortOnFail',
    'it is about a single run': 'csv threshold'
  },
  sweep: {
    'it would end a run before the duration that the study sets': 'amount maxConnectionRequests maxOverallRequests sessionAmount',
    'a sweep sets the rate itself': 'stages bursts overallRate connectionRate replay speed',
    'each rate is held for the duration of the sweep; --stop-error-rate or --stop-failure-rate or --stop-achieved-ratio or --stop-p99 ends the sweep': 'abortOnFail',
    'it is about a single run': 'threshold'
  },
  capacity: {
    'the search for the capacity sets it': 'amount stages bursts overallRate connectionRate drain',
    'it would end a run before the duration that the study sets': 'maxConnectionRequests maxOverallRequests sessionAmount',
    'the search for the capacity sets the rate': 'replay speed',
    'use the setting --slo': 'threshold',
    'the search itself ends runs that can no longer pass': 'abortOnFail',
    'it is about a single run': 'csv'
  },
  jamming: {
    'it is unlimited in this study': 'pipelining',
    'the study sets the rates itself': 'amount thinkTime sessions sessionCalls sessionAmount sessionConnections maxSessions sessionLog failOn scenario stages bursts ' +
      'overallRate connectionRate',
    'the setting drain defines how long to wait for messages': 'timeout',
    'connections stay open; a lost one is a failure': 'maxConnectionRequests maxOverallRequests reconnectRate',
    'its calls are HTTP requests': 'user',
    'a message has no method; the handshake is always a GET': 'method',
    'a message is sent as is: give it as --body': 'form',
    'a recording contains HTTP requests': 'har replay speed',
    'the study sends messages, no HTTP requests': 'harTiming expectBody verifyBody curl',
    'messages are not event streams': 'stream streamLimit onEvent',
    'WebSocket uses HTTP/1.1': 'http2 grpcProto grpcMethod grpcMessage grpcMetadata grpcInclude',
    'connections stay open': 'keepAlive',
    'each connection has one handshake: use a Cookie header': 'cookies',
    'redirects of the handshake are not followed': 'followRedirects',
    'a broadcast runs on one machine': 'fleet fleetAgents fleetKeyFile fleetKey fleetWait fleetCa',
    'each message of the study is a broadcast': 'expect',
    'each level ends where the server jams': 'threshold abortOnFail'
  }
}

const kebab = (name) => name.replace(/[A-Z]/g, (capital) => `-${capital.toLowerCase()}`)

t.test('each study takes the flags of a run, or says why not', async (t) => {
  const flags = benchmarkFlags.flatMap(({ flags }) => flags)
  for (const [name, own] of Object.entries(OWN)) {
    const { command } = chooseCommand([name])
    const reasons = [ALWAYS, ...(name === 'compare' ? [] : [NO_PROFILER, WITHOUT_VERDICT]), own]
    const expected = new Map(reasons.flatMap((each) => Object.entries(each)).flatMap(([why, names]) => names.split(' ').map((flag) => [flag, why])))
    const taken = new Set(command.groups.flatMap(({ flags }) => flags.map(({ name }) => name)))
    const found = flags.filter(({ name }) => !taken.has(name)).map((flag) => [flag.name, command.whyNot(`--${kebab(flag.name)}`)])
    t.same(Object.fromEntries(found.sort()), Object.fromEntries([...expected].sort()), name)
    t.equal(command.whyNot('--nothing'), null)
    if (name === 'jamming') t.equal(command.whyNot('--no-keep-alive'), 'connections stay open')
    for (const { name, letter } of flags) if (letter && expected.has(name)) t.equal(command.whyNot(`-${letter}`), expected.get(name), `-${letter}`)
  }
})

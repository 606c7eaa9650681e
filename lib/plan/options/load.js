'use strict'

const { named, words } = require('../../base/errors')
const { connections } = require('../connections')
const { runDuration, thinkTime, timeout, timerSecondsOrZero } = require('../../values/duration')
const { choice, count, countOrNever, hook, isObject, NO_OBJECTS, ofAbortSignal, OTHER_OBJECTS, rate, truth, wholeNumber } = require('../../values/kinds')
const { bursts, seed, stages } = require('../schedule')
const { scenarios } = require('../scenarios')
const { sessions } = require('../sessions')
const { warmup } = require('../warmup')
const { workers } = require('../workers')
const notation = require('./notation')

const { number } = notation
// Limits memory: each connection allocates room for this many requests.
const MOST_PIPELINED = 65536

const ONE_SCHEDULE = 'both define when requests are due'
const MADE_BY_USER = 'the function decides what is sent'
const COUNTS_SESSIONS = words`${named('sessions.calls')} and ${named('sessions.amount')} limit what is sent`

function lengthOfStages ({ stages }) {
  return stages === null ? 10 : require('../../load').scheduleDuration({ kind: 'stages', stages })
}

/** How much to send, and for how long. */
const loadOptions = [
  {
    name: 'connections',
    ...connections,
    good: [[1, 1], ['100', 100], [{ from: 1, to: 50, over: '10s' }, 50], [{ from: 50, to: 50, over: 2 }, 50]],
    bad: [...wholeNumber(1).bad.filter((value) => Number(value) !== 1.5 && !isObject(value)), 0.9, 1e6 + 1, { from: 1, to: 1e9, over: 1 }],
    default: 10,
    flag: { letter: 'c', argument: 'NUM', read: notation.connections, isCommon: true, help: 'connections, or a ramp 10..100/30s' }
  },
  {
    name: 'pipelining',
    ...wholeNumber(1, MOST_PIPELINED),
    default: 1,
    inPlan: true,
    flag: { letter: 'p', argument: 'NUM', read: number, isCommon: true, help: 'requests in flight on each connection' }
  },
  {
    name: 'duration',
    ...runDuration,
    default: lengthOfStages,
    group: 'length',
    inPlan: true,
    yieldsTo: ['replay'],
    flag: { letter: 'd', argument: 'SEC', read: number, isCommon: true, help: 'how long to run (default 10, or as --stages)' }
  },
  {
    name: 'amount',
    ...count,
    group: 'length',
    decides: 'length',
    conflicts: [['sessions', words`${named('sessions.amount')} is the number of sessions`]],
    flag: { letter: 'a', argument: 'NUM', read: number, isCommon: true, help: 'requests to send, instead of a duration' }
  },
  {
    name: 'timeout',
    ...timeout,
    default: 10,
    inPlan: true,
    flag: { letter: 't', argument: 'SEC', read: number, isCommon: true, help: 'timeout of a request' }
  },
  {
    name: 'thinkTime',
    ...thinkTime,
    good: [
      [0.5, { from: 0.5, to: 0.5 }],
      ['500ms', { from: 0.5, to: 0.5 }],
      [[1, '2s'], { from: 1, to: 2 }],
      [{ from: 0, to: 1.5 }, { from: 0, to: 1.5 }],
      [{ mean: '1s' }, { mean: 1 }],
      [0, null]
    ],
    bad: [...timerSecondsOrZero.bad.filter((value) => !isObject(value)), [1], [1, 2, 3], [2, 1], { mean: -1 }, { mean: 'x' }, { mean: 1, to: 2 }, {}],
    off: [false],
    conflicts: ['connectionRate', 'overallRate', 'stages', 'bursts', 'replay']
      .map((name) => [name, 'a schedule does not wait for responses', ({ sessions }) => sessions === null]),
    flag: {
      argument: 'SEC',
      read: notation.thinkTime,
      help: "pause between a response and the connection's next request; FROM..TO or mean:SEC draws a new one each time"
    }
  },
  {
    name: 'workers',
    ...workers,
    good: [[2, 2], ['3', 3], [0, null], ['auto']],
    bad: [...wholeNumber(1).bad.filter((value) => value !== 0), -2, 'many'],
    off: [false, ''],
    inPlan: true,
    flag: { letter: 'w', argument: 'NUM', read: number, isCommon: true, help: 'worker threads; auto: one less than CPU cores' }
  },
  {
    name: 'maxConnectionRequests',
    ...count,
    decides: 'length',
    conflicts: [['sessions', COUNTS_SESSIONS]],
    flag: { letter: 'M', argument: 'NUM', read: number, help: 'limit on the requests of each connection' }
  },
  {
    name: 'maxOverallRequests',
    ...count,
    decides: 'length',
    conflicts: [['sessions', COUNTS_SESSIONS]],
    flag: { letter: 'O', argument: 'NUM', read: number, help: 'limit on the requests of all connections together' }
  },
  {
    name: 'reconnectRate',
    ...countOrNever,
    off: [false, ''],
    inPlan: true,
    flag: { letter: 'D', argument: 'NUM', read: number, help: 'open a new connection after this many requests' }
  },
  {
    name: 'bailout',
    ...count,
    inPlan: true,
    decides: 'end',
    flag: { letter: 'B', argument: 'NUM', read: number, help: 'end the run after this many errors and mismatches' }
  },
  {
    name: 'warmup',
    ...warmup,
    good: [
      [{ connections: 1, duration: 3 }, { connections: 1, duration: 3 }],
      [{ connections: '2', duration: '1m' }, { connections: 2, duration: 60 }],
      ['3s', { connections: 10, duration: 3 }],
      [3, { connections: 10, duration: 3 }],
      [{ connections: 4 }, { connections: 4, duration: 10 }],
      [true, { connections: 10, duration: 10 }],
      [false, null]
    ],
    bad: [...OTHER_OBJECTS, [], () => {}, 'soon', 0, -1, NaN],
    off: [false, ''],
    flag: {
      letter: 'W',
      argument: 'SEC',
      takesList: true,
      takesFlags: ['connections', 'duration'],
      read: number,
      isCommon: true,
      help: 'warm up before measuring; also [ -c NUM -d SEC ]'
    }
  },
  {
    name: 'forever',
    ...truth,
    default: false,
    off: [false, ''],
    inPlan: true,
    decides: 'repetition',
    flag: { letter: 'f', help: 'repeat the run until Ctrl-C' }
  },
  { name: 'signal', ...ofAbortSignal, off: [false] }
]

/** Sessions: users that arrive and leave. */
const sessionOptions = [
  {
    name: 'sessions',
    ...sessions,
    good: [[true], [{ calls: '3', amount: 2, failOn: '5xx' }], [false, null]],
    bad: [...NO_OBJECTS.filter((value) => value !== true), { calls: 0 }, { calls: 1e6 + 1 }, { amount: 0 }, { connections: 0 }, { connections: 1025 }, { maxOpen: 0 }, { failOn: 99 }, { failOn: 'x' }, { failOn: [600] }, { log: 5 }, { log: [] }, { log: [5] }, { log: [[]] }, { log: 'no-such-file.log' }],
    flags: [
      {
        set: (options, value) => { options.sessions = value && (options.sessions || true) },
        help: 'start sessions, not requests, by --overall-rate, --stages or --bursts; without these, --connections is the number of concurrent users'
      },
      { name: 'sessionCalls', part: 'calls', argument: 'NUM', read: number, help: 'requests per session (default: the sequence once)' },
      { name: 'sessionAmount', part: 'amount', argument: 'NUM', read: number, help: 'total number of sessions, instead of a duration' },
      { name: 'sessionConnections', part: 'connections', argument: 'NUM', read: number, help: 'concurrent connections of a session (default 1)' },
      { name: 'maxSessions', part: 'maxOpen', argument: 'NUM', read: number, help: 'limit on concurrent sessions; further arrivals wait (default 10000)' },
      { name: 'sessionLog', part: 'log', argument: 'FILE', help: 'httperf session log; its sessions are used in turn' },
      { name: 'failOn', part: 'failOn', argument: 'LIST', help: 'statuses that end a session as failed, such as 404,5xx' }
    ]
  }
]

/** Users as code. */
const userOptions = [
  {
    name: 'user',
    ...hook,
    off: [false, ''],
    notWithWebSocket: 'its calls are HTTP requests',
    conflicts: [
      ...['requests', 'body', 'method', 'form', 'har', 'replay'].map((name) => [name, MADE_BY_USER]),
      ['thinkTime', 'the function pauses with user.think()'],
      ...['expectBody', 'verifyBody'].map((name) => [name, 'the function checks responses with user.check()']),
      ['stream', 'a call ends with its whole response'],
      ...['websocket', 'socketio', 'grpc'].map((name) => [name, 'its calls are HTTP requests']),
      ...['amount', 'maxConnectionRequests', 'maxOverallRequests'].map((name) => [name, words`${named('sessions.amount')} is the number of sessions, and the function decides how many requests each makes`]),
      ['connectionRate', words`sessions have their own connections, so set ${named('overallRate')}`]
    ],
    flag: { argument: 'FILE', isCommon: true, help: 'users as code: module with an async function' }
  }
]

/** Several kinds of users in one run. */
const scenarioOptions = [
  {
    name: 'scenarios',
    ...scenarios,
    good: [[[{ name: 'a', requests: [{}] }]], [[{ name: 'a', weight: 2, requests: [{}], thinkTime: 1, calls: 3 }, { name: 'b', requests: [[{}, {}]] }]]],
    bad: [5, 'x', true, {}, [], [5], [{}], [{ name: 'a' }], [{ name: '', requests: [{}] }], [{ name: 'a', requests: [] }], [{ name: 'a', weight: 0, requests: [{}] }]],
    off: [false, ''],
    conflicts: [
      ...['requests', 'user', 'har', 'replay'].map((name) => [name, 'both define what is sent']),
      ...['amount', 'maxConnectionRequests', 'maxOverallRequests'].map((name) => [name, words`${named('sessions.amount')} and the scenarios' calls limit what is sent`]),
      ['connectionRate', words`sessions have their own connections, so set ${named('overallRate')}`]
    ],
    flag: { name: 'scenario', argument: 'FILE[:WEIGHT]', read: notation.scenario, collect: notation.list, help: 'a kind of user: a module as for --user, or a JSON file with requests; sessions are shared out by weight (default 1); repeat for each kind' }
  }
]

/** When requests are due: the open model. */
const rateOptions = [
  {
    name: 'stages',
    ...stages,
    good: [['10s:100, 5s:1..2', [{ duration: 10, from: 100, to: 100 }, { duration: 5, from: 1, to: 2 }]], [[{ duration: '1m', rate: 5 }], [{ duration: 60, from: 5, to: 5 }]]],
    bad: [5, '', ',', '10s', ':100', '10s:', '10s:x', '10s:1..2..3', '10s:-1', '10s:0', [], [5], [{}], {}],
    off: [false],
    group: 'schedule',
    decides: 'rate',
    conflicts: ['bursts', 'overallRate', 'connectionRate'].map((name) => [name, ONE_SCHEDULE]),
    flag: { argument: 'LIST', isCommon: true, help: "rates over time: '10s:100, 30s:100..2000'" }
  },
  {
    name: 'bursts',
    ...bursts,
    good: [[{ size: '5', interval: '2s' }, { size: 5, interval: 2 }]],
    bad: [5, '100', true, [], {}],
    off: [false],
    group: 'schedule',
    decides: 'rate',
    conflicts: [
      ...['overallRate', 'connectionRate'].map((name) => [name, ONE_SCHEDULE]),
      ['arrivals', "a burst's requests are due at once and its interval is fixed", ({ arrivals }) => arrivals === 'poisson']
    ],
    flag: { argument: 'SIZE/SEC', read: notation.bursts, help: 'SIZE requests at once, every SEC seconds, such as 100/5s' }
  },
  {
    name: 'overallRate',
    ...rate,
    group: 'schedule',
    decides: 'rate',
    flag: { letter: 'R', argument: 'NUM', read: number, isCommon: true, help: 'requests/s in total, sent on a fixed schedule' }
  },
  {
    name: 'connectionRate',
    ...rate,
    group: 'schedule',
    decides: 'rate',
    conflicts: [
      ['connections', 'a rate for each connection needs a fixed number of connections', ({ connections }) => typeof connections === 'object'],
      ['sessions', words`sessions have their own connections, so set ${named('overallRate')}`]
    ],
    flag: { letter: 'r', argument: 'NUM', read: number, help: 'requests per second of each connection; overrides --overall-rate' }
  },
  {
    name: 'arrivals',
    ...choice('uniform', 'poisson'),
    default: 'uniform',
    scheduleOnly: true,
    flag: { argument: 'KIND', help: 'uniform, or poisson: random, like many independent users' }
  },
  { name: 'seed', ...seed, flag: { argument: 'NUM', read: number, help: 'random seed; reuse it to reproduce a run' } },
  {
    name: 'ignoreCoordinatedOmission',
    ...truth,
    default: false,
    scheduleOnly: true,
    inPlan: true,
    flag: { letter: 'C', help: 'measure latency from when a request was sent, not from when it was due' }
  },
  {
    name: 'pacing',
    ...choice('precise', 'sleep'),
    default: 'precise',
    scheduleOnly: true,
    inPlan: true,
    flag: { argument: 'KIND', help: 'precise, or sleep: up to 1 ms late, but uses less CPU' }
  },
  {
    name: 'drain',
    ...timerSecondsOrZero,
    default: (read) => read.timeout,
    scheduleOnly: true,
    inPlan: true,
    flag: { argument: 'SEC', read: number, help: 'how long to wait at the end for outstanding responses (default: the timeout)' }
  }
]

module.exports = { loadOptions, sessionOptions, userOptions, scenarioOptions, rateOptions }

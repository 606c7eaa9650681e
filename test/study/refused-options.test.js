'use strict'

// Which options each study rejects, and why. A study accepts all others.

const t = require('tap')
const { OPTIONS } = require('../../lib/plan/options')
const { refusalsOf } = require('../../lib/study/refusals')

const RATES = ['overallRate', 'connectionRate', 'stages', 'bursts', 'replay']
const LENGTHS = ['amount', 'maxConnectionRequests', 'maxOverallRequests']

const IN_ALL = [
  [['forever'], /^a study ends$/],
  [['bailout'], /^a run that it ends early does not measure the server$/],
  [['record'], /would overwrite the file/]
]
const NO_PROFILER = [['diagnose'], /^a profiler would slow the server down/]
const TOO_SHORT = /before the duration that the study sets$/

// Options, and the reason that they have in common.
const REJECTED = {
  compare: [
    ...IN_ALL,
    [['abortOnFail'], /^a run that it ends early/]
  ],
  sweep: [
    ...IN_ALL,
    NO_PROFILER,
    [LENGTHS, TOO_SHORT],
    [RATES, /^a sweep sets the rate itself$/],
    [['abortOnFail'], /^each rate is held for the duration of the sweep; stopWhen ends the sweep$/]
  ],
  'sweep of connections': [
    ...IN_ALL,
    NO_PROFILER,
    [LENGTHS, TOO_SHORT],
    [RATES, /^in a sweep of connections, each user waits/],
    [['connections'], /^the sweep sets them$/],
    [['abortOnFail'], /^each number of connections is held for the duration of the sweep; stopWhen ends the sweep$/]
  ],
  capacity: [
    ...IN_ALL,
    NO_PROFILER,
    [LENGTHS.slice(1), TOO_SHORT],
    [[...RATES.slice(0, -1), 'amount', 'drain'], /^the search for the capacity sets it$/],
    [['replay'], /^the search for the capacity sets the rate$/],
    [['thresholds'], /^use the setting slo$/],
    [['abortOnFail'], /^the search itself ends runs that can no longer pass$/]
  ],
  'capacity of connections': [
    ...IN_ALL,
    NO_PROFILER,
    [LENGTHS, TOO_SHORT],
    [RATES, /^in a search for the number of connections, each user waits/],
    [['connections'], /^the search sets them$/],
    [['drain'], /^the search for the capacity sets it$/],
    [['thresholds'], /^use the setting slo$/],
    [['abortOnFail'], /^the search itself ends runs that can no longer pass$/]
  ],
  jamming: [
    ...IN_ALL,
    NO_PROFILER,
    [[...RATES, 'amount', 'sessions', 'user', 'scenarios'], /^the study sets the rates itself$/],
    [['connections'], /^use the setting connections$/],
    [['drain'], /^it is a setting of the study$/],
    [['timeout'], /^the setting drain defines how long to wait for messages$/],
    [['pipelining'], /^it is unlimited in this study$/],
    [['reconnectRate', ...LENGTHS.slice(1)], /^connections stay open/],
    [['thresholds', 'abortOnFail'], /^each level ends where the server jams$/]
  ]
}

for (const [study, groups] of Object.entries(REJECTED)) {
  t.test(study, async (t) => {
    const expected = new Map(groups.flatMap(([names, why]) => names.map((name) => [name, why])))
    const found = refusalsOf(study)
    t.same([...found.keys()].sort(), [...expected.keys()].sort())
    for (const [name, why] of found) t.match(String(why), expected.get(name), name)
    t.ok([...expected.keys()].every((name) => OPTIONS.some((option) => option.name === name)))
  })
}

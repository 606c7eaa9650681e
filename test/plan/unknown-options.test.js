'use strict'

const t = require('tap')
const fc = require('../support/fast-check')
const { createPlan } = require('../../lib/plan')
const { OPTIONS } = require('../../lib/plan/options')
const { suggest } = require('../../lib/base/suggest')

const NAMES = OPTIONS.map(option => option.name)

function warningsOf (opts) {
  return createPlan({ url: 'http://localhost', ...opts }).warnings
}

t.test('an unknown option is a warning that suggests the most similar known one', async t => {
  const slips = {
    conections: 'connections',
    Duration: 'duration',
    'overall-rate': 'overallRate',
    time_out: 'timeout',
    header: 'headers',
    setupclient: 'setupClient',
    tlsOption: 'tlsOptions',
    c: 'connections',
    R: 'overallRate',
    input: 'body'
  }
  for (const [slip, meant] of Object.entries(slips)) {
    const warnings = warningsOf({ [slip]: 5 })
    t.equal(warnings.length, 1, slip)
    t.equal(warnings[0].code, 'UNKNOWN_OPTION')
    t.match(warnings[0].message, `'${slip}' is unknown and has no effect: did you mean '${meant}'?`)
  }
})

t.test('if nothing is similar there is no suggestion', async t => {
  for (const key of ['colour', 'q', 'x-y-z', 'path']) {
    const [warning] = warningsOf({ [key]: 1 })
    t.equal(warning.message, `the option '${key}' is unknown and has no effect`)
  }
})

t.test('a warning names the position of an unknown part', async t => {
  const parts = [
    [{ requests: [{}, { setuprequest: () => {} }] }, "'requests[1].setuprequest'", "'requests[1].setupRequest'"],
    [{ warmup: { conections: 1 } }, "'warmup.conections'", "'warmup.connections'"],
    [{ bursts: { size: 1, interval: 1, sizes: 2 } }, "'bursts.sizes'", "'bursts.size'"],
    [{ stages: [{ duration: 1, rate: 1, rates: 1 }] }, "'stages[0].rates'", "'stages[0].rate'"],
    [{ connections: { from: 1, to: 2, over: 1, ovre: 1 } }, "'connections.ovre'", "'connections.over'"],
    [{ stream: { limit: { events: 5, second: 1 } } }, "'stream.limit.second'", "'stream.limit.seconds'"],
    [{ thinkTime: { from: 1, to: 2, form: 1 } }, "'thinkTime.form'", "'thinkTime.from'"],
    [{ sessions: true, requests: [{}, [{ bdy: 'a' }]] }, "'requests[1][0].bdy'", "'requests[1][0].body'"],
    [{ scenarios: [{ name: 'a', requests: [{}, [{ bdy: 'a' }]] }] }, "'scenarios[0].requests[1][0].bdy'", "'scenarios[0].requests[1][0].body'"]
  ]
  for (const [opts, given, meant] of parts) {
    const warnings = warningsOf(opts)
    t.equal(warnings.length, 1)
    t.match(warnings[0].message, `${given} is unknown and has no effect: did you mean ${meant}?`)
  }
})

t.test('the complete options of a command line raise no warning', async t => {
  t.same(warningsOf({
    _: ['http://localhost'],
    '--': [],
    c: 5,
    connections: 5,
    d: '2',
    duration: '2',
    H: ['a=1'],
    header: ['a=1'],
    headers: { a: '1' },
    t: 10,
    timeout: 10,
    D: 0,
    reconnectRate: 0,
    i: 'body.txt',
    input: 'body.txt',
    b: 'x',
    body: 'x',
    W: { _: [], c: 1, connections: 1, d: 3, duration: 3 },
    warmup: { _: [], c: 1, connections: 1, d: 3, duration: 3 },
    json: false,
    j: false,
    n: false,
    l: false,
    latency: false,
    renderLatencyTable: false,
    renderProgressBar: true,
    progress: true,
    renderResultsTable: true,
    renderStatusCodes: false,
    statusCodes: false,
    onPort: false,
    'on-port': false,
    spawn: [],
    cert: 'a.pem',
    key: 'b.pem',
    ca: ['c.pem'],
    verbose: true,
    V: true,
    version: false,
    v: false,
    help: false,
    h: false,
    skipAggregateResult: false,
    servername: undefined,
    workers: undefined,
    unknown: undefined,
    title: null
  }), [])
})

t.test('suggest: finds a name despite any typing error, and never suggests a different word', async t => {
  t.equal(suggest('form', ['forever', 'from']), 'from')
  t.equal(suggest('form', ['forever']), undefined)
  t.equal(suggest('x', []), undefined)
  t.equal(suggest('', ['a']), 'a')
  t.equal(suggest('forn', ['form', 'fort']), 'form', 'of several that are equally similar, the first')
  // One slip in three letters, two in six, three in more.
  for (const [written, name] of [['abx', 'abc'], ['axc', 'abc'], ['abcdxx', 'abcdef'], ['abcdexxx', 'abcdefgh']]) t.equal(suggest(written, [name]), name)
  for (const [written, name] of [['axx', 'abc'], ['abcxxx', 'abcdef'], ['abcdxxxx', 'abcdefgh']]) t.equal(suggest(written, [name]), undefined)
})

t.test('property: one typing error in a known name suggests a name at most as far away', async t => {
  const name = fc.constantFrom(...NAMES.filter(name => name.length > 3))
  const letter = fc.constantFrom(...'abcdefghijklmnopqrstuvwxyz')
  fc.assert(fc.property(name, fc.nat(), letter, fc.constantFrom('drop', 'add', 'change'), (name, at, letter, slip) => {
    at %= name.length
    const rest = name.slice(slip === 'add' ? at : at + 1)
    const written = name.slice(0, at) + (slip === 'drop' ? '' : letter) + rest
    const found = suggest(written, NAMES)
    // A typing error may lead to a similar option, such as 'bursts', which is then as near.
    t.ok(found === name || suggest(written, [found]) === found, `${written}: ${found}`)
    t.type(found, 'string')
  }))
})

t.test('property: every known name suggests itself', async t => {
  for (const name of NAMES) t.equal(suggest(name.toUpperCase(), NAMES), name)
})

t.test('each unknown key is named, at every depth at once', async (t) => {
  const { warnings } = createPlan({
    url: 'http://localhost',
    ttile: 'x',
    scenarios: [{ name: 'a', wieght: 2, requests: [{ bdy: 'a', pathh: '/' }, [{}, { bdy: 'b' }]] }, { name: 'b', clls: 3, requests: [{}] }]
  })
  t.same(warnings.map(({ message }) => /^the option '([^']*)' is unknown/.exec(message)[1]).sort(), [
    'scenarios[0].requests[0].bdy', 'scenarios[0].requests[0].pathh', 'scenarios[0].requests[1][1].bdy', 'scenarios[0].wieght', 'scenarios[1].clls', 'ttile'
  ])
})

t.test('a name of three letters may have one slip, one of six two, a longer one three', async t => {
  for (const [written, known, meant] of [
    ['abc', ['abd'], 'abd'], ['abc', ['axd'], undefined], ['abcd', ['abxy'], 'abxy'], ['abcd', ['axyz'], undefined],
    ['abcdef', ['abcdxy'], 'abcdxy'], ['abcdef', ['abcxyz'], undefined], ['abcdefg', ['abcdxyz'], 'abcdxyz'], ['abcdefg', ['abcwxyz'], undefined],
    ['Socket_Path', ['url', 'socketPath'], 'socketPath'], ['socket path', ['socketPath'], 'socketPath'], ['a-b_c d', ['abcd'], 'abcd'],
    ['abcd', ['abce', 'abcd', 'abcf'], 'abcd'], ['abcd', [], undefined]
  ]) t.equal(suggest(written, known), meant, `${written}: ${known}`)
})

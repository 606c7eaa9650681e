'use strict'

const path = require('node:path')
const assert = require('node:assert')
const t = require('tap')
const fc = require('../support/fast-check')
const { createPlan } = require('../../lib/plan')
const { parseSessionLog } = require('../..')

const planOf = (opts) => createPlan({ url: 'http://a.test', ...opts }).plan
const rejects = (t, opts, ...words) => {
  try {
    createPlan({ url: 'http://a.test', ...opts })
    t.fail('no error')
  } catch (error) {
    t.equal(error.code, 'CANNONADE_BAD_OPTION')
    for (const word of words) t.match(error.message, word)
  }
}

t.test('true means all defaults, false means none', async (t) => {
  t.match(planOf({ sessions: true }).sessions, { calls: null, amount: null, connections: 1, maxOpen: 10000, failOn: [] })
  t.equal(planOf({ sessions: false }).sessions, null)
  t.equal(planOf({}).sessions, null)
})

t.test('a sequence becomes steps, each with its think time', async (t) => {
  const { sessions, requests } = planOf({
    sessions: true, thinkTime: 1, requests: [{ path: '/1' }, [{ path: '/2', thinkTime: [2, 3] }, { path: '/3' }], { path: '/4', thinkTime: 0 }, { path: '/5', thinkTime: { mean: 4 } }]
  })
  t.same(requests.map(({ path }) => path), ['/1', '/2', '/3', '/4', '/5'])
  t.same(sessions.scripts, [[
    { requests: [0], thinkTime: { from: 1, to: 1 } },
    { requests: [1, 2], thinkTime: { from: 2, to: 3 } },
    { requests: [3], thinkTime: { from: 0, to: 0 } },
    { requests: [4], thinkTime: { mean: 4 } }
  ]])
})

t.test('failOn accepts statuses, classes and a text', async (t) => {
  t.same(planOf({ sessions: { failOn: 503 } }).sessions.failOn, [503])
  t.same(planOf({ sessions: { failOn: '404, 503' } }).sessions.failOn, [404, 503])
  t.same(planOf({ sessions: { failOn: [599, 200, '599', 200] } }).sessions.failOn, [200, 599])
  t.equal(planOf({ sessions: { failOn: '5xx,500,5XX' } }).sessions.failOn.length, 100)
  for (const failOn of [199, 600, '100', 404.5]) rejects(t, { sessions: { failOn } }, /sessions\.failOn/, /200 to 599/)
  const classes = planOf({ sessions: { failOn: ['5xx', 404] } }).sessions.failOn
  t.equal(classes.length, 101)
  t.same([classes[0], classes[1], classes[100]], [404, 500, 599])
})

t.test('options that contradict sessions, or need them, give one sentence', async (t) => {
  rejects(t, { sessions: true, amount: 5 }, /amount and sessions/, /sessions\.amount/)
  rejects(t, { sessions: true, connectionRate: 5 }, /connectionRate and sessions/)
  rejects(t, { sessions: true, maxOverallRequests: 5 }, /maxOverallRequests and sessions/)
  rejects(t, { requests: [[{ path: '/' }]] }, /requests\[0\]/, /set sessions/)
  rejects(t, { sessions: true, requests: [[]] }, /requests\[0\]/)
  rejects(t, { sessions: true, requests: [[[{ path: '/' }]]] }, /requests\[0\]\[0\]/, /bursts cannot be nested/)
  rejects(t, { sessions: true, requests: [[{ path: '/' }, { path: '/', thinkTime: 1 }]] }, /requests\[0\]\[1\]\.thinkTime/)
  rejects(t, { sessions: { connections: 2 }, pipelining: 2, setupClient () {} }, /sessions\.connections and pipelining/, /setupClient/)
  rejects(t, { sessions: { connections: 2 }, pipelining: 2, requests: [{}, { onResponse () {} }] }, /requests\[1\]/)
  rejects(t, { harTiming: true }, /harTiming/, /har and sessions/)
  rejects(t, { thinkTime: 1, overallRate: 5 }, /thinkTime and overallRate/)
})

t.test('whatever depends on the order of responses is refused with several pipelined connections of a session', async (t) => {
  const hook = () => {}
  const ways = {
    setupClient: { setupClient: hook },
    setupRequest: { setupRequest: hook },
    'the hooks of requests\\[0\\]': { requests: [{ onResponse: hook }, { setupRequest: hook }] },
    'the hooks of requests\\[1\\]': { requests: [{}, { setupRequest: hook }] }
  }
  for (const [what, opts] of Object.entries(ways)) {
    rejects(t, { sessions: { connections: 2 }, pipelining: 2, ...opts }, new RegExp(`^sessions\\.connections and pipelining cannot be given together: ${what} would depend`))
    t.doesNotThrow(() => planOf({ sessions: { connections: 2 }, ...opts }))
    t.doesNotThrow(() => planOf({ sessions: true, pipelining: 2, ...opts }))
  }
  t.doesNotThrow(() => planOf({ sessions: { connections: 2 }, pipelining: 2, requests: [{}, {}] }))
})

t.test('an unknown part within a burst is a warning', async (t) => {
  const { warnings } = createPlan({ url: 'http://a.test', sessions: { call: 3 }, requests: [[{ pathh: '/' }]] })
  t.match(warnings.map(({ message }) => message).join(), /requests\[0\]\[0\]\.pathh/)
  t.match(warnings.map(({ message }) => message).join(), /sessions\.call/)
})

t.test('a session log has sessions, bursts, think times, methods and contents', async (t) => {
  t.same(parseSessionLog('# comment\n\n\n/a think=2.0\n\t/b\n  /c method=post contents="x=\\"1\\"\\n"\n/d\n\n/e\n  /f\n'), [
    [{ path: '/a' }, [{ path: '/b', thinkTime: 0 }, { path: '/c', method: 'POST', body: 'x="1"\n' }], { path: '/d', thinkTime: 2 }],
    [{ path: '/e' }, { path: '/f', thinkTime: 0 }]
  ], 'the first call of a burst goes alone, the others at once when it has been answered')
  t.same(parseSessionLog("/a method=PUT contents='one \\\ntwo'\r\n/b\r\n"), [[{ path: '/a', method: 'PUT', body: 'one \ntwo' }, { path: '/b' }]])
})

// A session as bursts of calls; each call as the log writes it.
const call = fc.record({
  path: fc.constantFrom('/a', '/b?c=1', '/d#e'),
  method: fc.option(fc.constantFrom('POST', 'put', 'HEAD'), { nil: undefined }),
  body: fc.option(fc.constantFrom('x', 'a b', 'it"s', "'", 'line\n', ''), { nil: undefined }),
  think: fc.option(fc.integer({ min: 0, max: 40 }).map((tenths) => tenths / 10), { nil: undefined })
})
const sessionsOfLog = fc.array(fc.array(fc.array(call, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 3 })

const written = ({ path, method, body, think }) => [
  path, ...(method === undefined ? [] : [`method=${method}`]), ...(think === undefined ? [] : [`think=${think}`]),
  ...(body === undefined ? [] : [`contents="${body.replaceAll('"', '\\"').replaceAll('\n', '\\n')}"`])
].join(' ')

t.test('property: any log is read as it was written; the last pause of a burst applies before what follows it', async (t) => {
  fc.assert(fc.property(sessionsOfLog, fc.constantFrom('\n', '\r\n'), (sessions, end) => {
    const text = sessions.map((bursts) => bursts.map((burst) => burst.map((each, index) => `${index === 0 ? '' : '  '}${written(each)}${end}`).join('')).join('')).join(end)
    const request = ({ path, method, body }) => ({ path, ...(method !== undefined && { method: method.toUpperCase() }), ...(body !== undefined && { body }) })
    const expected = sessions.map((bursts) => bursts.flatMap((burst, index) => {
      const pause = index === 0 ? undefined : bursts[index - 1].findLast(({ think }) => think !== undefined)?.think
      const [first, second, ...rest] = burst.map(request)
      const alone = { ...first, ...(pause !== undefined && { thinkTime: pause }) }
      if (second === undefined) return [alone]
      const atOnce = { ...second, thinkTime: 0 }
      return [alone, rest.length === 0 ? atOnce : [atOnce, ...rest]]
    }))
    assert.deepStrictEqual(parseSessionLog(text), expected)
  }), { numRuns: 200 })
})

t.test('property: requests of a log are the same only if all of them but the pause is', async (t) => {
  const entry = fc.record({
    path: fc.constantFrom('/a', '/b'),
    method: fc.constantFrom('PUT', 'POST'),
    body: fc.constantFrom('x', 'y'),
    title: fc.constantFrom('one', 'two'),
    headers: fc.constantFrom({ a: '1' }, { a: '2' }),
    thinkTime: fc.integer({ min: 0, max: 3 })
  }, { requiredKeys: ['path'], noNullPrototype: true })
  fc.assert(fc.property(fc.array(fc.array(entry, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 4 }), (log) => {
    const { sessions: { scripts }, requests } = planOf({ sessions: { log } })
    const kindOf = ({ path, method = 'GET', body = null, title, headers = {} }) => JSON.stringify([path, method, body, title, Object.entries(headers)])
    const kinds = [...new Set(log.flat().map(kindOf))]
    assert.deepStrictEqual(requests.map(({ path, method, body, title, headers }) => kindOf({ path, method, body, title, headers: Object.fromEntries(headers) })), kinds)
    assert.deepStrictEqual(structuredClone(scripts), log.map((session) => session.map(({ thinkTime, ...request }) => ({
      requests: [kinds.indexOf(kindOf(request))], thinkTime: thinkTime === undefined ? null : { from: thinkTime, to: thinkTime }
    }))))
  }), { numRuns: 100 })
})

t.test('requests of a log with hooks are the same only if they are the same object', async (t) => {
  const [first, other] = [1, 2].map(() => ({ path: '/a', onResponse () {} }))
  const { plan, hooks } = createPlan({ url: 'http://a.test', sessions: { log: [[first, { path: '/a' }], [other, first]] } })
  t.same(plan.sessions.scripts.map((script) => script.flatMap(({ requests }) => requests)), [[0, 1], [2, 0]])
  t.strictSame(hooks.requests.map(({ onResponse }) => onResponse ?? null), [first.onResponse, null, other.onResponse])
})

t.test('contents are those that httperf sends', async (t) => {
  const sent = {
    '"Multi\\\nline"': 'Multi\nline',
    'Multi\\\r\nline think=1': 'Multi\nline',
    '"\\n\\r\\t\\\\\\"\\x41\\101\\q"': '\n\r\t\\"x41101q',
    "'it'\"'\"'s\\ one'\\'": "it's one'",
    '""': '',
    '"#\t\' é"': '#\t\' é'
  }
  for (const [written, body] of Object.entries(sent)) t.equal(parseSessionLog(`/a contents=${written}`)[0][0].body, body, written)
  t.same(parseSessionLog('# C:\\\n/a method = PUT \\\n  contents="x"\n  # indented\\\n/b\\\n'), [[{ path: '/a', method: 'PUT', body: 'x' }, { path: '/b\\' }]], 'at the end of a line')
})

t.test('non-UTF-8 bytes of a log are sent unchanged', async (t) => {
  const log = path.join(t.testdir({ log: Buffer.from('/\xe9 contents="\xff\\n"\n  /b\n  /c method=PUT contents=\xfe\n', 'latin1') }), 'log')
  const { requests } = planOf({ sessions: { log } })
  t.same(requests.map(({ path }) => path), ['/%E9', '/b', '/c'])
  t.same(requests.map(({ body }) => body && Buffer.from(body)), [Buffer.from([0xff, 0x0a]), null, Buffer.from([0xfe])])
})

t.test('an error names the number of the invalid line', async (t) => {
  t.same(parseSessionLog('/a think=5\n\n/b\n'), [[{ path: '/a' }], [{ path: '/b' }]], 'a pause after the last call of a session is none before the next')
  const bad = { '/a\n\n  /b': 3, '/a what=1': 1, '/a\n/b method=BLAH': 2, '/a think=soon': 1, '/a think=-1': 1, '/a contents="open': 1, '/a contents="one\\\ntwo\\\n': 1, '/a contents="one\\\ntwo"\n/b think=soon': 3, '/a \\\n  what=1': 1, '/a =': 1 }
  for (const [text, line] of Object.entries(bad)) {
    try {
      parseSessionLog(text)
      t.fail(text)
    } catch (error) {
      t.equal(error.code, 'CANNONADE_BAD_OPTION')
      t.match(error.message, new RegExp(`^line ${line} of the session log: `))
    }
  }
  for (const text of ['', '# nothing\n']) t.throws(() => parseSessionLog(text), { code: 'CANNONADE_BAD_OPTION' })
  t.throws(() => parseSessionLog(5), { code: 'CANNONADE_BAD_OPTION' })
})

t.test('property: the line of an error is one more than there are line ends before its request', async (t) => {
  const piece = fc.constantFrom('\n', '# a comment\n', '/a\n', '/a think=1\r\n', '/a \\\n think=1\n', '/a \\\n\\\n \\\r\n method=PUT\n', '/a contents="one\\\ntwo\\\nthree"\n', "/a contents='\\\n\\\n' \\\n\\\n think=2\n", '/a contents=x\\\n\\\ny\n')
  fc.assert(fc.property(fc.array(piece, { maxLength: 6 }), fc.constantFrom('/b what=1', '/b \\\n\\\n think=soon', '/b contents="\\\nopen'), (pieces, bad) => {
    const before = pieces.join('')
    assert.throws(() => parseSessionLog(`${before}${bad}\n/c\n`), { message: new RegExp(`^line ${before.split('\n').length} of the session log: `) })
  }), { numRuns: 200 })
})

t.test('a request that occurs several times in a log is one endpoint', async (t) => {
  const { sessions, requests } = planOf({ sessions: { log: parseSessionLog('/a\n/b think=1\n/a\n\n/b\n') } })
  t.same(requests.map(({ path }) => path), ['/a', '/b'])
  t.same(sessions.scripts.map((script) => script.map(({ requests }) => requests)), [[[0], [1], [0]], [[1]]])
})

t.test('a recorded visit becomes a page, a burst of its resources, a pause, and the next page', async (t) => {
  const entry = (path, pageref, at, time) => ({
    startedDateTime: new Date(at).toISOString(), time, pageref, request: { method: 'GET', url: `http://a.test${path}`, headers: [] }
  })
  const entries = [
    entry('/', 'page_1', 1000, 100), entry('/style', 'page_1', 1110, 90), entry('/script', 'page_1', 1120, 20),
    entry('/next', 'page_2', 4200, 10), entry('/alone', undefined, 6210, 5)
  ]
  const { sessions } = planOf({ har: { log: { entries } }, harTiming: true, sessions: true, thinkTime: 9 })
  const pause = (seconds) => ({ from: seconds, to: seconds })
  t.same(sessions.scripts, [[
    { requests: [0], thinkTime: pause(0) }, { requests: [1, 2], thinkTime: pause(0) }, { requests: [3], thinkTime: pause(3) }, { requests: [4], thinkTime: pause(2) }
  ]])
  rejects(t, { har: { log: { entries: [{ request: entries[0].request }] } }, harTiming: true, sessions: true }, /entry #1/, /startedDateTime/)
  rejects(t, { har: { log: { entries: [{ ...entries[0], startedDateTime: '2024-02-31T10:00:00Z' }] } }, harTiming: true, sessions: true }, /entry #1/, /startedDateTime/)
  const late = entry('/late', undefined, 86_400_000 * 400, 5)
  const { warnings } = createPlan({ url: 'http://a.test', har: { log: { entries: [...entries, late] } }, harTiming: true, sessions: true })
  t.match(warnings.map(({ message }) => message), [/^Nothing is due for 400 days before entry #6\. All the rest takes 5 seconds\. If its startedDateTime is wrong/])
  // One wrong time is a gap for each URL, and one warning.
  const other = entries.map((each) => ({ ...each, request: { ...each.request, url: each.request.url.replace('a.test', 'b.test') } }))
  const both = [...entries, ...other, late, { ...late, request: { ...late.request, url: 'http://b.test/late' } }].sort((a, b) => a.startedDateTime < b.startedDateTime ? -1 : 1)
  const { warnings: ofBoth } = createPlan({ url: ['http://a.test', 'http://b.test'], har: { log: { entries: both } }, harTiming: true, sessions: true })
  t.match(ofBoth.map(({ message }) => message), [/^Nothing is due for 400 days before entry #11\. All the rest takes 5 seconds\. /])
  t.equal(ofBoth.length, 1)
})

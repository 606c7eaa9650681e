'use strict'

// How the lines of a log are parsed, and when each request is due.

const assert = require('node:assert')
const fs = require('node:fs')
const path = require('node:path')
const t = require('tap')
const fc = require('../../support/fast-check')
const { createPlan } = require('../../../lib/plan')
const { CODES } = require('../../../lib/base/errors')
const { readISODate } = require('../../../lib/inputs/iso-date')
const { READERS, formatOf } = require('../../../lib/inputs/replay/formats')
const { replay } = require('../../../lib/inputs/replay')
const { linesOf } = require('../../../lib/inputs/replay/lines')
const { Gaps, gapWarnings } = require('../../../lib/inputs/recording-gap')
const { timing } = require('../../../lib/inputs/replay/timing')
const { pathGroup } = require('../../../lib/values/path')

const COMMON = '127.0.0.1 user-identifier frank [10/Oct/2000:13:55:36 -0700] "GET /apache_pb.gif HTTP/1.0" 200 2326'
const COMBINED = `${COMMON} "http://www.example.com/start.html" "Mozilla/4.08 [en] (Win98; I ;Nav)"`
const AT = Date.UTC(2000, 9, 10, 20, 55, 36)

const log = (t, text, name = 'access.log') => path.join(t.testdir({ [name]: text }), name)
const planOf = (replay, more) => createPlan({ url: 'http://localhost:3000', replay, ...more })
const why = (format, line) => {
  try {
    READERS[format](line)
  } catch (error) {
    return error.message
  }
}

t.test('the option accepts exactly the formats that can be read', async (t) => {
  const formats = [...Object.keys(READERS), 'har'].map((name) => `'${name}'`)
  t.throws(() => replay.read({ file: 'x', format: 'none' }, 'replay'), { message: `replay.format must be ${formats.join(' or ')}; got 'none'` })
})

t.test('a line of an access log', async (t) => {
  t.same(READERS.common(COMMON), { time: AT, method: 'GET', path: '/apache_pb.gif' })
  const { headers, ...request } = READERS.combined(COMBINED)
  t.same(request, READERS.common(COMMON))
  t.same([...headers.values()], [
    { name: 'Referer', values: ['http://www.example.com/start.html'] },
    { name: 'User-Agent', values: ['Mozilla/4.08 [en] (Win98; I ;Nav)'] }
  ])
  t.same([...READERS.combined(`${COMMON} "-" "say \\"hi\\" \\x41"`).headers.values()], [{ name: 'User-Agent', values: ['say "hi" A'] }])
  t.equal(READERS.combined(`${COMMON} "-" "a\\x01b"`).headers.size, 0, 'something that no client can have sent')
  const asked = (request) => READERS.common(`::1 - - [01/Jan/2024:00:00:00 +0130] "${request}" 200 -`)
  t.same(asked('POST http://shop.test:8080/a?b=c#d HTTP/1.1'), { time: Date.UTC(2023, 11, 31, 22, 30), method: 'POST', path: '/a?b=c' })
  t.equal(asked('GET /ü').path, '/%C3%BC')
})

t.test('property: times in any order and zone mean the same as they do alone', async (t) => {
  const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']
  const two = (number) => String(number).padStart(2, '0')
  const zone = fc.constantFrom(0, 60, -330, 825, -1)
  const second = fc.oneof(fc.constantFrom(0, 1, 3600), fc.nat(86_400 * 700))
  fc.assert(fc.property(fc.array(fc.tuple(second, zone), { maxLength: 12 }), (times) => {
    for (const [seconds, ahead] of times) {
      // What clocks there show.
      const local = new Date(AT + seconds * 1000)
      const clock = [local.getUTCHours(), local.getUTCMinutes(), local.getUTCSeconds()].map(two).join(':')
      const offset = `${ahead < 0 ? '-' : '+'}${two(Math.floor(Math.abs(ahead) / 60))}${two(Math.abs(ahead) % 60)}`
      const time = `${two(local.getUTCDate())}/${months[local.getUTCMonth()]}/${local.getUTCFullYear()}:${clock} ${offset}`
      t.equal(READERS.common(`::1 - - [${time}] "GET / HTTP/1.1" 200 5`).time, local.getTime() - ahead * 60_000, time)
    }
  }), { numRuns: 60 })
})

t.test('lines that are not requests say why', async (t) => {
  const asked = (request, time = '01/Jan/2024:00:00:00 +0000') => why('common', `::1 - - [${time}] "${request}" 400 0`)
  t.match(asked('\\x16\\x03\\x01'), /its request is not a method and a path/)
  t.match(asked('-'), /its request is not a method and a path/)
  t.match(asked('CONNECT a.test:443 HTTP/1.1'), /its method cannot be sent/)
  t.match(asked('GET / HTTP/1.1', '2024-01-01T00:00:00Z'), /its time is not like/)
  t.match(why('common', 'nothing of the kind'), /not a line of an access log/)
  t.match(why('jsonl', '{"time":1'), /not JSON/)
  t.match(why('jsonl', '[1]'), /not an object/)
  t.match(why('jsonl', '{"path":"/"}'), /its time is neither/)
  t.match(why('jsonl', '{"time":1}'), /no path/)
  t.match(why('jsonl', '{"time":1,"path":"/","body":{}}'), /its body is not a string/)
  t.match(why('jsonl', '{"time":1,"path":"/","headers":{"a b":1}}'), /its headers cannot be sent/)
})

t.test('an impossible date or time makes a line malformed', async (t) => {
  const at = (time) => why('common', `::1 - - [${time}] "GET / HTTP/1.1" 200 5`)
  const missing = [
    '31/Feb/2024:10:00:00 +0000', '30/Feb/2024:10:00:00 +0000', '29/Feb/2023:10:00:00 +0000', '31/Apr/2024:10:00:00 +0000', '32/Jan/2024:10:00:00 +0000', '00/Jan/2024:10:00:00 +0000',
    '10/Jan/2024:24:00:00 +0000', '10/Jan/2024:25:00:00 +0000', '10/Jan/2024:10:60:00 +0000', '10/Jan/2024:10:00:60 +0000', '10/Jan/2024:10:00:99 +0000', '10/Jan/2024:10:00:00 +2400', '10/Jan/2024:10:00:00 -0060'
  ]
  for (const time of missing) t.equal(at(time), `its time is not a valid date: ${time}`)
  for (const time of ['10/Foo/2024:10:00:00 +0000', '1/Jan/2024:10:00:00 +0000', '01/Jan/24:10:00:00 +0000']) t.match(at(time), /^its time is not like/)
  for (const time of ['29/Feb/2024:23:59:59 +0000', '31/Dec/0099:00:00:00 -2359']) t.equal(at(time), undefined)
  const json = (time) => why('jsonl', JSON.stringify({ time, path: '/' }))
  for (const time of ['2024-02-31T10:00:00Z', '2024-13-01T10:00:00Z', '2024-01-00', '2024-01-01T25:00:00Z', '2024-01-01T10:60Z', '2024-01-01T10:00:61Z', '2024-01-01T10:00:00+24:00', 'Feb 31 2024', '', 'now', null, true, 9e15, -9e15, '1e300']) {
    t.match(json(time), /its time is neither a valid ISO 8601 date nor/, String(time))
  }
})

t.test('ISO 8601 as programs write it', async (t) => {
  const { TZ } = process.env
  t.teardown(() => {
    if (TZ === undefined) delete process.env.TZ
    else process.env.TZ = TZ
  })
  process.env.TZ = 'America/New_York'
  const noon = Date.UTC(2024, 1, 29, 12, 30, 15)
  const read = {
    '2024-02-29T12:30:15Z': noon,
    '2024-02-29t12:30:15.250z': noon + 250,
    '2024-02-29 12:30:15,250999Z': noon + 250,
    '2024-02-29T14:00:15+01:30': noon,
    '2024-02-29T07:30:15-0500': noon,
    '2024-02-29T13:30:15 +01': noon,
    '2024-02-29T12:30Z': noon - 15_000,
    '2024-02-29T07:30:15': noon,
    '2024-07-01T08:00:00.5': Date.UTC(2024, 6, 1, 12) + 500,
    '2024-02-29': Date.UTC(2024, 1, 29),
    '2024-02': Date.UTC(2024, 1),
    '+002024-02-29T12:30:15Z': noon
  }
  for (const [text, ms] of Object.entries(read)) t.equal(readISODate(text), ms, text)
  fc.assert(fc.property(fc.date({ min: new Date(0), max: new Date('9999-12-31T23:59:59.999Z'), noInvalidDate: true }), (date) => readISODate(date.toISOString()) === date.getTime()))
})

t.test('a user name with spaces and brackets', async (t) => {
  t.same(READERS.common('::1 - Doe, [Jane] [10/Oct/2000:13:55:36 -0700] "GET /a HTTP/1.0" 200 5'), { time: AT, method: 'GET', path: '/a' })
  t.same(READERS.common('::1 - [bot [10/Oct/2000:13:55:36 -0700] "GET /a HTTP/1.0" 200 5'), { time: AT, method: 'GET', path: '/a' })
})

t.test('what a client could not have sent, or did not send, is no header', async (t) => {
  const headersOf = (referer, agent) => [...READERS.combined(`::1 - - [10/Oct/2000:13:55:36 -0700] "GET /a HTTP/1.0" 200 5 "${referer}" "${agent}"`).headers.values()].map(({ name, values }) => [name, ...values])
  const [referer, agent] = [['Referer', 'http://h/?a'], ['User-Agent', 'x "y"']]
  t.same(headersOf('http://h/?a', 'x \\"y\\"'), [referer, agent])
  for (const nothing of ['', '-', 'a\\x0ab', '\\x00']) {
    t.same(headersOf(nothing, 'x \\x22y\\x22'), [agent], nothing)
    t.same(headersOf('http://h/?a', nothing), [referer], nothing)
    t.same(headersOf(nothing, nothing), [], nothing)
  }
})

t.test('a pause is an outlier from ten minutes on, if it is more than ten times as long as the rest, and one of the longest tenth', async (t) => {
  const outliersOf = (...seconds) => {
    const gaps = new Gaps()
    seconds.forEach((each, place) => gaps.add(each, place))
    return gaps.outliers.map(({ seconds, place }) => [seconds, place])
  }
  const short = (count) => new Array(count).fill(1)
  t.same(outliersOf(...short(9), 600), [[600, 9]])
  t.same(outliersOf(...short(9), 599.999), [])
  t.same([outliersOf(59, 600), outliersOf(60, 600)], [[[600, 1]], []])
  t.same(outliersOf(5000, ...short(17), 6000), [], 'two of 19')
  t.same(outliersOf(5000, ...short(18), 6000), [[6000, 19], [5000, 0]], 'two of 20')
  t.same(outliersOf(8000, 9000, ...short(128), 600, 70_000), [[70_000, 131], [9000, 1], [8000, 0]], 'without them, the fourth is no outlier')
  t.same(outliersOf(...new Array(12).fill(9e6), ...short(188)), [], 'at most ten are known, and all others belong to the rest')
})

t.test('property: the longest pauses are known in whichever order they come, and are outliers as far as each is ten times as long as what is left', async (t) => {
  const seconds = fc.oneof(fc.integer({ min: 0, max: 30 }), fc.integer({ min: 500, max: 1000 }), fc.integer({ min: 1e3, max: 1e7 }))
  const pauses = fc.tuple(fc.array(seconds, { maxLength: 14 }), fc.array(fc.integer({ min: 0, max: 2 }), { maxLength: 160 })).chain(([long, short]) => fc.shuffledSubarray([...long, ...short], { minLength: long.length + short.length }))
  let found = 0
  fc.assert(fc.property(pauses, (list) => {
    const gaps = new Gaps()
    list.forEach((each, place) => gaps.add(each, place))
    const longest = list.map((each, place) => ({ seconds: each, place })).sort((one, other) => other.seconds - one.seconds || one.place - other.place)
      .slice(0, Math.min(10, Math.max(1, Math.floor(list.length / 10))))
    const left = (count) => list.reduce((sum, each) => sum + each, 0) - longest.slice(0, count).reduce((sum, { seconds }) => sum + seconds, 0)
    const count = longest.findLastIndex(({ seconds }, index) => seconds >= 600 && seconds > 10 * left(index + 1)) + 1
    found = Math.max(found, count)
    assert.deepStrictEqual(gaps.outliers, longest.slice(0, count))
    const [warning] = gapWarnings(gaps, (place) => `at ${place}`, '')
    if (count === 0) assert.equal(warning, undefined)
    else assert.ok(warning.message.includes(` at ${longest[0].place}${count === 1 ? '' : `, and ${count - 1} more such pause${count === 2 ? '' : 's'}`}. All the rest`), warning.message)
  }), { numRuns: 300 })
  t.ok(found >= 3, `up to ${found} outliers`)
})

t.test('how long a pause is, in the largest unit of which there are two', async (t) => {
  const words = { 600: '10 minutes', 7199: '120 minutes', 7200: '2 hours', 172_799: '48 hours', 172_800: '2 days', 86_400: '24 hours', 9000: '2.5 hours', 1e9: '11,574.1 days' }
  for (const [seconds, text] of Object.entries(words)) {
    const gaps = new Gaps()
    gaps.add(Number(seconds), 3)
    t.match(gapWarnings(gaps, (place) => `at ${place}`, 'Advice.'), [{ code: 'RECORDING_GAP', message: `Nothing is due for ${text} at 3. All the rest takes 0 seconds. Advice.` }], text)
  }
  for (const [rest, text] of [[1, '1 second'], [1.06, '1.1 seconds'], [119, '119 seconds'], [120, '2 minutes']]) {
    const gaps = new Gaps()
    gaps.add(1e6, 1)
    gaps.add(rest, 2)
    t.match(gapWarnings(gaps, String, ''), [{ message: `All the rest takes ${text}. ` }])
  }
})

t.test("a wrong time doesn't silently stretch a recording", async (t) => {
  const second = (offset) => new Date(AT + offset * 1000).toISOString().replace('.000Z', 'Z')
  const line = (offset) => JSON.stringify({ time: second(offset), path: '/' })
  const gapOf = (offsets, replay) => planOf({ file: log(t, offsets.map(line).join('\n')), ...replay }).warnings.find(({ code }) => code === 'RECORDING_GAP')?.message
  const oneSecond = new Array(100).fill(0)
  const years = 20 * 365.25 * 86_400
  t.equal(gapOf([...oneSecond, years]), `Nothing is due for 7,305 days between ${second(0)} and ${second(years)}. All the rest takes 1 second. ` +
    'If one of these times is wrong, remove its line from the log; replay.limit and replay.speed shorten a run.')
  t.match(gapOf([-years, ...oneSecond]), `between ${second(-years)} and ${second(0)}.`)
  for (const speed of [0.5, 2, 100]) {
    t.match(gapOf([0, ...oneSecond.map(() => 60), years], { speed }), `between ${second(60)} and ${second(years)}.`, 'as recorded, at whichever speed')
  }
  for (const [speed, length] of [[0.5, '8.3 days'], [2, '2.1 days'], [100, '60 minutes']]) {
    t.match(gapOf([0, 0, 0, 360_000], { speed }), `Nothing is due for ${length} between`, 'as replayed')
  }
  t.match(gapOf([...oneSecond, years, 2 * years, 2 * years]), /^Nothing is due for 7,305 days .*, and 1 more such pause\. All the rest takes 1\.5 seconds/)
  t.match(gapOf([0, 1, 2, 3600]), /^Nothing is due for (59\.9|60) minutes|^Nothing is due for 1 hour/)
  t.equal(gapOf([0, 1, 2, 599]), undefined, 'a plausible pause')
  t.equal(gapOf([0, 1, 2, 3600], { speed: 10 }), undefined)
  t.equal(gapOf([0, 1, 2, 3600], { limit: 3 }), undefined)
  t.equal(gapOf([0, 100_000, 200_000, 300_000]), undefined, 'equally long ones')
  t.equal(gapOf([...Array.from({ length: 100 }, (_, hour) => hour * 300), 16 * 3600]), undefined, 'a night')
  t.equal(gapOf([0]), undefined)
})

t.test('a line of JSON', async (t) => {
  const { headers, ...request } = READERS.jsonl('{"time":"2024-01-01T00:00:00.250Z","method":"put","path":"/x","headers":{"Host":"old.test","X-A":[1,2]},"body":"ü"}')
  t.same(request, { time: Date.UTC(2024, 0, 1) + 250, method: 'PUT', path: '/x', body: 'ü' })
  t.same([...headers.values()], [{ name: 'X-A', values: ['1', '2'] }], 'Host is that of the target')
  const ofConnection = Object.fromEntries(['HOST', 'Content-Length', 'Connection', 'keep-alive', 'Proxy-Connection', 'TE', 'Transfer-Encoding', 'upgrade'].map((name) => [name, 'x']))
  t.same([...READERS.jsonl(JSON.stringify({ time: 5, path: '/', headers: { ...ofConnection, Trailer: 'y', 'Upgrade-Insecure-Requests': 1 } })).headers.keys()], ['trailer', 'upgrade-insecure-requests'])
  t.same(READERS.jsonl('{"time":5,"path":"x"}'), { time: 5, method: 'GET', path: '/x', headers: undefined, body: undefined })
})

t.test('the format is detected from the content', async (t) => {
  t.equal(formatOf(COMMON), 'common')
  t.equal(formatOf(COMBINED), 'combined')
  t.equal(formatOf('{"time":5,"path":"/x"}'), 'jsonl')
  t.equal(formatOf('{"log":{"entries":[]}}'), 'har')
  t.equal(formatOf('{'), 'har')
  t.equal(formatOf('GET /'), null)
  t.equal(formatOf('{"a":1}'), null)
})

t.test('lines are read in blocks, whatever their length', async (t) => {
  const texts = ['', 'a', 'x'.repeat(3 * 1024 * 1024), 'ü', '', 'y'.repeat(1024 * 1024 - 1), 'last']
  for (const end of ['', '\n']) {
    const file = log(t, texts.join('\n') + end)
    const lines = [...linesOf(file)]
    t.same(lines.map(({ text }) => text.length), texts.map((text) => text.length))
    t.same(lines.map(({ number }) => number), [1, 2, 3, 4, 5, 6, 7])
    const bytes = fs.readFileSync(file)
    for (const { text, place, length } of lines) t.equal(bytes.toString('utf8', place, place + length), text)
  }
  t.same([...linesOf(log(t, ''))], [])
})

t.test('a line may have 16 MiB; what is behind a longer one is not read', async (t) => {
  const most = 16 * 1024 * 1024
  const lengthsOf = (...lengths) => [...linesOf(log(t, lengths.map((length) => 'x'.repeat(length)).join('\n')))].map(({ text, length }) => text === null ? null : length)
  t.same(lengthsOf(most - 1, 5), [most - 1, 5])
  t.same(lengthsOf(5, most + 1024 * 1024, 5), [5, null])
})

t.test('which parts of a path stand for one of many', async (t) => {
  const cases = {
    '/a/1': '/a/*',
    '/a/-1.5/b': '/a/*/b',
    '/1': '/*',
    '/1/2': '/*/*',
    '/a1': '/a1',
    '/1a': '/1a',
    '/a?b=1': '/a',
    '/a/1?b': '/a/*',
    '/a/1.json': '/a/*.json',
    '/a/1.tar.gz': '/a/*.tar.gz',
    '/a/1.5.x': '/a/*.x',
    '/a/1.': '/a/1.',
    '/abcde1': '/abcde1',
    '/abcdef1': '/*',
    '/abcdef12': '/*',
    '/ABCDEF1.json': '/*.json',
    '/abcdefa': '/abcdefa',
    '/abcdefg1': '/abcdefg1',
    '/12345678-1234-1234-1234-123456789abc': '/*',
    '/abcdefab-abcd-abcd-abcd-abcdefabcde1': '/*',
    '/12345678-1234-1234-123456789abc': '/12345678-1234-1234-123456789abc',
    '/': '/',
    '*': '*'
  }
  t.same(Object.fromEntries(Object.keys(cases).map((path) => [path, pathGroup(path)])), cases)
})

t.test('due times: whole seconds are spread, fractions are kept, and speed divides', async (t) => {
  const due = (recorded, speed = 1) => {
    const { times, order, duration } = timing(Float64Array.from(recorded), speed, (length) => new Float64Array(length))
    return { times: [...times], order: order && [...order], duration }
  }
  t.same(due([5000, 5000, 6000]), { times: [0, 0.5, 1], order: null, duration: 2 })
  t.same(due([5000, 5000, 6000], 2), { times: [0, 0.25, 0.5], order: null, duration: 1 })
  t.same(due([5000, 5500, 7000]), { times: [0, 0.5, 2], order: null, duration: 2.001 })
  t.same(due([7000, 5000, 7000, 5000]), { times: [0, 0.5, 2, 2.5], order: [1, 3, 0, 2], duration: 3 }, 'in the order of the file within a second')
  t.same(due([5]), { times: [0], order: null, duration: 0.001 })
  const together = due([5, 5, 5])
  t.same(together.times, [0, 1e-6, 2e-6], 'no two at one time')
  const { times, duration } = due([5, 5, 5], 1000)
  t.same([times.at(-1), duration].map((seconds) => Math.round(seconds * 1e9)), [2000, 3000], 'and all of them within the run')
})

t.test('the plan contains the positions of requests, not the requests', async (t) => {
  const file = log(t, `\ufeff${COMBINED}\nnonsense\n\n${COMBINED.replace('/apache_pb.gif', '/b?x=1')}\r\n${COMBINED.replace('/apache_pb.gif', '/b?x=2')}`)
  const { plan, warnings } = planOf({ file, speed: 2 })
  t.equal(plan.replay.format, 'combined')
  t.equal(plan.replay.count, 3)
  t.equal(plan.duration, 0.5)
  t.equal(plan.schedule.kind, 'recorded')
  t.same(plan.requests.map(({ method, path }) => `${method} ${path}`), ['GET /b', 'GET /apache_pb.gif'], 'the most frequent first')
  t.same([...plan.replay.endpoints], [1, 0, 0])
  t.match(warnings, [{ code: 'REPLAY_LINES_LEFT_OUT', message: "Skipped 1 line of the log that is not a request; replaying 3. The first: line 2, it is not a line of an access log: host ident user [time] \"request\" status bytes ('nonsense')." }])
  const bytes = fs.readFileSync(file)
  const texts = [...plan.replay.places].map((place, index) => bytes.toString('utf8', place, place + plan.replay.lengths[index]))
  t.equal(texts[0], COMBINED, 'without the mark at the beginning')
  t.same(structuredClone(plan).replay.endpoints, plan.replay.endpoints)
  t.equal(planOf({ file, limit: 2 }).plan.replay.count, 2)
  t.equal(planOf(file).plan.duration, 1, 'a path alone')
})

t.test('of many different requests, the most frequent become endpoints', async (t) => {
  const line = (number) => JSON.stringify({ time: number, path: `/page-${number}` })
  const lines = Array.from({ length: 10_200 }, (_, number) => line(number))
  // The one after the ten thousandth is not counted by itself, however often it comes.
  const { plan } = planOf(log(t, [...lines, line(9), line(9), ...new Array(5).fill(line(10_000))].join('\n')))
  t.equal(plan.replay.endpoints[10_000], 100)
  t.equal(plan.requests.length, 101)
  t.match(plan.requests[0], { path: '/page-9' })
  t.match(plan.requests[100], { title: 'all others' })
  t.same([plan.replay.endpoints[9], plan.replay.endpoints[200], plan.replay.endpoints[10_150]], [0, 100, 100])
})

t.test('lines that are not requests are skipped, however many, once the format is known', async (t) => {
  const broken = new Array(1500).fill('nonsense')
  const { plan, warnings } = planOf(log(t, [COMMON, ...broken, COMMON].join('\n')))
  t.equal(plan.replay.count, 2)
  t.match(warnings, [{ message: 'Skipped 1,500 lines of the log that are not requests; replaying 2. The first: line 2,' }])
  t.equal(planOf(log(t, [...broken.slice(0, 999), COMMON].join('\n'))).plan.replay.count, 1, 'within the first thousand lines')
  t.throws(() => planOf(log(t, [...broken.slice(0, 1000), COMMON].join('\n'))), { message: /line 1, it has no known format/ }, 'and no more')
  t.throws(() => planOf(log(t, [...broken, COMMON].join('\n'))), { message: /contains no request that can be replayed: line 1, it has no known format/ })
})

t.test('a title that is empty is none', async (t) => {
  const lines = [undefined, null, '', 'own'].map((title, time) => JSON.stringify({ time, path: '/a', title }))
  const { plan } = planOf(log(t, lines.join('\n')))
  t.same(plan.requests.map(({ title, path }) => [title, path]), [[undefined, '/a'], ['own', '/a']])
  t.same([...plan.replay.endpoints], [0, 0, 0, 1])
})

t.test('numbers, UUIDs and hashes in a path are one endpoint, unless a title says otherwise', async (t) => {
  const uuid = (digit) => `${digit.repeat(8)}-1b2c-4d5e-8f90-123456789abc`
  const lines = [
    ['/items/1'], ['/items/2?page=7'], ['/items/1', 'first item'], ['/things/1', 'first item'], ['/items/3/parts/4.json'], ['/items/5/parts/6.json'],
    [`/users/${uuid('a')}`], [`/users/${uuid('7')}`], [`/blobs/${'0f'.repeat(20)}`], ['/blobs/DEAD1BEEF'], ['/blobs/decade'], ['/v1/item-12'], ['/v1/item-13'], ['/items']
  ]
  const { plan } = planOf(log(t, lines.map(([path, title], index) => JSON.stringify({ time: index, path, title })).join('\n')))
  t.same(plan.requests.map(({ title, path }) => title ?? path), ['/items/*', 'first item', '/items/*/parts/*.json', '/users/*', '/blobs/*', '/blobs/decade', '/v1/item-12', '/v1/item-13', '/items'])
  t.same([...plan.replay.endpoints], [0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 6, 7, 8])
  t.throws(() => planOf({ file: log(t, '{"time":1,"path":"/","title":5}'), format: 'jsonl' }), { message: /its title is not a string/ })
})

t.test('invalid options give one sentence', async (t) => {
  const file = log(t, COMMON)
  const bad = (replay, more, pattern, option = 'replay') => t.throws(() => planOf(replay, more), { code: CODES.BAD_OPTION, option, message: pattern })
  bad({ file, amount: 5 }, { amount: 5 }, /^replay and amount cannot be given together/)
  for (const [name, value] of Object.entries({ overallRate: 5, connectionRate: 1, stages: '1s:1', bursts: { size: 1, interval: 1 }, arrivals: 'poisson', sessions: true, feed: [{ a: 1 }], followRedirects: 3 })) {
    bad(file, { [name]: value }, new RegExp(`^replay and ${name} cannot be given together`))
  }
  bad(file, { thinkTime: 1 }, /^thinkTime and replay/, 'thinkTime')
  bad('no-such.log', {}, /^replay\.file: 'no-such\.log' cannot be read/, 'replay.file')
  bad(log(t, 'what is this?\nand this?'), {}, /contains no request that can be replayed: line 1, it has no known format/, 'replay.file')
  bad(log(t, ''), {}, /contains no request/, 'replay.file')
  bad({ file: log(t, '{"log":{}}') }, {}, /^replay\.file: .*log\.entries/, 'replay.file')
  bad({ file: log(t, '{"log":{"entries":[{"request":{"method":"GET","url":"http://localhost:3000/","headers":[]}}]}}') }, {}, /startedDateTime/, 'replay.file')
  bad({ file: log(t, '{"log":{"entries":[1]}}') }, { url: ['http://a.test', 'http://b.test'] }, /of several URLs/)
  t.match(planOf(log(t, COMMON), { method: 'POST', duration: 5 }).warnings.map(({ message }) => message), [/^duration has no effect/, /^method has no effect/])
})

t.test('of a HAR file only requests to the target are used', async (t) => {
  const entry = (second, url) => ({ startedDateTime: `2024-01-01T00:00:0${second}.500Z`, time: 10, request: { method: 'GET', url, headers: [{ name: 'Host', value: 'x' }, { name: 'X-A', value: '1' }] } })
  const content = { log: { entries: [entry(2, 'http://localhost:3000/b'), entry(1, 'http://localhost:3000/a'), entry(3, 'http://cdn.test/c')] } }
  for (const text of [JSON.stringify(content), JSON.stringify(content, null, 2)]) {
    const { plan, warnings } = planOf(log(t, text, 'recorded.har'))
    t.same(plan.replay.entries.map(({ path, headers }) => [path, headers]), [['/a', [['X-A', '1']]], ['/b', [['X-A', '1']]]])
    t.same([...plan.schedule.times], [0, 1])
    t.match(warnings, [{ code: 'HAR_REQUESTS_SKIPPED' }])
  }
  const many = { log: { entries: Array.from({ length: 300 }, (_, index) => entry(1, `http://localhost:3000/${'ab'.repeat(index + 1)}`)) } }
  const { plan } = planOf(log(t, JSON.stringify(many)))
  t.same([...plan.replay.endpoints], many.log.entries.map((_, index) => Math.min(index, 100)), 'each path counts by itself, up to a hundred')
  for (const [names, told] of [['abc', 'http://a.test, http://b.test, http://c.test'], ['abcd', 'http://a.test, http://b.test, http://c.test, …']]) {
    const content = { log: { entries: [...names].map((name) => entry(1, `http://${name}.test/`)) } }
    t.throws(() => planOf(log(t, JSON.stringify(content))), { message: `its requests go to ${told}, and the target is` })
  }
  const elsewhere = { log: { entries: ['a', 'b', 'a'].map((name) => entry(1, `http://${name}.test/`)) } }
  t.throws(() => planOf(log(t, JSON.stringify(elsewhere))), { message: /contains no request that can be replayed: its requests go to http:\/\/a\.test, http:\/\/b\.test, and the target is http:\/\/localhost:3000$/ })
})

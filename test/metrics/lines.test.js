'use strict'

// The lines of a record, compared with the numbers as JavaScript writes them; blocks of memory; and when requests were in flight.

const t = require('tap')
const fc = require('../support/fast-check')
const { BLOCK_BYTES, FORMS, Lines } = require('../../lib/metrics/record/lines')
const { diagnosed } = require('../../lib/metrics/parts/flights')
const Recorder = require('../../lib/metrics/recorder')

const NONE = -1
const OUTCOMES = ['completed', 'failed', 'timedOut', 'unfinished', 'unsent']
const COLUMNS = ['due', 'sent', 'firstByte', 'end', 'latency', 'outcome', 'status', 'bytes', 'error', 'method', 'path', 'endpoint', 'session', 'scenario', 'connection', 'traceId']

/** A file that keeps the blocks. */
function fileOf () {
  const taken = []
  return { taken, spares: [], take (block, length, lines) { taken.push({ text: block.toString('utf8', 0, length), lines, block }) }, spare () { return this.spares.pop() ?? null }, takesPartialBlocks: true }
}

function textOf (form, write) {
  const file = fileOf()
  const lines = new Lines(form, file)
  write(lines)
  lines.flush()
  return file.taken.map(({ text }) => text).join('')
}

const request = (path, method = 'GET') => ({ method, path })
const plain = { outcome: 0, due: 1, sent: 2, firstByte: 3, end: 4, latency: 5, status: 200, bytes: 6, error: null, request: request('/a'), endpoint: 0, session: NONE, scenario: null, connection: 1, traces: null, serial: 0 }
const write = (lines, changes) => lines.line(...Object.values({ ...plain, ...changes }))

t.test('property: each number of a line, in both forms', async (t) => {
  const ms = fc.oneof(fc.constant(NaN), fc.integer({ min: -5e6, max: 4e12 }).map((us) => us / 1000))
  const whole = fc.oneof(fc.constant(NONE), fc.constant(NaN), fc.integer({ min: 0, max: 70_000 }), fc.constantFrom(9, 10, 99, 100, 2 ** 31 - 1, 2 ** 31, 2 ** 53 - 1))
  const given = fc.record({ outcome: fc.nat(4), due: ms, sent: ms, firstByte: ms, end: ms, latency: whole, status: whole, bytes: whole, endpoint: whole, session: whole, connection: whole, begin: fc.integer({ min: 0, max: 5000 }) })
  const inSeconds = (value, begin) => Number.isNaN(value) ? null : (Math.round((value - begin) * 1000) / 1e6).toFixed(6).replace(/^-(0\.0+)$/, '$1')
  const orNone = (value) => value >= 0 ? String(value) : null
  fc.assert(fc.property(given, ({ begin, ...values }) => {
    const expected = [
      ...['due', 'sent', 'firstByte', 'end'].map((name) => inSeconds(values[name], begin)),
      values.latency >= 0 ? `${Math.floor(values.latency / 1000)}.${String(values.latency % 1000).padStart(3, '0')}` : null,
      OUTCOMES[values.outcome], orNone(values.status), orNone(values.bytes), null, 'GET', '/a', orNone(values.endpoint), orNone(values.session), null, orNone(values.connection), null
    ]
    const make = (form) => textOf(form, (lines) => { lines.begin(begin); write(lines, values) })
    const texts = new Set(['outcome', 'method', 'path'])
    const json = `{${COLUMNS.map((name, index) => `"${name}":${texts.has(name) ? `"${expected[index]}"` : expected[index]}`).join(',')}}\n`
    return make('csv') === `${expected.map((cell) => cell ?? '').join(',')}\n` && make('json') === json
  }), { numRuns: 300 })
  t.equal(FORMS.csv.head.toString(), `${COLUMNS.join()}\n`)
  t.equal(FORMS.json.head.length, 0)
})

t.test('texts: quoted where the form needs it, whole where nothing has to change, and kept for the next line', async (t) => {
  const long = '/x'.repeat(40)
  const cells = (changes) => ['csv', 'json'].map((form) => textOf(form, (lines) => { write(lines, changes); write(lines, changes) }).split('\n')).map(([first, second]) => { t.equal(first, second); return first })
  const [csv, json] = cells({ error: 'E,1', request: request('/a "b"', 'POST'), scenario: 'buy, then go' })
  t.equal(csv, '0.001000,0.002000,0.003000,0.004000,0.005,completed,200,6,"E,1",POST,"/a ""b""",0,,"buy, then go",1,')
  t.equal(JSON.parse(json).path, '/a "b"')
  t.match(JSON.parse(json), { error: 'E,1', method: 'POST', scenario: 'buy, then go', session: null, traceId: null })
  // A scenario with the name of a code is another text: nothing of a name that the tester chose is hidden.
  const [csvNamed, jsonNamed] = cells({ error: 'auth: login', scenario: 'auth: login' })
  t.same(csvNamed.split(',').filter((cell) => cell.startsWith('auth')), ['auth: ***', 'auth: login'])
  t.match(JSON.parse(jsonNamed), { error: 'auth: ***', scenario: 'auth: login' })
  t.ok(cells({ request: request(long) })[0].includes(`,${long},`), 'more than 48 bytes')
  t.equal(cells({ request: null })[0], '0.001000,0.002000,0.003000,0.004000,0.005,completed,200,6,,,,0,,,1,')
  // A description that keeps its bytes.
  const kept = { ...request('/kept'), recorded: null }
  textOf('csv', (lines) => { write(lines, { request: kept }); kept.path = '/other'; write(lines, { request: kept }) })
  t.equal(kept.recorded.toString(), '/kept')
  const traces = { ofRun: 'f'.repeat(16), writeTraceId: (view, at, serial) => { for (let index = 0; index < 16; index++) view.setUint8(at + index, 0x30 + serial) } }
  const [csvTrace, jsonTrace] = cells({ traces, serial: 7 })
  t.ok(csvTrace.endsWith(`,1,${'f'.repeat(16)}${'7'.repeat(16)}`))
  t.equal(JSON.parse(jsonTrace).traceId, `${'f'.repeat(16)}${'7'.repeat(16)}`)
  for (const none of [{ traces, serial: 0 }, { traces, serial: NaN }, { traces: null, serial: 7 }]) t.ok(cells(none)[0].endsWith(',1,'))
})

t.test('a block is handed over when the next line may not fit, or at the end of a sample; a longer line has a block of its own', async (t) => {
  const file = fileOf()
  const lines = new Lines('csv', file)
  t.equal(lines.block.length, BLOCK_BYTES)
  lines.endSample()
  lines.flush()
  t.same(file.taken, [])
  write(lines)
  lines.endSample()
  t.same(file.taken.map(({ lines }) => lines), [1])
  file.takesPartialBlocks = false
  write(lines)
  lines.endSample()
  t.equal(file.taken.length, 1)
  const spare = Buffer.alloc(BLOCK_BYTES)
  file.spares.push(spare)
  const huge = request('/x'.repeat(BLOCK_BYTES))
  write(lines, { request: huge })
  t.same(file.taken.map(({ lines }) => lines), [1, 1])
  write(lines)
  t.same([file.taken.map(({ lines }) => lines), file.taken[2].text.includes(huge.path), lines.block.length], [[1, 1, 1], true, BLOCK_BYTES])
  t.ok(file.taken[2].block.length > 2 * BLOCK_BYTES)
  let count = 0
  for (; file.taken.length === 3; count++) write(lines)
  // The one that was there already, and all but the last one, which found no room.
  const { text, lines: written } = file.taken[3]
  t.equal(written, count)
  t.ok(text.length > BLOCK_BYTES - 2048 && text.length <= BLOCK_BYTES, `${text.length}`)
  t.equal(text, text.slice(0, text.indexOf('\n') + 1).repeat(written))
})

t.test('wherever a block ends, a line with long texts is whole, whichever of them is long', async (t) => {
  const long = 'x'.repeat(3000)
  const kinds = [{ error: long }, { request: request('/a', long) }, { request: request(long) }, { scenario: long }, { error: long, request: request(long, long), scenario: long }]
  for (const form of ['csv', 'json']) {
    for (const changes of kinds) {
      const [alone] = [textOf(form, (lines) => write(lines, changes))]
      const text = textOf(form, (lines) => { for (let count = 0; count < 2 * BLOCK_BYTES / alone.length; count++) write(lines, changes) })
      t.ok(text === alone.repeat(text.length / alone.length) && text.length >= 2 * BLOCK_BYTES - alone.length, `${form}: ${Object.keys(changes)}`)
    }
  }
})

t.test('when requests were in flight, in each millisecond, for as long as the run takes', async (t) => {
  const own = new (diagnosed(Recorder))({ endpoints: 1, open: true, timeout: 10_000, origin: 500, diagnosed: true }).flights
  own.begin(100, 500)
  own.add(2, 99, 100.9)
  own.add(1, 101.5, 104)
  t.strictSame(own.toData(), { startedAt: 600, sent: [2, 1, 0, 0, 0], ended: [2, 0, 0, 0, 1] })
  own.add(3, 100, 100 + 1024)
  own.add(1, 3000, 100 + 9000.5)
  const { sent, ended } = own.toData()
  t.same([sent.length, ended.length], [9001, 9001])
  const filled = (list) => list.flatMap((count, index) => count === 0 ? [] : [[index, count]])
  t.same([filled(sent), filled(ended)], [[[0, 5], [1, 1], [2900, 1]], [[0, 2], [4, 1], [1024, 3], [9000, 1]]])
})

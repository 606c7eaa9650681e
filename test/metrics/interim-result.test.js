'use strict'

// Live totals during a run compared with its result at the end, by the names that thresholds use for both.

const t = require('tap')
const fc = require('../support/fast-check')
const { merge } = require('../../lib/metrics/merge')
const { buildResult } = require('../../lib/metrics/result')
const interimResult = require('../../lib/metrics/interim-result')
const Timeline = require('../../lib/metrics/timeline')
const { parseThresholds } = require('../../lib/thresholds')
const { readValue } = require('../../lib/thresholds/read-value')
const shape = require('../../lib/thresholds/shape')
const { event, newRecorder, play } = require('./recording')

const PLAN = { requests: [{ title: 'a', path: '/' }, { title: 'b', path: '/' }], targets: [{ path: '/' }], workers: null }
const GENERATOR = { cpu: { user: 0, system: 0, percent: 0 }, eventLoop: { utilization: 0, delayP99: 0 } }
const ENTRIES = { statusCodeStats: ['200', '404', '500', '999'], errorCodes: ['ECONNRESET', 'EPIPE', 'CANNONADE_RESPONSE_TIMEOUT'], closeCodes: ['1000', '1006'], grpcStatus: ['OK', 'NOT_FOUND'], endpoints: ['[0]', '[1]', "['b']"], monitor: [], scenarios: [], checks: [] }

/** The names of all fields that change in only one direction. */
function * trending (node = shape.result, name = '', key = '') {
  if (node.trend !== undefined && node.kind !== 'share') yield name
  const named = (part) => name === '' ? part : part.startsWith('[') ? name + part : `${name}.${part}`
  if (node.entry !== undefined) for (const part of ENTRIES[key]) yield * trending(node.entry, named(part))
  for (const [part, child] of node.fields ?? []) {
    if (part !== 'warmup') yield * trending(child, named(part), part)
  }
}

const FIELDS = parseThresholds([...trending()].map((name) => `${name} == 0`)).map(({ field }) => field)

/** Records the events of each thread in two parts; returns the live totals between and after them, and the result. */
function history (threads, open) {
  const recorders = threads.map(() => newRecorder({ open }))
  const timeline = new Timeline()
  const stand = (part) => {
    const at = (part + 1) * 1000
    recorders.forEach((recorder, thread) => {
      play(recorder, threads[thread][part])
      recorder.scheduled = recorder.sent + recorder.unsent
    })
    const intervals = recorders.map((recorder) => recorder.takeInterval(at))
    timeline.add({ ...intervals[0], bytes: intervals.reduce((sum, { bytes }) => sum + bytes, 0) })
    const interims = structuredClone(recorders.map((recorder) => recorder.interim()))
    return interimResult({ plan: PLAN, interims, seconds: at / 1000, timeline, warmup: null })
  }
  for (const recorder of recorders) recorder.begin(0)
  const [between, after] = [stand(0), stand(1)]
  const result = buildResult({
    plan: PLAN,
    summary: merge(recorders.map((recorder) => recorder.summary())),
    timeline,
    seconds: 2,
    scheduleSeconds: 2,
    drain: { seconds: 0, completed: 0 },
    generator: GENERATOR,
    warnings: []
  })
  return { between, after, result }
}

t.test('there are such fields of every kind', async (t) => {
  t.ok(FIELDS.length > 100, `${FIELDS.length} fields`)
  for (const name of ['errors', '5xx', 'latency.max', 'latency.min', 'sendDelay.client.max', 'connectTime.tls.total', 'endpoints[1].latency.max']) {
    t.ok(FIELDS.some(({ metric }) => metric === name), name)
  }
})

t.test('property: at the end live totals equal the result, and before that they are on the right side of it', async (t) => {
  const part = fc.array(event, { maxLength: 20 })
  const thread = fc.tuple(part, part)
  const value = (result, field) => readValue(result, field, '')
  fc.assert(fc.property(fc.array(thread, { minLength: 1, maxLength: 3 }), fc.boolean(), (threads, open) => {
    const { between, after, result } = history(threads, open)
    for (const field of FIELDS) {
      const [before, end, known] = [between, after, result].map((one) => value(one, field))
      if (end !== known) throw new Error(`${field.metric} is ${known}, but stood at ${end} in the end`)
      if (before !== null && (field.trend === 'up' ? before > known : before < known)) throw new Error(`${field.metric} is ${known}, but stood at ${before}`)
    }
  }), { numRuns: 100 })
})

t.test('values that are unknown before the end are not reported', async (t) => {
  const recorder = newRecorder({ open: true })
  recorder.begin(0)
  recorder.scheduled = 7
  play(recorder, [['unsent', 5]])
  recorder.takeInterval(1000)
  const { accounting } = interimResult({ plan: PLAN, interims: [recorder.interim()], seconds: 1, timeline: new Timeline(), warmup: null })
  t.notOk('unfinished' in accounting)
  t.equal(accounting.scheduled, 1, 'waiting sessions may turn out to have no requests')
})

t.test('live totals contain no histograms, so that they are cheap to send', async (t) => {
  const recorder = newRecorder()
  recorder.begin(0)
  play(recorder, Array.from({ length: 1000 }, (_, index) => ['completed', 0, 200, 100, 0, 1, index]))
  recorder.takeInterval(1000)
  t.ok(JSON.stringify(recorder.interim()).length < 3000)
})

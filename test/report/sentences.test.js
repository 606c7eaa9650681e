'use strict'

const t = require('tap')
const sentencesOf = require('../../lib/report/sentences')
const { readResult } = require('../../lib/report/well-formed')
const healthy = require('./fixtures/healthy')
const sparse = require('./fixtures/sparse')
const trouble = require('./fixtures/trouble')

const sentences = (result) => sentencesOf(readResult(result))
const texts = (result) => sentences(result).map(({ text }) => text)

t.test('no sentences about a run without errors, nor about absent fields', async (t) => {
  t.same(sentences(healthy()), [])
  t.same(sentences(sparse()), [])
  t.same(sentences({}), [])
  t.same(sentences({ errorCodes: null, warnings: null, generator: null, thresholds: null, accounting: null }), [])
})

t.test('errors by cause, the most frequent first, with their phase and the first message', async (t) => {
  t.same(texts(trouble()).slice(0, 4), [
    '91 × ECONNRESET (80 while receiving, 11 while sending): read ECONNRESET',
    '38 × CANNONADE_RESPONSE_TIMEOUT while waiting for the response: request timed out',
    '33 × ECONNREFUSED while connecting: connect ECONNREFUSED 127.0.0.1:8443',
    '9 × CANNONADE_BAD_RESPONSE while reading the response: the status line is not one of HTTP: "HELO"'
  ])
  t.same(texts({ errorCodes: { EPIPE: { count: 1200 }, ENEW: { count: 1, phase: 'new\u0007' } } }), ['1,200 × EPIPE', '1 × ENEW (new)'])
})

t.test('if there are very many kinds of errors, the rare ones are added up', async (t) => {
  const errorCodes = Object.fromEntries(Array.from({ length: 13 }, (_, index) => [`E${index}`, { count: index + 1 }]))
  const lines = texts({ errorCodes })
  t.equal(lines.length, 11)
  t.equal(lines[0], '13 × E12')
  t.equal(lines[10], '6 errors of 3 other kinds: see errorCodes in the JSON result.')
})

t.test('missing requests are accounted for', async (t) => {
  t.equal(texts(trouble())[4],
    'Of 6,000 requests that came due, 5,412 completed, 100 failed, 38 timed out, 50 still in flight at the end, 400 never sent.')
})

t.test('in the closed model one request per slot is in flight at the end; more are reported', async (t) => {
  const nothing = { scheduled: 0, unsent: 0, sent: 0, completed: 0, failed: 0, timedOut: 0, unfinished: 0 }
  const closed = (accounting) => texts({ connections: 10, pipelining: 2, accounting: { ...nothing, ...accounting } })
  t.same(closed({ scheduled: 120, sent: 120, completed: 100, unfinished: 20 }), [])
  t.same(closed({ scheduled: 121, sent: 121, completed: 100, unfinished: 21 }), ['Of 121 requests sent, 100 completed, 21 still in flight at the end.'])
  t.same(closed({ scheduled: 20, sent: 20, unfinished: 20 }), ['Of 20 requests sent, 0 completed, 20 still in flight at the end.'])
  t.same(closed({ scheduled: 3, sent: 3, completed: 1, failed: 1, timedOut: 1 }), ['Of 3 requests sent, 1 completed, 1 failed, 1 timed out.'])
  t.same(closed({}), [])
})

t.test('in the open model any request in flight at the end is reported', async (t) => {
  const accounting = { scheduled: 20, unsent: 0, sent: 20, completed: 19, failed: 0, timedOut: 0, unfinished: 1 }
  t.same(texts({ connections: 10, pipelining: 1, rate: { offered: 1, achieved: 1 }, accounting }),
    ['Of 20 requests sent, 19 completed, 1 still in flight at the end.'])
})

t.test('warnings are printed unchanged, and those of the generator once', async (t) => {
  const lines = texts(trouble()).filter((text) => text.startsWith('Warning: '))
  t.same(lines, trouble().warnings.map(({ message }) => `Warning: ${message}`))
})

t.test('a saturated generator without a warning of its own gets one, with what to do', async (t) => {
  t.same(texts({ generator: { saturated: true, reasons: ['it was busy 99% of the time', 'it was late'] } }), [
    'Warning: the load generator was saturated (it was busy 99% of the time; it was late), so these numbers include its delays. Use more workers, fewer hooks, or another machine.'
  ])
  t.match(texts({ generator: { saturated: true } })[0], 'was saturated, so these')
  t.same(texts({ generator: { saturated: false, reasons: [] } }), [])
})

t.test("if the system's message does not say what to do, ours does", async (t) => {
  const said = (code, message) => texts({ errorCodes: { [code]: { count: 3, phase: 'connect', phases: { connect: 3 }, message } } })[0]
  t.match(said('EMFILE', 'connect EMFILE 127.0.0.1:80'), /EMFILE while connecting: .*\. That means: this process may not open more files: raise the limit \(ulimit -n 65536\)/)
  const warned = texts({ errorCodes: { EMFILE: { count: 3, phase: 'connect', phases: { connect: 3 }, message: 'connect EMFILE' } }, warnings: [{ code: 'NO_FILE_DESCRIPTORS', message: 'raise it' }] })
  t.notMatch(warned[0], 'That means', 'once is enough')
  t.match(said('EPROTO', 'write EPROTO 80:error:0A00010B:SSL routines:ssl3_get_record:wrong version number'), /is this an http port instead of an https port\?$/)
  t.notMatch(said('ECONNREFUSED', 'connect ECONNREFUSED 127.0.0.1:1'), 'That means')
})

t.test('latency and service time are both mentioned if they differ', async (t) => {
  t.match(texts(trouble()).at(-1), /^Latency is the response time a user feels: .* 9\.81 s and 181 ms\.$/)
  const ends = (latency, serviceTime) => texts({ rate: { offered: 1, achieved: 1 }, latency, serviceTime })[0].match(/they are .*$/)[0]
  t.equal(ends({ p50: 2, p99: 72.5, max: 133 }, { p50: 0.5, p99: 31.775, max: 60 }), 'they are 72.5 ms and 31.8 ms.', 'in one unit')
  t.equal(ends({ p50: 0.5, p99: 31.775, max: 60 }, { p50: 0.1, p99: 0.054, max: 2 }), 'they are 31.8 ms and 54 µs.')
  t.equal(ends({ p50: 0.2, p99: 0.754, max: 60 }, { p50: 0.1, p99: 0.054, max: 200 }), 'they are 754 µs and 54 µs.')
  const same = { rate: { offered: 1, achieved: 1 }, latency: { p50: 50, p99: 51 } }
  t.same(texts({ ...same, serviceTime: { p50: 50, p99: 50 } }), [])
  t.same(texts({ ...same, latency: {}, serviceTime: {} }), [])
  for (const [latency, serviceTime, isTold] of [[110, 100, false], [110.5, 100, true], [100, 100, false], [90, 100, false], [1.2, 1, true]]) {
    t.equal(texts({ ...same, latency: { p50: 1, p99: latency }, serviceTime: { p50: 1, p99: serviceTime } }).length, isTold ? 1 : 0, `${latency} and ${serviceTime}`)
  }
  t.same(texts({ ...same, rate: undefined, serviceTime: { p50: 1, p99: 1 } }), [])
  t.same(texts({ ...same, serviceTime: { p50: 0, p99: 0, totalCount: 0 } }), [], 'without completed requests there is no service time')
})

t.test('thresholds, each with its actual value and verdict', async (t) => {
  const result = {
    thresholds: [
      { threshold: 'p99 < 50ms', operator: '<', limit: 50, unit: 'ms', actual: 51.23456, passed: false },
      { threshold: 'errors == 0', operator: '==', limit: 0, unit: '', actual: 0, passed: true },
      { threshold: 'connectTime.tls.p99 < 1s', operator: '<', limit: 1000, unit: 'ms', actual: null, passed: false },
      { threshold: 'of\u0007 another make', actual: 'bad', passed: false }
    ]
  }
  t.same(sentences(result), [
    { severity: 'error', text: 'Threshold FAILED: p99 < 50ms: it was 51.2 ms, 2.47% over' },
    { severity: 'note', text: 'Threshold passed: errors == 0: it was 0' },
    { severity: 'error', text: 'Threshold FAILED: connectTime.tls.p99 < 1s: this result has no such value' },
    { severity: 'error', text: 'Threshold FAILED: of another make: it was bad' }
  ])
})

'use strict'

const Distribution = require('../../../../lib/metrics/distribution')
const { merge } = require('../../../../lib/metrics/merge')
const Recorder = require('../../../../lib/metrics/recorder')
const StreamConnection = require('../../../../lib/protocol/http2/stream-connection')
const Connection = require('../../../../lib/protocol/shared/connection')
const QueuedConnection = require('../../../../lib/protocol/shared/queued-connection')
const defectIn = require('./plant')

/**
 * What an agent of a fleet reports with each sample, in case it is lost, is what it would report if the run ended then. Phases that did end
 * then show both.
 */
function checkWorld (drawn, { soFar }, must) {
  // While a hook holds the thread at the end of the window, connections stay open.
  const closesLater = Object.values(drawn.hooks).some((hook) => hook?.hold !== undefined)
  for (const [{ recorder, window }, accounts] of soFar) {
    const said = merge(accounts)
    const expected = merge([recorder.summary()])
    // HTTP/2 and WebSocket say goodbye when a run ends.
    delete said.counters.bytesWritten
    // Threads that were stopped while they warmed up may hear of the run's start, which is its end, only later.
    const isOverAtStart = drawn.threads !== undefined && window.endedAt === window.startedAt
    if (closesLater || isOverAtStart) for (const values of [said.distributions, said.missing?.late]) delete values?.connectionLifetime
    for (const difference of differences(said, expected, 'so far')) must(false, difference)
  }
}

// The fields of the first object that are not the same in the second one.
function * differences (one, other, path) {
  if (one instanceof Distribution && other instanceof Distribution) {
    const same = ['count', 'sum', 'max', 'stddev'].every((name) => one[name] === other[name])
    // Connections are closed one after another, and the last ones a microsecond later.
    const isClosedLater = path.endsWith('.connectionLifetime') && one.count === other.count && Math.abs(one.sum - other.sum) <= one.count
    if (!same && !isClosedLater) yield `${path} is of ${one.count} values, ${one.sum} us in all, and the end ${other.count} and ${other.sum} us`
  } else if (typeof one === 'object' && one !== null && other != null) {
    // A person may have ended the run, but loses no agent.
    for (const key of Object.keys(one).filter((key) => key !== 'interrupted')) yield * differences(one[key], other[key], `${path}.${key}`)
  } else if (!Object.is(one, other)) {
    yield `${path} is ${one}, and the end ${other}`
  }
}

const isHttp2InOpenModel = ({ opts }) => opts.http2 && opts.overallRate !== undefined

const defects = {
  'a lost agent without the send delays of requests in flight': defectIn(StreamConnection, 'recordDelays', () => function () {}, isHttp2InOpenModel),
  'a lost agent whose hooks hold requests that are older than they are': defectIn(QueuedConnection, 'preparedDues', (original) => function () { return original.call(this).map((dueAt) => dueAt - 1) }, ({ hooks }) => hooks.setupRequest !== undefined),
  'a lost agent that never stood still': defectIn(Recorder, 'shareStandstills', () => function () {}, ({ story }) => story.some(({ what }) => what === 'hold')),
  'a lost agent whose connections were never late': defectIn(Connection, 'recordEnd', (original) => function (recorder, byServer, now) {
    if (recorder === this.owner.recorder) original.call(this, recorder, byServer, now)
    else recorder.closedConnection(byServer, this.lifetime(now))
  }, ({ opts }) => opts.http2 && opts.timeout < 0.3),
  'a lost agent that knows all verdicts': defectIn(Recorder, 'leaveUndecided', (original) => function (of = this) {
    if (of === this) original.call(this)
  }, ({ hooks }) => hooks.verifyBody !== undefined)
}

module.exports = { name: 'so far', isIn: () => true, checkWorld, defects }

'use strict'

const t = require('tap')
const { joinOutcomes } = require('../../lib/metrics/outcome')

function outcome ({ seconds = 10, scheduleSeconds = seconds, drain = { seconds: 0, completed: 0 }, utilization = 0.5, delayP99 = 1, cpu, warnings = [], ...rest }) {
  return {
    summaries: [rest.name],
    seconds,
    scheduleSeconds,
    drain,
    generator: { cpu: cpu ?? { user: 1, system: 2, percent: 30 }, eventLoop: { utilization, delayP99 } },
    warnings,
    ...(rest.incomplete && { incomplete: rest.incomplete }),
    ...(rest.record && { record: rest.record }),
    ...(rest.unscheduled && { unscheduled: rest.unscheduled })
  }
}

t.test('the whole has the longest of the times, and the sum of the counts', async (t) => {
  const joined = joinOutcomes([
    outcome({ name: 'a', seconds: 2, drain: { seconds: 0.5, completed: 3 } }),
    outcome({ name: 'b', seconds: 5, scheduleSeconds: 4, drain: { seconds: 0.2, completed: 4 } })
  ])
  t.match(joined, { summaries: ['a', 'b'], seconds: 5, scheduleSeconds: 4, drain: { seconds: 0.5, completed: 7 } })
})

t.test('a person ended the whole if a part of it was ended so, or if that is unknown', async (t) => {
  const endedBy = (...persons) => persons.map((isInterrupted) => ({ ...outcome({}), isInterrupted }))
  t.equal(joinOutcomes(endedBy(false, false)).isInterrupted, false)
  t.equal(joinOutcomes(endedBy(false, true, false)).isInterrupted, true)
  t.equal(joinOutcomes(endedBy(false, undefined)).isInterrupted, true)
  t.equal(joinOutcomes(endedBy(false), { silent: 1 }).isInterrupted, true)
})

t.test('a part that ended long before the others does not shorten the schedule', async (t) => {
  // 4 s at 20/s; one part had the first 30 requests and the other 50.
  const { scheduleSeconds } = joinOutcomes([outcome({ seconds: 1.57 }), outcome({ seconds: 4 })])
  t.equal(80 / scheduleSeconds, 20)
})

t.test('processor time: threads all report that of their process; processes are added', async (t) => {
  const parts = [
    outcome({ seconds: 10, cpu: { user: 3, system: 1, percent: 40 } }),
    outcome({ seconds: 5, cpu: { user: 2, system: 1, percent: 60 } })
  ]
  t.same(joinOutcomes(parts, { isOneProcess: true }).generator.cpu, { user: 3, system: 1, percent: 40 }, 'the longest part measured most of it')
  t.same(joinOutcomes(parts).generator.cpu, { user: 5, system: 2, percent: 60 })
})

t.test('of the event loops, the busiest over the whole time counts', async (t) => {
  const { eventLoop } = joinOutcomes([
    outcome({ seconds: 0.1, utilization: 1, delayP99: 7 }),
    outcome({ seconds: 10, utilization: 0.4, delayP99: 2 })
  ]).generator
  t.same(eventLoop, { utilization: 0.4, delayP99: 7 })
  // Utilization is measured in the window: a loop that was busy there counts, however long another thread waited for its last responses.
  const drained = joinOutcomes([outcome({ utilization: 0.98 }), outcome({ utilization: 0.3, drain: { seconds: 10, completed: 0 } })])
  t.equal(drained.generator.eventLoop.utilization, 0.98)
})

t.test('the same message from several parts appears once', async (t) => {
  const warning = { code: 'A', message: 'a' }
  const { warnings } = joinOutcomes([outcome({ warnings: [warning] }), outcome({ warnings: [{ ...warning }, { code: 'A', message: 'b' }] })])
  t.same(warnings, [warning, { code: 'A', message: 'b' }])
})

t.test('the number of missing parts, the time since the first went missing, and their scheduled requests', async (t) => {
  const whole = outcome({})
  const lost = (parts, since, unscheduled) => outcome({ incomplete: { parts, since }, unscheduled })
  t.notOk('incomplete' in joinOutcomes([whole, whole]) || 'unscheduled' in joinOutcomes([whole, whole]))
  for (const outcomes of [[lost(1, 3, 20), whole, lost(2, 1.5, 7)], [lost(2, 1.5, 7), lost(1, 3, 20), whole]]) {
    t.match(joinOutcomes(outcomes), { incomplete: { parts: 3, since: 1.5 }, unscheduled: 27 })
    t.match(joinOutcomes(outcomes, { silent: 4 }), { incomplete: { parts: 7, since: 0 } }, 'nothing is known of parts that reported nothing')
  }
})

t.test('lines of a record that are missing are added up, and a problem is that of any part', async (t) => {
  const record = (leftOut, problem) => outcome({ record: { leftOut, problem } })
  t.same(joinOutcomes([record(1, null), record(2, 'ENOSPC'), outcome({})]).record, { leftOut: 3, problem: 'ENOSPC' })
  t.equal(joinOutcomes([outcome({})]).record, null)
})

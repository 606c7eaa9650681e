'use strict'

// Mutants without an observable effect, each with the reason. `file` is below lib/; `before` is the original line, `after` the line with
// the mutant.

module.exports = [
  // Set again when the connection opens, before anybody reads it.
  { file: 'protocol/shared/connection.js', before: 'this.number = 0', after: 'this.number = 1' },
  // The only endpoint with this title, by its number.
  { file: 'thresholds/read-value.js', before: 'return named.length > 1 ? named : [field]', after: 'return named.length >= 1 ? named : [field]' },
  // A rank is a product of both.
  {
    file: 'thresholds/bounds.js',
    before: 'const without = this.valueOfRank(this.rankOf(percent, this.total - cutOff))',
    after: 'const without = this.valueOfRank(this.rankOf(this.total - cutOff, percent))'
  },
  {
    file: 'thresholds/bounds.js',
    before: 'const atMost = this.valueOfRank(this.rankOf(percent, this.total - cutOff + older))',
    after: 'const atMost = this.valueOfRank(this.rankOf(this.total - cutOff + older, percent))'
  },
  // Nobody asks for a rank beyond the number of values.
  { file: 'thresholds/histograms.js', before: 'return Infinity', after: 'return 0' },
  // The distance between two numbers, from either of them.
  { file: 'load/loads.js', before: 'return Math.abs(value - whole) <= scale * ROUNDING ? whole : value', after: 'return Math.abs((whole) - (value)) <= scale * ROUNDING ? whole : value' },
  // They differ for a random number that equals one of these sums, which is once in 2^32 numbers, by the length of a gap at the same end.
  { file: 'load/random.js', before: 'for (let k = 1; pick >= UP_TO[k]; k++) {', after: 'for (let k = 1; pick > UP_TO[k]; k++) {' },
  // An ended process continues beyond its end, where nothing is due either.
  { file: 'load/arrivals.js', after: ';', before: 'this.ended = true' },
  // Undefined is as false as false.
  { file: 'load/arrivals.js', before: 'this.ended = false', after: ';' },
  { file: 'study/capacity/explorer.js', before: 'this.isOutOfTime = false', after: ';' },
  { file: 'metrics/missing-times.js', before: 'this.isInterrupted = false', after: ';' },
  // A sum of distributions, in whichever order.
  {
    file: 'metrics/timings.js',
    before: 'latencyWithUnfinished: sum(censored, unsentAges, failedAges),',
    after: 'latencyWithUnfinished: sum(unsentAges, censored, failedAges),'
  },
  // Only which of two numbers is smaller matters.
  { file: 'metrics/parts/slowest.js', before: 'this.seen = 0', after: 'this.seen = 1' },
  // Room for statuses that no response has.
  { file: 'metrics/endpoint.js', before: 'const STATUS_CODES = 1000', after: 'const STATUS_CODES = 10000' },
  // A summary without these has some more waits, which merging leaves out.
  {
    file: 'metrics/summary.js',
    before: 'const times = timesOfParts({ ...liveParts(recorder), counters, endpoints: [] })',
    after: 'const times = timesOfParts({ ...{}, counters, endpoints: [] })'
  },
  {
    file: 'metrics/missing-times.js',
    before: ': { count: longest.count + endpoint.latency.count, max: Math.max(longest.max, endpoint.latency.max) }, NONE)',
    after: ': { count: longest.count + endpoint.latency.count, max: Math.min(longest.max, endpoint.latency.max) }, NONE)'
  },
  // Set by `begin` before anybody reads it, and no arrival is given before.
  { file: 'load/request-order.js', before: 'this.isByArrival = false', after: ';' },
  { file: 'load/request-order.js', before: 'this.isByArrival = false', after: 'this.isByArrival = true' },
  // Draws that are not kept are computed: the same ones, in more time.
  { file: 'load/mix.js', before: 'const MOST_KEPT = 65536', after: 'const MOST_KEPT = 655360' },
  // Rounding leaves the sum of the probabilities below 1 by less than the smallest step of a random number.
  { file: 'load/random.js', after: ';', before: 'UP_TO.push(Infinity)' },
  { file: 'load/random.js', after: 'UP_TO.push(0)', before: 'UP_TO.push(Infinity)' },
  // At the start of a stage none of its arrivals is due yet, so the count equals that of all earlier stages.
  { file: 'load/loads.js', before: 'return this.stages.findLast((stage) => stage.start < seconds) ?? null', after: 'return this.stages.findLast((stage) => stage.start <= seconds) ?? null' },
  // One bisection more or fewer, of sixty.
  { file: 'study/capacity/budget.js', before: 'for (let step = 0; step < STEPS; step++) {', after: 'for (let step = 1; step < STEPS; step++) {' },
  // A plan that misses the limit by exactly the tolerance for rounding.
  { file: 'study/capacity/budget.js', before: 'if (planned(duration) > settings.maxDuration + TOLERANCE) {', after: 'if (planned(duration) >= settings.maxDuration + TOLERANCE) {' },
  // Only whole numbers matter, which 0 and 1 both are.
  {
    file: 'study/compare/metrics.js',
    before: 'return TELLING.every((name) => Number.isInteger(latency[name] ?? 0)) ? MILLISECOND : MICROSECOND',
    after: 'return TELLING.every((name) => Number.isInteger(latency[name] ?? 1)) ? MILLISECOND : MICROSECOND'
  },
  // Other points, just as evenly distributed: the median of the slopes of hundreds of them stays the same.
  {
    file: 'study/statistics/summaries.js',
    before: 'return Array.from({ length: MOST_POINTS }, (_, index) => points[Math.round(index * step)])',
    after: 'return Array.from({ length: MOST_POINTS }, (_, index) => points[Math.floor(index * step)])'
  },
  // A rate is a slope: where it begins does not matter.
  { file: 'study/keeping-up.js', before: 'let completed = 0', after: 'let completed = 1' },
  // Any number that is not a slot means that there is none.
  { file: 'protocol/websocket/message-book.js', before: 'const NONE = -1', after: 'const NONE = -2' },
  // Set by `follow` before anybody reads it.
  { file: 'engine/loops/sessions/user-visit.js', before: 'this.user = null', after: ';' },
  // Clearing an old timer has no effect.
  { file: 'engine/phase/ending.js', before: 'this.copyTimer = null', after: ';' },
  // With nothing to pump, it pumps nothing.
  { file: 'protocol/http2/outgoing.js', before: 'if (this.uploads.size > 0) this.uploads.pump()', after: 'if (this.uploads.size >= 0) this.uploads.pump()' },
  // Behind what is written, where the next frame begins.
  { file: 'protocol/http2/request.js', before: 'if (place < length) writeWord(target, at + place, streamId)', after: 'if (true) writeWord(target, at + place, streamId)' },
  // Set with each event of the socket, before anybody reads it.
  { file: 'protocol/http1/connection.js', before: 'this.now = 0', after: 'this.now = 1' },
  // Skipping the fast path gives the same result on the slow one.
  { file: 'protocol/shared/draft-template.js', before: 'if (body.length === 1) return body[0]', after: 'if (false) return body[0]' },
  {
    file: 'protocol/websocket/frame-reader.js',
    before: 'const isPlain = (first === (FIN | TEXT) || first === (FIN | BINARY)) && length < 126 && start + SHORT_HEADER + length <= end && length <= this.limit',
    after: 'const isPlain = (first === (FIN | TEXT) || first === (FIN | BINARY)) && length < 126 && start + SHORT_HEADER + length <= end && length < this.limit'
  },
  // The phase always names the slot.
  {
    file: 'metrics/recorder.js',
    before: 'timedOutRequest (endpoint, dueAt, sentAt, fault, progress = NO_PROGRESS, now = Infinity, timeout = this.timeout, connection = null, slot = 0) {',
    after: 'timedOutRequest (endpoint, dueAt, sentAt, fault, progress = NO_PROGRESS, now = Infinity, timeout = this.timeout, connection = null, slot = 1) {'
  },
  // Whatever is no number of a message.
  { file: 'metrics/parts/broadcast.js', before: 'this.number = -1', after: ';' },
  // It reads counts that are 0.
  { file: 'metrics/tally.js', before: 'this.low = this.spanOfMany', after: ';' },
  // A shortcut: otherwise a time of 0 is recorded, of which only the sum matters.
  { file: 'metrics/delays.js', before: 'else if (dueAt < this.standstills.end) this.asleepWithin(dueAt, now)', after: 'else if (true) this.asleepWithin(dueAt, now)' },
  { file: 'metrics/delays.js', before: 'else if (dueAt < this.standstills.end) this.asleepWithin(dueAt, now)', after: 'else if (dueAt <= this.standstills.end) this.asleepWithin(dueAt, now)' },
  {
    file: 'metrics/delays.js',
    before: 'const asleep = dueAt < this.standstills.end ? this.asleepWithin(dueAt, freeSince) : 0',
    after: 'const asleep = dueAt <= this.standstills.end ? this.asleepWithin(dueAt, freeSince) : 0'
  },
  {
    file: 'metrics/delays.js',
    before: 'const asleep = dueAt < this.standstills.end ? this.standstills.within(dueAt, now) : 0',
    after: 'const asleep = dueAt <= this.standstills.end ? this.standstills.within(dueAt, now) : 0'
  },
  ...['byHooks', 'byConnecting'].flatMap((name) => ['true', `${name} >= 0`].map((condition) => {
    const record = `this.waitFor${name.slice(2)}.record(microseconds(${name}))`
    return { file: 'metrics/delays.js', before: `if (${name} > 0) ${record}`, after: `if (${condition}) ${record}` }
  })),
  // A shortcut: shares of nothing are nothing.
  { file: 'metrics/delays.js', before: 'if (heldByHooks === 0 && notOpen === 0) return asleep', after: 'if (false) return asleep' },
  { file: 'metrics/delays.js', before: 'if (heldByHooks === 0 && notOpen === 0) return asleep', after: 'if (heldByHooks === 0 && notOpen === 0) ;' },
  // Once is as often as it fits exactly once. A connection that was never unavailable was neither held nor closed: that has returned before.
  ...['(waited > unavailable)', 'unavailable >= 0 && waited > unavailable', 'unavailable > 0 && waited >= unavailable'].map((condition) => ({
    file: 'metrics/delays.js',
    before: 'const periods = unavailable > 0 && waited > unavailable ? waited / unavailable : 1',
    after: `const periods = ${condition} ? waited / unavailable : 1`
  })),
  // How much memory an endpoint has at first.
  { file: 'metrics/recorder.js', before: 'const MANY_ENDPOINTS = 100', after: 'const MANY_ENDPOINTS = 99' },
  { file: 'metrics/recorder.js', before: 'const MANY_ENDPOINTS = 100', after: 'const MANY_ENDPOINTS = 101' },
  // More data, of which none is read.
  {
    file: 'metrics/parts/index.js',
    before: 'const liveParts = (recorder) => dataOfParts(recorder, (distribution) => distribution, true)',
    after: 'const liveParts = (recorder) => dataOfParts(recorder, (distribution) => distribution, false)'
  }
]

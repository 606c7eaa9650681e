'use strict'

const Phase = require('../../../../lib/engine/phase/phase')
const Script = require('../../../../lib/script/script')
const { awaitsHops, checkMismatches, checkTold, isWrong, textIn } = require('../bodies')
const locationOf = require('../location-of')
const { hasRefusals } = require('../round')
const defectIn = require('./plant')

/** Bodies that are verified: of streams; in a run that ends after a number of mismatches. */
function draw (dice, drawn) {
  const { bodies, opts, messages, hooks } = drawn
  if (bodies === undefined && dice.happens(0.3)) verifyStreams(dice, drawn)
  // What happens in the rest of a packet while a hook holds the thread is unknown.
  const isTaken = messages !== undefined || (opts.pipelining > 1 && JSON.stringify(hooks).includes('hold'))
  if (drawn.bodies === undefined || isTaken || !dice.happens(0.3)) return
  opts.bailout = dice.whole(1, 12)
}

function verifyStreams (dice, drawn) {
  const { opts, hooks, stream, calls, walk, threads } = drawn
  if (stream === null || calls !== undefined || walk !== undefined) return
  delete opts.bailout
  drawn.bodies = { expected: dice.one(textIn(stream), textIn(stream), 'ok'), kinds: [] }
  const mayHook = threads === undefined && !(opts.sessions?.connections > 1)
  if (mayHook && dice.happens(0.5)) hooks.onResponse ??= {}
  if (mayHook && dice.happens(0.5)) hooks.verifyBody ??= {}
  if (hooks.verifyBody === undefined) opts.expectBody = drawn.bodies.expected
}

const isIn = (drawn) => drawn.bodies !== undefined && drawn.messages === undefined && (drawn.opts.bailout !== undefined || drawn.stream !== null || awaitsHops(drawn))

/** Of a chain of redirects, only the final response is verified, and reported to hooks. */
function checkWorld (drawn, { world, told, complete, rounds, warmups }, must) {
  if (awaitsHops(drawn) && complete.length === rounds.length + warmups.length && !hasRefusals(world.log)) checkTold(drawn, world, told, must)
}

/** A run sends nothing after as many errors as it may have, of which a body that is not as expected is one. */
function check (round) {
  const { must, plan, drawn: { bodies, hooks, threads }, log, whole } = round
  // Hops are not counted if any request of the world was refused: then it is unknown which redirects were followed, and so not read.
  const mayBeUnread = awaitsHops(round.drawn) && hasRefusals(round.world.log)
  if (awaitsHops(round.drawn) && !mayBeUnread) checkMismatches(round)
  // Threads hear of it by messages, and asynchronous hooks decide later. A warm-up has no such end.
  if (plan.bailout === null || threads !== undefined || hooks.verifyBody?.sleep !== undefined) return
  const wrong = whole.filter((entry) => isWrong(entry, bodies) && !(mayBeUnread && locationOf(entry) !== null)).map(({ receivedAt }) => receivedAt / 1000)
  // In sessions, when others failed is unknown.
  const failed = [...round.failed ?? [], ...round.timedOut ?? []].map(({ endedAt }) => endedAt)
  const last = [...wrong, ...failed].sort((one, other) => one - other)[plan.bailout - 1]
  const late = log.find(({ sentAt }) => sentAt / 1000 > last)
  must(late === undefined, `a request was sent at ${late?.sentAt / 1000}, after ${plan.bailout} errors at ${last}`)
}

const defects = {
  'a mismatch that does not count for bailout': defectIn(Phase, 'mismatched', () => function (body, scenario) {
    this.recorder.mismatchedOf(scenario)
    this.listener.mismatch(body)
  }, ({ opts }) => opts.bailout !== undefined),
  'a redirect whose body is verified': defectIn(Script, 'redirect', (original) => function (entry) {
    if (this.owner.checksBody) this.calls.checkBody('on the way')
    original.call(this, entry)
  }, awaitsHops),
  'the rest of a stream that nobody reads': defectIn(Script, 'onBody', (original) => function (slot, buffer, start, end, isWhole) {
    if (this.replyIn(slot).hasBegun === true) return ''
    this.replyIn(slot).hasBegun = !isWhole
    return original.call(this, slot, buffer, start, end, isWhole)
  }, ({ stream, opts }) => stream?.pieces.length > 1 && !opts.http2)
}

module.exports = { name: 'verified bodies', draw, isIn, check, checkWorld, defects }

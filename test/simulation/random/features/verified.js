'use strict'

const Phase = require('../../../../lib/engine/phase/phase')
const { isWrong } = require('../bodies')
const defectIn = require('./plant')

/** Bodies that are verified in a run that ends after a number of mismatches. */
function draw (dice, { bodies, opts, messages, hooks }) {
  // What a session has due when another one's body ends the run is unknown, and so is what happens in the rest of a packet while a listener
  // holds the thread.
  const isTaken = messages !== undefined || opts.sessions !== undefined || hooks.listener?.hold !== undefined
  if (bodies === undefined || isTaken || !dice.happens(0.3)) return
  opts.bailout = dice.whole(1, 12)
}

const isIn = ({ bodies, opts, messages }) => bodies !== undefined && opts.bailout !== undefined && messages === undefined

/** A run sends nothing after as many errors as it may have, of which a body that is not as expected is one. */
function check (round) {
  const { must, plan, drawn: { bodies, hooks, threads }, log, whole } = round
  // Threads hear of it by messages, and asynchronous hooks decide later. A warm-up has no such end.
  if (plan.bailout === null || threads !== undefined || hooks.verifyBody?.sleep !== undefined || round.failed === undefined) return
  const wrong = whole.filter((entry) => isWrong(entry, bodies)).map(({ receivedAt }) => receivedAt / 1000)
  const failed = [...round.failed, ...round.timedOut].map(({ endedAt }) => endedAt)
  const last = [...wrong, ...failed].sort((one, other) => one - other)[plan.bailout - 1]
  const late = log.find(({ sentAt }) => sentAt / 1000 > last)
  must(late === undefined, `a request was sent at ${late?.sentAt / 1000}, after ${plan.bailout} errors at ${last}`)
}

const defects = {
  'a mismatch that does not count for bailout': defectIn(Phase, 'mismatched', () => function (body, scenario) {
    this.recorder.mismatchedOf(scenario)
    this.listener.mismatch(body)
  })
}

module.exports = { name: 'verified bodies', draw, isIn, check, defects }

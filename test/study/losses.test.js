'use strict'

// What a study says about runs that lost agents of their fleet, and about servers that do not respond.

const t = require('tap')
const { CannonadeError, CODES } = require('../../lib/base/errors')
const { ATTEMPTS, LOAD_ENDS_WITHIN_S, Losses, lossBy, lossOf } = require('../../lib/study/losses')
const { causeOf, silenceWarning } = require('../../lib/study/silence')

const agents = [{ name: 'a', outcome: 'lost' }, { name: 'b', outcome: 'stopped' }, { name: 'c', outcome: 'done' }, { name: 'd\u001b[1m', outcome: 'lost' }]
const STOPPED = [{ code: 'AGENT_STOPPED' }]

t.test('a run that lost agents is worth repeating, after those that are left have ended their load', async (t) => {
  t.strictSame(lossOf({ incomplete: { parts: 2 }, fleet: { agents }, warnings: STOPPED }), { why: '2 agents were lost (a, d)', isLoadOver: false, isWorthRepeating: true })
  t.strictSame(lossOf({ incomplete: { parts: 1 }, fleet: { agents: agents.slice(0, 3) }, warnings: [] }), { why: 'the agent a was lost', isLoadOver: false, isWorthRepeating: true })
  t.strictSame(lossOf({ fleet: { agents }, warnings: [{ code: 'STOPPED' }, ...STOPPED] }), { why: 'the agent b was stopped', isLoadOver: true, isWorthRepeating: true })
  for (const whole of [{ fleet: { agents }, warnings: [] }, { warnings: [{ code: 'STOPPED' }] }]) t.equal(lossOf(whole), null)
  t.match(lossOf({ incomplete: { parts: 1 }, warnings: [] }), { why: '0 agents were lost ()' }, 'a result need not name them')
  t.same([ATTEMPTS, LOAD_ENDS_WITHIN_S], [2, 10])
})

t.test('a run that failed because of its fleet is a loss; only one that lost an agent is worth repeating', async (t) => {
  for (const code of [CODES.AGENTS_MISSING, CODES.AGENT_LOST, CODES.AGENT_REFUSED, CODES.REDIS_FAILED]) {
    t.strictSame(lossBy(new CannonadeError(code, 'why\u001b[1m')), { why: 'why', isLoadOver: false, isWorthRepeating: code === CODES.AGENT_LOST }, code)
  }
  for (const other of [new CannonadeError(CODES.BAD_OPTION, 'x'), new Error('x'), null, undefined]) t.equal(lossBy(other), null)
})

t.test('the warnings name each reason once, and which run was the last', async (t) => {
  const losses = new Losses()
  t.strictSame([losses.isNone, losses.last, losses.warnings], [true, null, []])
  losses.repeat({ why: 'the agent a was lost' })
  t.equal(losses.isNone, false)
  t.strictSame(losses.warnings, [{ code: 'RUN_REPEATED', message: '1 run was repeated because agents of the fleet were missing in it: the agent a was lost.' }])
  losses.repeat({ why: 'the agent b was lost' })
  losses.repeat({ why: 'the agent a was lost' })
  losses.end({ why: 'the agent c was stopped', isLoadOver: true, isWorthRepeating: true }, 'shop, 50 requests per second')
  t.strictSame(losses.last, { why: 'the agent c was stopped', isLoadOver: true, isWorthRepeating: true, run: 'shop, 50 requests per second' })
  t.strictSame(losses.warnings, [
    { code: 'RUN_REPEATED', message: '3 runs were repeated because agents of the fleet were missing in them: the agent a was lost; the agent b was lost.' },
    { code: 'AGENT_LOST', message: 'The study ended early (shop, 50 requests per second), because its fleet was incomplete: the agent c was stopped. The answer is based on the runs before that.' }
  ])
})

t.test('why a server did not respond: the first error, that nothing could be sent, or how long was waited', async (t) => {
  const accounting = { sent: 1 }
  t.equal(causeOf({ errorCodes: { ECONNREFUSED: { message: 'nobody' }, EPIPE: { message: 'broken' } }, accounting }), 'ECONNREFUSED: nobody')
  t.equal(causeOf({ errorCodes: {}, accounting, duration: 2, drain: { seconds: 0.52 } }), 'no response arrived within 2.5 seconds')
  t.equal(causeOf({ accounting, duration: 1.04 }), 'no response arrived within 1 second')
  t.equal(causeOf({ accounting, drain: { seconds: 3 } }), 'no response arrived within 3 seconds')
  t.equal(causeOf({ accounting }), 'no response arrived within 0 seconds')
  for (const none of [{}, { accounting: { sent: 0 } }]) t.equal(causeOf({ errorCodes: {}, ...none }), 'no request could be sent')
  t.equal(causeOf({ errorCodes: {}, accounting: { sent: 0 }, messages: {} }), 'no message could be sent')
  t.strictSame(silenceWarning('shop', { accounting, duration: 1 }, null), { code: 'NO_ANSWER', message: 'shop did not respond at all (no response arrived within 1 second).' })
  t.strictSame(silenceWarning('shop', { accounting, duration: 1 }, 'at 5/s'), { code: 'SERVER_GONE', message: 'shop stopped responding at 5/s (no response arrived within 1 second).' })
})

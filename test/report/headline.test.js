'use strict'

const t = require('tap')
const headline = require('../../lib/report/headline')

const defaults = { url: 'http://localhost:3000', connections: 10, pipelining: 1, duration: 10 }

t.test('the kind of run, by time and by amount', async (t) => {
  t.same(headline(defaults), ['Running 10s test @ http://localhost:3000', '10 connections'])
  t.same(headline({ ...defaults, duration: 0.5 })[0], 'Running 0.5s test @ http://localhost:3000')
  t.same(headline({ ...defaults, amount: 5000 })[0], 'Running 5000 requests test @ http://localhost:3000')
})

t.test('socket, pipelining, workers, several targets', async (t) => {
  t.same(headline({ ...defaults, socketPath: '/run/app.sock', pipelining: 4, workers: 4 }), [
    'Running 10s test @ http://localhost:3000 (/run/app.sock)',
    '10 connections with 4 pipelining factor',
    '4 workers'
  ])
  t.equal(headline({ ...defaults, url: ['http://a', 'http://b'] })[0], 'Running 10s test @ http://a,http://b')
  t.equal(headline({ ...defaults, url: undefined, socketPath: '/run/app.sock' })[0], 'Running 10s test @ (/run/app.sock)')
})

t.test('a ramp of connections', async (t) => {
  t.equal(headline({ ...defaults, connections: { from: 1, to: 50, over: 10 } })[1], '1 to 50 connections')
})

t.test('sessions: users at a time, at a rate or on a schedule, and their connections', async (t) => {
  const who = (sessions, load) => headline({ ...defaults, sessions, ...load })[1]
  t.equal(who({}), '10 sessions at a time')
  t.equal(who({ connections: 1 }), '10 sessions at a time')
  t.equal(who({ connections: 2 }), '10 sessions of up to 2 connections each at a time')
  t.equal(who({}, { connections: { from: 1, to: 9 } }), '1 to 9 sessions at a time')
  t.equal(who({ connections: 3 }, { overallRate: 2.5 }), '2.5 sessions of up to 3 connections each per second')
  t.equal(who({}, { stages: [{}] }), 'sessions on a schedule')
  t.equal(who({ connections: 4 }, { bursts: { size: 3 }, pipelining: 2 }), 'sessions of up to 4 connections each on a schedule with 2 pipelining factor')
  t.equal(headline({ ...defaults, sessions: { amount: 7 }, amount: 5 })[0], 'Running 7 sessions test @ http://localhost:3000')
  t.same(headline({ ...defaults, workers: 1 })[2], '1 workers')
  t.equal(headline({ ...defaults, workers: 0 }).length, 2)
  t.equal(headline({ ...defaults, pipelining: 2 })[1], '10 connections with 2 pipelining factor')
})

t.test('control characters are removed', async (t) => {
  t.same(headline({ ...defaults, url: 'http://a/\u001b[2J\n', socketPath: '/x\u0007' })[0], 'Running 10s test @ http://a/ (/x)')
})

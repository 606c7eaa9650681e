'use strict'

const t = require('tap')
const Outlook = require('../../lib/load/outlook')

function answeredBy (outlook, ...milliseconds) {
  for (const each of milliseconds) outlook.answered(each)
  return outlook.quick
}

t.test('responses are polled for from 1.5 ms before the shortest response time until 5 ms after it', (t) => {
  const outlook = new Outlook()
  outlook.answered(20)
  outlook.sent(1000)
  t.equal(outlook.from(1001, 1), 1018.5)
  t.equal(outlook.until, 1025)
  t.equal(outlook.from(1024.9, 1), 1018.5)
  t.equal(outlook.from(1025, 1), Infinity, 'and no longer')
  t.equal(outlook.until, Infinity)
  t.end()
})

t.test('without requests in flight there is no polling', (t) => {
  const outlook = new Outlook()
  t.equal(outlook.from(0, 0), Infinity)
  outlook.sent(5)
  t.equal(outlook.from(5, 0), Infinity)
  t.equal(outlook.from(5, 1), 3.5, 'before the first response it may arrive at once')
  t.end()
})

t.test('of several requests the oldest one whose response can still be on time counts', (t) => {
  const outlook = new Outlook()
  outlook.answered(10)
  for (const time of [100, 104, 108]) outlook.sent(time)
  t.equal(outlook.from(109, 3), 108.5)
  t.equal(outlook.from(109, 2), 112.5, 'the first has arrived')
  t.equal(outlook.from(115, 3), 112.5, 'the first is overdue')
  t.end()
})

t.test('of very many requests, the last ones count', (t) => {
  const outlook = new Outlook()
  outlook.answered(10)
  for (let time = 0; time < 1000; time++) outlook.sent(time)
  t.equal(outlook.from(900, 1000), 936 + 8.5)
  t.end()
})

t.test('the previous reading of the clock is the one before the sockets were polled, unless something happened since', (t) => {
  const outlook = new Outlook()
  t.equal(outlook.takeLook(), -Infinity, 'the clock was not read')
  outlook.looked(10)
  t.equal(outlook.takeLook(), 10)
  t.equal(outlook.takeLook(), -Infinity, 'what was found then was read later')
  outlook.looked(11)
  outlook.sent(11.2)
  t.equal(outlook.takeLook(), -Infinity, 'no response precedes its request')
  t.end()
})

t.test('response times of more than 100 ms are not worth polling', (t) => {
  const outlook = new Outlook()
  outlook.answered(101)
  outlook.sent(0)
  t.equal(outlook.from(99, 1), Infinity)
  t.end()
})

t.test('the estimate of short response times follows decreases quickly and increases slowly', (t) => {
  const outlook = new Outlook()
  t.equal(answeredBy(outlook, 8), 8)
  t.equal(answeredBy(outlook, 4), 6)
  t.ok(Math.abs(answeredBy(outlook, 1000) - 6.301) < 1e-9)
  t.equal(answeredBy(outlook, ...new Array(100).fill(20)), 20)
  t.equal(answeredBy(outlook, ...new Array(5).fill(0)), 20 / 32)
  t.end()
})

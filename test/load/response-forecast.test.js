'use strict'

const t = require('tap')
const ResponseForecast = require('../../lib/load/response-forecast')

function answeredBy (forecast, ...milliseconds) {
  for (const each of milliseconds) forecast.answered(each)
  return forecast.quick
}

t.test('responses are polled for from 1.5 ms before the shortest response time until 5 ms after it', (t) => {
  const forecast = new ResponseForecast()
  forecast.answered(20)
  forecast.sent(1000)
  t.equal(forecast.from(1001, 1), 1018.5)
  t.equal(forecast.until, 1025)
  t.equal(forecast.from(1024.9, 1), 1018.5)
  t.equal(forecast.from(1025, 1), Infinity, 'and no longer')
  t.equal(forecast.until, Infinity)
  t.end()
})

t.test('without requests in flight there is no polling', (t) => {
  const forecast = new ResponseForecast()
  t.equal(forecast.from(0, 0), Infinity)
  forecast.sent(5)
  t.equal(forecast.from(5, 0), Infinity)
  t.equal(forecast.from(5, 1), 3.5, 'before the first response it may arrive at once')
  t.end()
})

t.test('of several requests the oldest one whose response can still be on time counts', (t) => {
  const forecast = new ResponseForecast()
  forecast.answered(10)
  for (const time of [100, 104, 108]) forecast.sent(time)
  t.equal(forecast.from(109, 3), 108.5)
  t.equal(forecast.from(109, 2), 112.5, 'the first has arrived')
  t.equal(forecast.from(115, 3), 112.5, 'the first is overdue')
  t.end()
})

t.test('of very many requests, the last ones count', (t) => {
  const forecast = new ResponseForecast()
  forecast.answered(10)
  for (let time = 0; time < 1000; time++) forecast.sent(time)
  t.equal(forecast.from(900, 1000), 936 + 8.5)
  t.end()
})

t.test('the previous reading of the clock is the one before the sockets were polled, unless something happened since', (t) => {
  const forecast = new ResponseForecast()
  t.equal(forecast.takeLook(), -Infinity, 'the clock was not read')
  forecast.looked(10)
  t.equal(forecast.takeLook(), 10)
  t.equal(forecast.takeLook(), -Infinity, 'what was found then was read later')
  forecast.looked(11)
  forecast.sent(11.2)
  t.equal(forecast.takeLook(), -Infinity, 'no response precedes its request')
  t.end()
})

t.test('response times of more than 100 ms are not worth polling', (t) => {
  const forecast = new ResponseForecast()
  forecast.answered(101)
  forecast.sent(0)
  t.equal(forecast.from(99, 1), Infinity)
  t.end()
})

t.test('the estimate of short response times follows decreases quickly and increases slowly', (t) => {
  const forecast = new ResponseForecast()
  t.equal(answeredBy(forecast, 8), 8)
  t.equal(answeredBy(forecast, 4), 6)
  t.ok(Math.abs(answeredBy(forecast, 1000) - 6.301) < 1e-9)
  t.equal(answeredBy(forecast, ...new Array(100).fill(20)), 20)
  t.equal(answeredBy(forecast, ...new Array(5).fill(0)), 20 / 32)
  t.end()
})

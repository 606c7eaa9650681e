'use strict'

const t = require('tap')
const { progressText } = require('../../lib/report/progress-text')

const halfway = { current: 5, total: 10, elapsed: 5, rate: 1234.56 }

t.test('every token of the format', async (t) => {
  t.equal(progressText(':percent', halfway, 80), '50%')
  t.equal(progressText(':current/:total', { ...halfway, current: 5.7 }, 80), '5/10')
  t.equal(progressText(':elapsed s, :eta s to go', halfway, 80), '5.0 s, 5.0 s to go')
  t.equal(progressText(':rate/s', halfway, 80), '1,235/s')
  t.equal(progressText('no token $& :other', halfway, 80), 'no token $& :other')
  t.equal(progressText(':percent :percent', halfway, 80), '50% 50%')
})

t.test('the bar', async (t) => {
  t.equal(progressText('[:bar]', halfway, 23), '[==========          ]')
  t.equal(progressText('[:bar]', { ...halfway, current: 0 }, 13), '[          ]')
  t.equal(progressText('[:bar]', { ...halfway, current: 10 }, 13), '[==========]')
})

t.test('the bar uses the available space, and colors take none', async (t) => {
  t.equal(progressText('running [:bar] :percent', halfway, 60).length, 59)
  t.equal(progressText('\u001b[32mrunning\u001b[39m [:bar] :percent', halfway, 60).length, 59 + 10)
  t.equal(progressText('running [:bar] :percent', halfway, 300).length, 'running [] 50%'.length + 60)
  t.equal(progressText('running [:bar] :percent', halfway, 10).length, 'running [] 50%'.length + 5)
})

t.test('after the end and before the start', async (t) => {
  const text = (progress) => progressText(':percent :current :eta :rate', { ...halfway, ...progress }, 80)
  t.equal(text({ current: 12 }), '100% 10 0.0 1,235')
  t.equal(text({ current: 0, elapsed: 0, rate: 0 }), '0% 0 0.0 0')
  t.equal(text({ current: 0, total: 0, rate: 0 }), '0% 0 0.0 0')
})

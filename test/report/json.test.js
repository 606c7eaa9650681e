'use strict'

const t = require('tap')
const jsonLine = require('../../lib/report/json')
const trouble = require('./fixtures/trouble')

t.test('a result is one line that is parsed back to the same', async (t) => {
  const line = jsonLine(trouble())
  t.equal(line.indexOf('\n'), line.length - 1)
  t.same(JSON.parse(line), JSON.parse(JSON.stringify(trouble())))
})

t.test('no text from outside can break the line or reach the terminal', async (t) => {
  const title = 'a\u001b[2Jb\u009b2Jc\u2028d\u2029e\u0085f\u007fg\nh'
  const line = jsonLine({ title })
  t.notMatch(line.slice(0, -1), /[\p{Cc}\p{Zl}\p{Zp}]/u)
  t.equal(JSON.parse(line).title, title)
})

'use strict'

const t = require('tap')
const jsonLine = require('../../lib/report/json')
const trouble = require('./fixtures/trouble')

t.test('a result is one line that is parsed back to the same', async (t) => {
  const line = jsonLine(trouble())
  t.equal(line.indexOf('\n'), line.length - 1)
  t.same(JSON.parse(line), JSON.parse(JSON.stringify(trouble())))
})

t.test('the first errors of the line are those of the result; what is long comes last, in a warm-up as well', async (t) => {
  const warmup = { histograms: { latency: 'x' }, timeline: [{ errors: 3 }], errors: 2 }
  const line = jsonLine({ timeline: [{ errors: 4 }], warmup, histograms: {}, errors: 1, non2xx: 0 })
  t.equal(line, '{"errors":1,"non2xx":0,"warmup":{"errors":2,"timeline":[{"errors":3}],"histograms":{"latency":"x"}},"timeline":[{"errors":4}],"histograms":{}}\n')
  t.equal(jsonLine([{ timeline: [], errors: 1 }]), '[{"timeline":[],"errors":1}]\n')
  t.equal(jsonLine({ text: '##[group] # #[x] ##vso[a]' }), '{"text":"\\u0023#[group] # #[x] \\u0023#vso[a]"}\n')
})

t.test('no text from outside can break the line or reach the terminal', async (t) => {
  const title = 'a\u001b[2Jb\u009b2Jc\u2028d\u2029e\u0085f\u007fg\nh'
  const line = jsonLine({ title })
  t.notMatch(line.slice(0, -1), /[\p{Cc}\p{Zl}\p{Zp}]/u)
  t.equal(JSON.parse(line).title, title)
})

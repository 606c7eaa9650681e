'use strict'

const fs = require('node:fs')
const hdr = require('hdr-histogram-js')
const t = require('tap')
const { printResult, run, toHgrm, toHTML, toJUnit, toMarkdown } = require('../..')
const writeToGitHub = require('../../lib/report/github')
const { simulate } = require('../simulation/world')

t.test('input that is not the result of a run is an error, not a run without responses', async (t) => {
  for (const report of [toJUnit, toMarkdown, toHgrm]) {
    for (const value of [undefined, null, 5, 'x', [], {}, { latency: 5 }, { duration: 1 }, { kind: 'sweep', rows: [] }, { kind: 'comparison' }]) {
      t.throws(() => report(value), { code: 'CANNONADE_BAD_RESULT' }, `${report.name}(${JSON.stringify(value)})`)
    }
  }
  t.throws(() => toJUnit({ kind: 'capacity' }), { message: 'This is the result of a capacity search, not the result of a run' })
})

const HOSTILE = '<b>&"\u001b[31m]]>|`*[x](http://e.test)@team\u0000\n::error::%'

async function results () {
  const simulated = async (settings, opts) => (await simulate({ seed: 1 }, (world) => run({ url: world.server(settings).url, ...opts }))).value
  return {
    good: await simulated({ serviceTime: 5 }, { amount: 40, connections: 4, thresholds: ['errors == 0', 'p99 < 1m'] }),
    bad: await simulated({ serviceTime: 5 }, { amount: 10, title: HOSTILE, thresholds: ['p50 < 1ms', 'errors == 0'] }),
    dead: await simulated({ attempt: () => 'refuse' }, { duration: 0.1 })
  }
}

t.test('what CI reads', async (t) => {
  const { good, bad, dead } = await results()

  t.test('JUnit: a threshold is a test case, and a run without responses is a failure', async (t) => {
    t.match(toJUnit(good), /<testsuites tests="3" failures="0"/)
    t.match(toJUnit(good), /<testcase classname="cannonade" name="errors == 0"\/>/)
    const text = toJUnit(JSON.parse(JSON.stringify(bad)))
    t.match(text, /tests="3" failures="1"/)
    t.match(text, /name="p50 &lt; 1ms">\s*<failure message="p50 &lt; 1ms: it was /)
    for (const part of ['\u001b', '\u0000', '<b>', ']]>']) t.notOk(text.includes(part), JSON.stringify(part))
    t.match(toJUnit(dead), /name="answers">\s*<failure message="no request got a response">/)
    t.match(toJUnit(dead), /ECONNREFUSED/)
    const lines = toJUnit({ ...good, title: 'two\nlines', thresholds: [{ threshold: 'p99\t<\n5ms', passed: true, certain: true }] })
    t.match(lines, '<testsuite name="two lines"')
    t.match(lines, '<testcase classname="two lines" name="p99 &lt; 5ms"/>', 'an attribute has no line breaks')
    const { accounting, ...ofAutocannon } = good
    t.match(toJUnit(ofAutocannon), '40 requests answered, no failures')
    t.match(toJUnit(ofAutocannon), '<testcase classname="cannonade" name="answers"/>')
  })

  t.test('Markdown: text from outside does not become markup', async (t) => {
    t.match(toMarkdown(good), /^### ✅ Load test\n/)
    t.match(toMarkdown(good), /\| Latency \| [\d.]+ ms \|/)
    const text = toMarkdown(bad)
    t.match(text, /^### ❌ /)
    for (const part of ['<b>', '[x]', 'http://', '@team', '\u001b', '\u0000']) t.notOk(text.includes(part), JSON.stringify(part))
    t.match(text, /\| ❌ \| <code>p50 &#60; 1ms<\/code> \| it was /)
    t.match(toMarkdown(dead), /0 of \d+ requests answered/)
    t.same(['1. a', '1.', '- a', '1.5 s'].map((title) => /^### (.*)$/m.exec(toMarkdown({ ...good, thresholds: [], title }))[1]), ['&#8203;1. a', '&#8203;1.', '&#8203;- a', '1.5 s'])
  })

  t.test('sessions send requests in the drain as well, and that time counts', async (t) => {
    const { value: result } = await simulate({ seed: 1 }, (world) => run({
      url: world.server({ serviceTime: 10 }).url,
      connections: 1,
      duration: 1,
      user: async (user) => {
        await user.get('/')
        await user.think(2)
        await user.get('/')
      }
    }))
    t.same([result.duration, result.drain.seconds], [1, 1.02])
    t.match(toMarkdown(result), ' · 2 of 2 requests answered in 2.02 s · ')
    const printed = (isForPrograms) => printResult(result, { outputStream: { write () {}, isTTY: !isForPrograms } })
    t.match(printed(true), /^2 requests in 2\.02s, /m)
    t.match(printed(false), /2 of 2 requests answered in 2\.02 s, /)
  })

  t.test('a server that answers everything with errors has failures, and its statuses are listed', async (t) => {
    const { value: result } = await simulate({ seed: 1 }, (world) => run({ url: world.server({ serviceTime: 10, answer: ({ number }) => number % 4 === 3 ? 503 : 404 }).url, connections: 1, amount: 40 }))
    t.match(toMarkdown(result), '· 40 of 40 requests answered in 0.4 s · **40** failures (100%) · 404: 30, 503: 10')
    t.match(toJUnit(result), '\n40 requests answered, 40 failures (100%; 404: 30, 503: 10)\n')
    t.match(toMarkdown(good), ' · no failures · 200: 40')
  })

  t.test('GitHub: a summary, and an annotation for each failed threshold', async (t) => {
    const summary = `${t.testdir({ summary: 'before\n' })}/summary`
    const lines = []
    writeToGitHub(bad, { summary, write: (line) => lines.push(line) })
    t.match(fs.readFileSync(summary, 'utf8'), /^before\n### ❌/)
    t.match(lines[0], /^::error title=Threshold failed::p50 < 1ms: it was .*\n$/)
    const told = []
    writeToGitHub(dead, { write: (line) => told.push(line) })
    t.match(told[0], /^::error title=No responses::no request got a response: \d+ × ECONNREFUSED/)
    t.ok(told.every((line) => /^::(error|warning) title=[^:,\n]*::[^\n]*\n$/.test(line)), told.join(''))
  })

  t.test('.hgrm: the percentiles of the histogram', async (t) => {
    const text = toHgrm(good)
    const rows = text.split('\n').filter((line) => /^\s+[\d.]+ [\d.]+\s+\d+/.test(line)).map((line) => line.trim().split(/\s+/).map(Number))
    t.equal(rows.at(-1)[2], 40, 'all of them')
    t.equal(rows.at(-1)[1], 1)
    const histogram = hdr.decodeFromCompressedBase64(good.histograms.latency, 64, false)
    for (const [value, share] of rows.filter(([, share]) => share > 0)) t.ok(Math.abs(value * 1000 - histogram.getValueAtPercentile(share * 100)) < 1, `${value} at ${share}`)
    // Five steps to each half of what is left; each value is the least that its share of all does not exceed.
    const thousand = hdr.build({ bitBucketSize: 64, autoResize: true, numberOfSignificantValueDigits: 3 })
    for (let ms = 1; ms <= 1000; ms++) thousand.recordValue(1000 * ms)
    const lines = toHgrm({ histograms: { latency: hdr.encodeIntoCompressedBase64(thousand) } }).split('\n').flatMap((line) => {
      const numbers = /^\s+([\d.]+) ([\d.]+)\s+(\d+)\s+([\d.]+)$/.exec(line)?.slice(1).map(Number)
      return numbers === undefined ? [] : [numbers]
    })
    t.equal(lines.length, 51)
    let [at, step] = [0, 0.1]
    lines.forEach(([value, share, count, inverse], index) => {
      const wanted = at + (index % 5) * step
      t.ok(Math.abs(share - wanted) < 1e-9, `${share}, not ${wanted}`)
      t.ok(Math.abs(inverse - 1 / (1 - share)) <= 0.005)
      const rank = Math.max(1, Math.ceil(1000 * share - 1e-9))
      t.ok(Math.abs(value - rank) <= rank / 1000 + 0.001 && Math.abs(count - rank) <= 1, `${value} and ${count} at ${share}`)
      if (index % 5 === 4) [at, step] = [at + 5 * step, step / 2]
    })
    t.match(toHgrm(good, { histogram: 'serviceTime' }), /Percentile/)
    t.throws(() => toHgrm(good, { histogram: 'nothing' }), { code: 'CANNONADE_BAD_RESULT' })
    t.throws(() => toHgrm(good, { histogram: '' }), { code: 'CANNONADE_BAD_RESULT' })
    t.throws(() => toHgrm({}), { code: 'CANNONADE_BAD_RESULT' })
    t.throws(() => toHgrm({ histograms: { latency: 'x' } }), { code: 'CANNONADE_BAD_RESULT' })
  })
})

t.test('causes of errors are in one order everywhere, the most frequent first, even if a result has them in another', async (t) => {
  const causes = { ERARE: { count: 2, message: 'seldom' }, ENONE: { count: 0, message: 'never' }, EOFTEN: { count: 1200, message: 'often' }, ESOME: { count: 30 } }
  const { value } = await simulate({ seed: 1 }, (world) => run({ url: world.server({ answer: 'reset' }).url, amount: 1 }))
  const result = { ...value, errors: 1232, errorCodes: causes, warnings: [] }
  const annotations = []
  writeToGitHub(result, { write: (line) => annotations.push(line) })
  for (const [name, text, first] of [
    ['terminal', printResult(result), '1,200 × EOFTEN: often'],
    ['Markdown', toMarkdown(result), '- 1,200 × <code>EOFTEN</code>: often\n- 30 × <code>ESOME</code>\n- 2 ×'],
    ['JUnit', toJUnit(result), '1200 × EOFTEN: often\n30 × ESOME\n2 × ERARE: seldom'],
    ['page', toHTML(result), 'EOFTEN']
  ]) {
    t.ok(text.includes(first), `${name}: ${text.slice(0, 3000)}`)
    const places = ['EOFTEN', 'ESOME', 'ERARE'].map((code) => text.indexOf(code))
    t.same(places, [...places].sort((a, b) => a - b), name)
    if (name !== 'page') t.notOk(text.includes('ENONE'), name)
  }
  t.match(annotations, ['::error title=No responses::no request got a response: 1200 × EOFTEN: often\n'])
})

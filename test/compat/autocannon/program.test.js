'use strict'

// Runs a program written from autocannon's manual with autocannon and with this package: it must observe the same.

const t = require('tap')
const { httpServer, readBody } = require('../../support/servers')
const { sleep } = require('../../support/wait')
const { firstMissing, formsOf, lacking, ownLines, runProgram, runProgramApart } = require('./run-both')

// Most of them wait for one of autocannon's seconds, and can do so concurrently.
t.jobs = 5

// Delayed responses take little processor time.
function server (t, ms = 5) {
  return httpServer(t, async (request, response) => {
    if (request.url === '/hang') return
    await readBody(request)
    await sleep(ms)
    response.setHeader('X-Kind', 'a')
    response.end('ok')
  })
}

// Slow enough to leave the load generator idle; otherwise there might be a warning.
const slowServer = (t) => server(t, 20)

for (const [part, play] of [['callback', runProgramApart], ['promise', runProgram], ['aggregate', runProgram]]) {
  t.test(`${part}: the result has all fields of autocannon's, with the same types`, async (t) => {
    const { theirs, ours } = await play(part, (await server(t)).url)
    t.ok(Object.keys(theirs.result).length > 20, 'there is something to compare')
    t.same(lacking(theirs.result, ours.result), [])
    t.same([ours.error, ours.values, ours.total], [theirs.error, theirs.values, theirs.total])
  })
}

for (const [part, what] of [
  ['events', 'the events, and the kinds of their arguments'],
  ['errors', 'requests that time out, and a bailout'],
  ['client', 'the client of each connection, its methods and events'],
  ['requests', 'requests with a context, and a reset'],
  ['bodies', 'expectBody and verifyBody'],
  ['stop', 'stop(), in the middle and after the end'],
  ['bad', 'what is refused'],
  ['tolerant', 'a callback that is no function']
]) {
  t.test(`${part}: ${what}`, async (t) => {
    const { theirs, ours } = await runProgram(part, (await server(t)).url)
    t.ok(Object.keys(theirs).length > 0, 'there is something to compare')
    t.same(ours, theirs)
  })
}

t.test('arguments: parseArguments returns the same', async (t) => {
  const { theirs, ours } = await runProgram('arguments', 'http://localhost')
  for (const [name, given] of Object.entries(theirs)) {
    const { connections, duration, warmup, ...rest } = given
    t.match(ours[name], rest, name)
    // Here defaults are filled in by the run, and the parts of a warm-up have only one spelling.
    if (connections !== 10) t.equal(ours[name].connections, connections)
    if (duration !== 10) t.equal(ours[name].duration, duration)
    if (warmup) t.match(ours[name].warmup, { connections: warmup.connections, duration: warmup.duration })
  }
  t.same(Object.keys(ours).length, 6)
})

t.test('arguments: -n and --no-progress turn off the same', async (t) => {
  const names = ['renderProgressBar', 'renderResultsTable', 'renderStatusCodes', 'renderLatencyTable']
  for (const flags of [['-n'], ['-n', '--renderStatusCodes'], ['--renderStatusCodes', '-n'], ['-n', '-l'], ['--no-progress', '--renderStatusCodes'], ['-l'], ['--no-verbose']]) {
    const [theirs, ours] = ['autocannon', 'cannonade'].map((name) => {
      const given = require(name).parseArguments([...flags, 'http://localhost'])
      return names.map((each) => [each, given[each]])
    })
    t.same(ours, theirs, flags.join(' '))
  }
})

t.test('track: the same lines in the same order, and of our own only a percentile', async (t) => {
  const { url } = await slowServer(t)
  const { theirs, ours } = await runProgram('track', url)
  const [expected, found] = [formsOf(theirs.text), formsOf(ours.text)]
  t.ok(expected.length > 30)
  t.equal(firstMissing(expected, found), null)
  t.same(ownLines(theirs.text, ours.text), ['row 95'])
})

t.test('printResult: the same lines, and one without tables', async (t) => {
  const { theirs, ours } = await runProgram('print', (await slowServer(t)).url)
  const [expected, found] = [formsOf(theirs.all), formsOf(ours.all)]
  t.equal(firstMissing(expected, found), null)
  t.same(ownLines(theirs.all, ours.all), ['row 95'])
  t.match(ours.short, /^20 requests in [\d.]+s, [\d.]+ kB read\n$/)
  t.match(theirs.short.trim(), /20 requests in [\d.]+s, [\d.]+ kB read$/)
  t.equal(ours.noLatency, theirs.noLatency)
})

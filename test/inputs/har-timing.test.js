'use strict'

// What a session sends of a recorded visit, and when: computed here for each URL from its own part of the recording.

const assert = require('node:assert')
const t = require('tap')
const fc = require('../support/fast-check')
const { createPlan } = require('../../lib/plan')

const ORIGINS = ['http://a.test', 'http://b.test', 'http://elsewhere.test']

const visit = fc.array(fc.record({
  page: fc.constantFrom(undefined, 'page_1', 'page_2', 'page_3'),
  again: fc.integer({ min: 1, max: 4 }),
  origins: fc.array(fc.nat(2), { minLength: 4, maxLength: 4 }),
  after: fc.integer({ min: 0, max: 3000 }),
  time: fc.integer({ min: 0, max: 900 })
}), { minLength: 1, maxLength: 6 }).map((pages) => {
  let begin = Date.UTC(2026, 0, 1)
  return pages.flatMap(({ page, again, origins, after, time }) => Array.from({ length: again }, (_, index) => {
    begin += index === 0 ? after : after % 50
    return { page, begin, end: begin + time, origin: ORIGINS[origins[index]] }
  }))
})

const archive = (entries) => ({
  log: {
    entries: entries.map(({ page, begin, end, origin }, index) => ({
      startedDateTime: new Date(begin).toISOString(), time: end - begin, pageref: page, request: { method: 'GET', url: `${origin}/${index}`, headers: [] }
    }))
  }
})

/** The steps of one origin: lists of paths, each with the pause before it. */
function expectedOf (entries, origin) {
  const bursts = []
  let document = -1
  entries.forEach((entry, index) => {
    const isPart = index > 0 && entry.page !== undefined && entry.page === entries[index - 1].page
    if (!isPart) document = index
    if (entry.origin !== origin) return
    const earlier = entries.slice(0, index).filter((other) => other.origin === origin)
    const isFirstOfPage = !entries.slice(document, index).some((other) => other.origin === origin)
    const pause = isFirstOfPage && earlier.length > 0 ? Math.max(0, entry.begin - Math.max(...earlier.map(({ end }) => end))) / 1000 : 0
    const last = bursts.at(-1)
    // All but the document are one burst.
    if (index > document && last?.document === document && last.first !== document) last.paths.push(`/${index}`)
    else bursts.push({ document, first: index, paths: [`/${index}`], pause })
  })
  return bursts.map(({ paths, pause }) => ({ paths, thinkTime: { from: pause, to: pause } }))
}

t.test('property: each URL gets its pages, bursts and pauses, whatever was recorded in between', async (t) => {
  fc.assert(fc.property(visit, fc.constantFrom([0], [1], [0, 1], [1, 0], [0, 1, 0]), (entries, chosen) => {
    const urls = chosen.map((index) => ORIGINS[index])
    const { plan: { requests, sessions } } = createPlan({ url: urls.length === 1 ? urls[0] : urls, har: archive(entries), harTiming: true, sessions: true, thinkTime: 7 })
    urls.forEach((origin, target) => {
      const steps = sessions.scripts[0]
        .map((step) => ({ paths: step.requests.map((index) => requests[index]).filter((request) => request.target === target).map(({ path }) => path), thinkTime: step.thinkTime }))
        .filter(({ paths }) => paths.length > 0)
      const expected = expectedOf(entries, origin)
      // A URL that the recording does not have gets one request, with the pause of the run.
      assert.deepStrictEqual(structuredClone(steps), expected.length > 0 ? expected : [{ paths: ['/'], thinkTime: { from: 7, to: 7 } }])
    })
  }), { numRuns: 300 })
})

t.test('a page whose document comes from elsewhere still has its pause', async (t) => {
  const entry = (page, begin, end, origin) => ({ page, begin, end, origin: ORIGINS[origin] })
  const entries = [entry('page_1', 0, 90, 2), entry('page_1', 100, 200, 0), entry('page_1', 110, 150, 0), entry('page_2', 5000, 5100, 2), entry('page_2', 5200, 5300, 0)]
  const { plan: { sessions, requests } } = createPlan({ url: ORIGINS[0], har: archive(entries), harTiming: true, sessions: true })
  t.same(sessions.scripts[0].map((step) => [step.requests.map((index) => requests[index].path).join(), step.thinkTime.from]), [['/1,/2', 0], ['/4', 5]])
})

t.test('property: rows that are used once suffice for the URL with the most requests, of the recording or of all', async (t) => {
  const rows = fc.integer({ min: 1, max: 5 }).map((count) => Array.from({ length: count }, (_, id) => ({ id })))
  fc.assert(fc.property(visit, rows, fc.constantFrom([0], [0, 1], [1, 0, 1]), fc.boolean(), (entries, rows, chosen, isRecorded) => {
    const urls = chosen.map((index) => ORIGINS[index])
    const requests = entries.map(() => ({}))
    const { plan: { feed, amount } } = createPlan({ url: urls, feed: { rows, order: 'once' }, ...(isRecorded ? { har: archive(entries) } : { requests }) })
    const most = isRecorded ? Math.max(1, ...urls.map((origin) => entries.filter((entry) => entry.origin === origin).length)) : requests.length
    assert.deepStrictEqual([feed.steps, feed.amount, amount], [most, rows.length * most, rows.length * most])
  }), { numRuns: 100 })
})

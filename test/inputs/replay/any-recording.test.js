'use strict'

// Any recording, replayed in a simulated world: what arrives and when, and how the result groups it, computed from the recording.

const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const t = require('tap')
const { createPlan } = require('../../../lib/plan')
const fc = require('../../support/fast-check')
const { playInWorld } = require('../../support/play-in-world')

const START = Date.UTC(2026, 0, 1)
const GROUPS = { '/items/1': '/items/*', '/items/2?a=3': '/items/*', '/list?page=2': '/list' }

const line = fc.record({
  // Not only whole seconds, which would be spread.
  at: fc.integer({ min: 1, max: 300 }),
  method: fc.constantFrom('GET', 'POST', 'DELETE'),
  path: fc.constantFrom(...Object.keys(GROUPS)),
  title: fc.option(fc.constantFrom('first', 'GET /list'), { nil: undefined }),
  size: fc.option(fc.integer({ min: 1, max: 40 }), { nil: 0 }),
  mark: fc.nat(99)
})
const recording = fc.record({
  lines: fc.array(line, { minLength: 1, maxLength: 10 }),
  format: fc.constantFrom('jsonl', 'har'),
  urls: fc.integer({ min: 1, max: 2 }),
  speed: fc.constantFrom(0.5, 1, 4),
  limit: fc.option(fc.integer({ min: 1, max: 8 }), { nil: undefined }),
  workers: fc.constantFrom(0, 2),
  http2: fc.boolean()
}).map((drawn) => ({ ...drawn, urls: drawn.format === 'har' ? 1 : drawn.urls }))

const textOf = {
  jsonl: (lines) => lines.map(({ at, method, path, title, size, mark }) => JSON.stringify({
    time: START + at, method, path, title, headers: { 'X-Mark': mark }, ...(size > 0 && { body: 'x'.repeat(size) })
  })).join('\n'),
  har: (lines) => JSON.stringify({
    log: {
      entries: lines.map(({ at, method, path, size, mark }) => ({
        startedDateTime: new Date(START + at).toISOString(),
        time: 7,
        request: { method, url: `http://10.0.0.1${path}`, headers: [{ name: 'X-Mark', value: `${mark}` }], ...(size > 0 && { postData: { mimeType: 'a/b', text: 'x'.repeat(size) } }) }
      }))
    }
  })
}

t.test('property: each request of any recording is sent once, at its time, and counts where it belongs', async (t) => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'cannonade-'))
  t.teardown(() => fs.rmSync(folder, { recursive: true }))
  await fc.assert(fc.asyncProperty(recording, async ({ lines, format, urls, speed, limit, workers, http2 }) => {
    const file = path.join(folder, 'recording')
    fs.writeFileSync(file, textOf[format](lines))
    const taken = lines.slice(0, limit)
    const settings = { http2 }
    // As many connections for each URL and thread as there are requests: none has to wait.
    const opts = { connections: 40, workers, http2, replay: { file, speed, limit } }
    const { result, world } = await playInWorld(t, urls === 1 ? settings : [settings, settings], opts)
    const first = Math.min(...taken.map(({ at }) => at))
    const startedAt = Math.min(...world.log.map(({ sentAt }) => sentAt))
    const sent = world.log.map((entry) => ({
      at: Math.round((entry.sentAt - startedAt) / 1000), method: entry.method, path: entry.path, mark: entry.header('x-mark').join(), size: Number(entry.header('content-length').join())
    }))
    const inOrder = (list) => list.map((each) => JSON.stringify(each)).sort()
    t.same(inOrder(sent), inOrder(taken.map(({ at, method, path, mark, size }) => ({ at: Math.round((at - first) / speed), method, path, mark: `${mark}`, size }))))
    const { plan } = createPlan({ url: 'http://10.0.0.1', ...opts })
    const lasting = (Math.max(...taken.map(({ at }) => at)) + 1 - first) / speed / 1000
    t.ok(Math.abs(plan.duration - lasting) < 1e-9, `${plan.duration} s, to the end of the last millisecond`)

    const groups = new Map()
    for (const { method, path, title } of taken.toSorted((one, other) => one.at - other.at)) {
      const name = format === 'jsonl' && title !== undefined ? `title ${title}` : `${method} ${GROUPS[path]}`
      groups.set(name, (groups.get(name) ?? 0) + 1)
    }
    const counted = result.endpoints.map(({ title, method, path, completed }) => [title === undefined ? `${method} ${path}` : `title ${title}`, completed])
    t.same(new Map(counted), groups)
    t.same(counted.map(([, count]) => count), [...groups.values()].sort((one, other) => other - one), 'the most frequent first')
  }), { numRuns: 40 })
})

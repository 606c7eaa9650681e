'use strict'

const { EventEmitter, once } = require('node:events')
const http = require('node:http')
const t = require('tap')
const PageServer = require('../../lib/watch/dashboard/page-server')
const Pages = require('../../lib/watch/dashboard/pages')
const measured = require('../report/fixtures/measured')
const { request } = require('../support/http-client')

/** A response to an open page; `told` has the names of the events that were written to it. */
function pageOf (more) {
  const told = []
  return Object.assign(new EventEmitter(), { told, writableNeedDrain: false, writeHead () {}, write (text) { told.push(/^event: (\w+)/.exec(text)[1]) }, end () {} }, more)
}

t.test('a hundred pages, and one more when one of them is closed', async (t) => {
  const pages = new Pages(() => ({}))
  const open = Array.from({ length: 100 }, () => pageOf())
  for (const page of open) t.equal(pages.add(page, {}), true)
  const another = pageOf()
  t.equal(pages.add(another, {}), false)
  t.same(another.told, [])
  open[50].emit('close')
  t.equal(pages.add(another, {}), true)
  t.same(another.told, ['state'])
})

t.test('a page that reads slowly gets the current state when it has read the last one, and no other does', async (t) => {
  const pages = new Pages(() => ({}))
  const [slow, quick] = [pageOf(), pageOf()]
  for (const page of [slow, quick]) pages.add(page, {})
  slow.writableNeedDrain = true
  pages.sendToAll()
  pages.sendToAll()
  t.same([slow.told.length, quick.told.length], [1, 3])
  slow.writableNeedDrain = false
  for (const page of [slow, quick]) page.emit('drain')
  t.same([slow.told.length, quick.told.length], [2, 3])
  slow.emit('drain')
  t.equal(slow.told.length, 2)
})

t.test('the report counts as read when it was sent, not when it was asked about', async (t) => {
  const { reportRead } = Pages.prototype
  const read = []
  Pages.prototype.reportRead = function (mark) {
    read.push(mark)
    return reportRead.call(this, mark)
  }
  t.teardown(() => { Pages.prototype.reportRead = reportRead })
  const server = new PageServer({ port: 0, host: '127.0.0.1' }, { url: 'http://a' })
  const { url } = await server.open()
  const page = http.get(`${url}/events`).on('error', () => {})
  await once(page, 'response')
  const finished = server.finish({ message: null, result: measured() })
  t.match(await request(`${url}/report?one`, { method: 'HEAD' }), { status: 200, body: '' })
  t.match(await request(`${url}/report?two`), { status: 200, body: '<!DOCTYPE html>' })
  t.same(read, ['two'])
  page.destroy()
  await finished
})

'use strict'

const { DynamicTable } = require('../../lib/protocol/http2/hpack/dynamic-table')
const BlockMemo = require('../../lib/protocol/http2/block-memo')
const Http2Connection = require('../../lib/protocol/http2/connection')
const Incoming = require('../../lib/protocol/http2/incoming')
const { Outgoing } = require('../../lib/protocol/http2/outgoing')
const Responses = require('../../lib/protocol/http2/responses')
const { StreamTable, NONE } = require('../../lib/protocol/http2/stream-table')

const uploads = ({ opts, walk }) => opts.body !== undefined || walk?.steps.some(({ body }) => body?.length > 0)
const shifts = ({ server: { habits } }) => habits.shift !== null
const isNarrow = ({ windows }) => windows !== null
const isLate = ({ server: { habits } }) => habits.hearsResetsAfter > 0
const mixes = ({ server: { habits } }) => habits.coding === 'mixed'
const indexes = ({ server: { habits } }) => habits.coding === 'indexed' && habits.clock > 0
const adds = ({ server: { habits } }) => habits.coding === 'adding'
const resets = ({ server: { habits } }) => habits.early?.rst !== undefined
const ends = ({ server: { habits } }) => habits.early?.then !== undefined
const changesTable = ({ server: { habits } }) => habits.settings.HEADER_TABLE_SIZE < 4096
const limits = ({ server: { streams } }) => streams !== undefined

/** Calls a method while a method that it calls is replaced. */
function without (object, name, act) {
  object[name] = () => {}
  act()
  delete object[name]
}

/**
 * Defects that a programmer could introduce in HTTP/2: the class whose method is replaced, and the HTTP/2 worlds in which it matters.
 */
module.exports = {
  'DATA before the acknowledgement of the SETTINGS that allow it': [Outgoing, 'moveWindows', (original) => function (change) {
    const wrong = original.call(this, change)
    this.uploads.pump()
    return wrong
  }, shifts],
  'a window that SETTINGS make smaller, and it stays': [Outgoing, 'moveWindows', (original) => function (change) { return original.call(this, Math.max(0, change)) }, shifts],
  'a window that SETTINGS make larger, and it stays': [Outgoing, 'moveWindows', (original) => function (change) { return original.call(this, Math.min(0, change)) }, shifts],
  'a window of the connection that is an octet too large': [Outgoing, 'windowGrew', (original) => function (increment) { original.call(this, increment + 1) }, uploads],
  'a window of a stream that is an octet too large': [StreamTable, 'open', (original) => function (id, window) { return original.call(this, id, window + 1) }, uploads],
  'a credit that is an octet short': [Incoming, 'openWindow', (original) => function () {
    this.window++
    original.call(this)
  }, isNarrow],
  'DATA that comes late and is given back to nobody': [Incoming, 'onDataFrame', (original) => function (flags, streamId, length) {
    original.call(this, flags, streamId, length)
    if (this.streams.slotOf(streamId) === NONE) this.window += length
  }, (drawn) => isLate(drawn) && isNarrow(drawn) && drawn.windows.connection < 100_000],
  'the newest entry of a table is evicted': [DynamicTable, 'evictTo', () => function (size) {
    for (; this.count > 0 && this.size > size; this.count--) {
      const { name, value } = this.entries[this.newest]
      this.size -= name.length + value.length + 32
      this.newest = (this.newest + this.entries.length - 1) % this.entries.length
    }
  }, mixes],
  'a table that has room for an octet less': [DynamicTable, 'evictTo', (original) => function (size) { original.call(this, size - 1) }, mixes],
  'a block that adds entries only the first time': [DynamicTable, 'addAgain', () => () => {}, adds],
  'a block that is recognised though the table has changed': [BlockMemo, 'recognises', (original) => function (...args) {
    this.readsTable = false
    return original.apply(this, args)
  }, indexes],
  'a header table that SETTINGS have shrunk, and it stays': [Outgoing, 'resizeTable', (original) => function (before) { if (this.table === null) original.call(this, before) }, changesTable],
  'a stream too many': [Outgoing, 'settingsCame', (original) => function (...args) {
    const wrong = original.apply(this, args)
    this.streamLimit = Math.min(this.connection.depth, this.streamLimit + 1)
    return wrong
  }, limits],
  'SETTINGS that are not acknowledged': [Outgoing, 'answer', (original) => function (frame) { if (frame[3] !== 4) original.call(this, frame) }],
  'a stream that begins after a GOAWAY': [Http2Connection, 'goawayCame', (original) => function (...args) {
    original.apply(this, args)
    this.isLast = false
  }],
  'a time-out of which the server does not hear': [Responses, 'timeOut', (original) => function (slot) { without(this, 'reset', () => original.call(this, slot)) }, isLate],
  'a body that goes on when its connection has ended': [Outgoing, 'stop', (original) => function () { without(this.uploads, 'clear', () => original.call(this)) }, ends],
  'a body that goes on when its stream was reset': [Responses, 'resetCame', (original) => function (slot, code) {
    without(this.connection.outgoing.uploads, 'drop', () => original.call(this, slot, code))
  }, (drawn) => uploads(drawn) && resets(drawn)]
}

'use strict'

// What is counted, and where code is, in words.

const path = require('node:path')
const t = require('tap')
const { doneOf, headOf, nounOf, nounOfOptions, shortNoun } = require('../../lib/words/noun')
const { placeInCode } = require('../../lib/words/place')

t.test('what a run sends: messages over WebSocket and Socket.IO, requests otherwise', async (t) => {
  for (const [options, noun] of [
    [{ url: 'http://a' }, 'request'], [{ url: 'https://wss:1' }, 'request'], [{}, 'request'], [{ url: [] }, 'request'], [{ url: undefined, socketPath: '/ws:' }, 'request'],
    [{ url: 'ws://a' }, 'message'], [{ url: 'wss://a' }, 'message'], [{ url: 'WSS://a' }, 'message'], [{ url: ['ws://a', 'ws://b'] }, 'message'], [{ url: ['http://a', 'http://ws:1'] }, 'request'], [{ url: ['http://a', 'ws://b'] }, 'request'], [{ url: ['ws://a', 'http://b'] }, 'message'],
    [{ url: 'http://a', websocket: {} }, 'message'], [{ url: 'http://a', socketio: {} }, 'message'], [{ url: 'http://a', websocket: null, socketio: false }, 'request']
  ]) t.equal(nounOfOptions(options), noun, JSON.stringify(options))
})

t.test('what results count: messages if all of them do', async (t) => {
  const [messages, requests] = [{ messages: { sent: 1 } }, { messages: undefined }]
  for (const [results, noun] of [[[messages], 'message'], [[messages, messages], 'message'], [[messages, requests], 'request'], [[requests, messages], 'request'], [[], 'request'], [[undefined], 'request'], [[null], 'request']]) {
    t.equal(nounOf(...results), noun)
  }
  t.same([messages, requests].map((result) => [shortNoun(result, {}), shortNoun(result, { isForPrograms: true })]), [['Msg', 'Req'], ['Req', 'Req']])
  t.same(['message', 'request'].map((noun) => [headOf(noun), doneOf(noun)]), [['Messages', 'completed'], ['Requests', 'answered']])
})

t.test('a place in code: relative within the current folder, with its line if that is known', async (t) => {
  const here = (...names) => path.join(process.cwd(), ...names)
  for (const [frame, place] of [
    [{ file: here('a.js'), line: 12 }, 'a.js:12'], [{ file: here('lib', 'a.js'), line: 1 }, `${path.join('lib', 'a.js')}:1`], [{ file: here('a.js'), line: 0 }, 'a.js:0'],
    [{ file: here('a.js'), line: null }, 'a.js'], [{ file: here('a.js') }, 'a.js'], [{ file: here('..', 'b.js'), line: 3 }, `${here('..', 'b.js')}:3`],
    [{ file: 'node:fs', line: 3 }, 'node:fs:3'], [{ file: './a/../b.js', line: 3 }, './a/../b.js:3'], [{ file: null, line: 3 }, ''], [{ file: '', line: 3 }, ''], [{ file: undefined }, '']
  ]) t.equal(placeInCode(frame), place)
})

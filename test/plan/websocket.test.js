'use strict'

const t = require('tap')
const { createPlan } = require('../../lib/plan')

const planOf = (opts) => createPlan({ url: 'ws://localhost:1', ...opts })

t.test('the URL selects WebSocket; with `websocket` so does one without a scheme', async (t) => {
  const cases = [
    [{ url: 'ws://h' }, 'ws://h/', false, 80], [{ url: 'wss://h' }, 'wss://h/', true, 443], [{ url: 'h:3000/x', websocket: true }, 'ws://h:3000/x', false, 3000],
    [{ url: '//h', websocket: {} }, 'ws://h/', false, 80], [{ url: undefined, socketPath: '/x', websocket: {} }, 'ws://localhost/', false, 80]
  ]
  for (const [opts, href, secure, port] of cases) t.match(planOf(opts).plan, { targets: [{ href, secure, port, isWebSocket: true }], websocket: { expect: 'reply' } }, href)
  t.equal(createPlan({ url: 'http://h', websocket: false }).plan.websocket, null)
})

t.test('parsing, and the contents of the handshake', async (t) => {
  const { plan, hooks } = planOf({
    headers: { 'X-Both': 'run', 'X-Run': '1' },
    websocket: { expect: 'reply', protocols: 'chat', compress: true, origin: 'https://o', headers: { 'x-both': 'own' }, match: String, maxMessage: '1000', pingInterval: '500ms' }
  })
  t.match(plan.websocket, { protocols: ['chat'], compress: true, maxMessage: 1000, pingInterval: 0.5, headers: [['x-both', 'own'], ['X-Run', '1'], ['Origin', 'https://o']] })
  t.equal(hooks.match, String)
  t.doesNotThrow(() => structuredClone(plan))
})

t.test('of the headers of a handshake, its own override the origin, and both override those of the run', async (t) => {
  const [run, own] = [{ headers: { origin: 'run' } }, { headers: { ORIGIN: 'own' } }]
  const originOf = (opts, websocket) => planOf({ ...opts, websocket }).plan.websocket.headers.map(([, value]) => value)
  t.same([originOf({}, {}), originOf(run, {}), originOf({}, own), originOf(run, own)], [[], ['run'], ['own'], ['own']])
  t.same([originOf({}, { origin: 'o' }), originOf(run, { origin: 'o' }), originOf(run, { origin: 'o', ...own }), originOf({}, { origin: 'o', ...own })], [['o'], ['o'], ['own'], ['own']])
})

t.test('bytes have a place for an id, too', async (t) => {
  const warned = (body) => planOf({ websocket: { expect: 'broadcast' }, requests: [{ body }] }).warnings.length
  const bytes = (text) => Buffer.from(`[<id>]${text}[<id>]`).subarray(6, 6 + text.length)
  t.same(['a [<id>]', Buffer.from('a [<id>]'), bytes('[<id>]'), new Uint8Array(Buffer.from('[<id>] b'))].map(warned), [0, 0, 0, 0])
  t.same(['a', '[id]', Buffer.from('a'), bytes('[<id> ]')].map(warned), [1, 1, 1, 1])
})

t.test('broadcast messages carry ids, and an error names bodies without a place for one', async (t) => {
  const { plan, warnings } = planOf({ websocket: { expect: 'broadcast' }, requests: [{ body: 'a [<id>]' }, { body: 'b' }, {}] })
  t.match(plan, { websocket: { carriesIds: true }, targets: [{ carriesIds: true }] })
  t.match(warnings, [{ code: 'OPTION_WITHOUT_EFFECT', message: /requests\[1\]/ }])
  t.equal(warnings.length, 1)
  t.notOk(planOf({ websocket: { expect: 'broadcast', match: String }, body: 'b' }).plan.websocket.carriesIds)
  t.same(planOf({ websocket: { expect: 'broadcast' }, drain: 2 }).warnings, [], 'drain has an effect')
})

t.test('invalid options give one sentence', async (t) => {
  const cases = [
    [{ method: 'GET' }, /^method cannot be given with a ws:\/\/ URL/],
    [{ form: '{"a":{"type":"text","value":"1"}}' }, /^form /],
    [{ http2: true }, /^http2 /],
    [{ cookies: true }, /^cookies /],
    [{ followRedirects: 3 }, /^followRedirects /],
    [{ excludeErrorStats: true }, /^excludeErrorStats /],
    [{ keepAlive: false }, /^keepAlive.*reconnectRate: 1/],
    [{ body: () => [] }, /^body must be a string or bytes/],
    [{ requests: [{ body: { stream: './x.js' } }] }, /^requests\[0\].body must be/],
    [{ requests: [{}, { path: '/x' }] }, /^requests\[1\].path .*handshake/],
    [{ requests: [{ headers: { a: '1' } }] }, /^requests\[0\].headers /],
    [{ sessions: { log: [[{ path: '/' }]] } }, /^sessions.log /],
    [{ url: ['ws://a', 'http://b'] }, /^url\[1\] must be a ws/],
    [{ url: 'http://h', websocket: true }, /^url must be a ws/],
    [{ url: 'http://h', requests: [{ onMessage () {} }] }, /^requests\[0\].onMessage needs a ws/],
    [{ url: 'ws://h/{{a}}', feed: [{ a: 1 }] }, /^url must be a WebSocket URL without columns/],
    [{ proxy: 'ws://p' }, /^proxy must start with http/],
    [{ websocket: { expect: 'broadcast' }, expectBody: 'x' }, /broadcast.*expectBody/],
    [{ websocket: { expect: 'broadcast' }, verifyBody () {} }, /broadcast.*verifyBody/],
    [{ websocket: { expect: 'nothing' }, expectBody: 'x' }, /nothing.*expectBody/],
    [{ websocket: { expect: 'nothing', match: String } }, /nothing.*match/],
    [{ websocket: { expect: 'nothing' }, requests: [{ onMessage () {} }] }, /nothing.*onMessage/],
    [{ websocket: { expect: 'nothing' }, requests: [{}, { onResponse () {} }] }, /nothing.*requests\[1\]\.onResponse/],
    [{ websocket: { expect: 'broadcast', match: './m.js' }, workers: 2 }, /match.*workers/],
    ...[{}, { match: './m.js' }].map((more) => [{ websocket: { expect: 'broadcast', ...more }, fleet: { redis: 'redis://localhost', agents: 2, key: 'x' } }, /broadcast.*fleet/]),
    [{ websocket: { match: String }, workers: 2 }, /websocket\.match must be the path of a module/]
  ]
  for (const [opts, message] of cases) {
    t.throws(() => planOf(opts), { code: 'CANNONADE_BAD_OPTION', message }, JSON.stringify(opts))
    t.throws(() => planOf(opts), { message: /^[^\n]*$/ })
  }
})

t.test('Socket.IO: events, and how replies are matched', async (t) => {
  const { plan } = planOf({ url: 'localhost:3000/?a=b', socketio: { path: '/io/', namespace: '/chat', event: 'say', auth: { a: 1 } }, body: '[1]' })
  const settings = { path: '/io/', namespace: '/chat', event: 'say', auth: '{"a":1}', acknowledges: true }
  t.match(plan, { url: 'ws://localhost:3000/?a=b', websocket: { expect: 'reply', socketio: settings }, targets: [{ path: '/io/?EIO=4&transport=websocket&a=b', socketio: settings }] })
  const urlOf = (url, more) => planOf({ url, socketio: true, ...more }).plan.url
  t.same([urlOf('http://h:3000/?a=b'), urlOf('HTTPS://h'), urlOf(['http://a', 'ws://b']), urlOf('http://h', { websocket: { expect: 'broadcast' } })], ['ws://h:3000/?a=b', 'wss://h', ['ws://a', 'ws://b'], 'ws://h'])
  t.match(planOf({ socketio: true }).plan.websocket.socketio, { path: '/socket.io/', namespace: '/', event: 'message', auth: null, acknowledges: true })
  const acknowledges = (opts) => planOf({ socketio: true, ...opts }).plan.websocket.socketio.acknowledges
  t.notOk(acknowledges({ websocket: { expect: 'broadcast' } }))
  t.notOk(acknowledges({ websocket: { expect: 'nothing' } }))
  t.notOk(acknowledges({ socketio: { ack: false } }))
  t.equal(planOf({ socketio: false }).plan.websocket.socketio, null)
  t.match(planOf({ socketio: { even: 'x' } }).warnings, [{ code: 'UNKNOWN_OPTION', message: /did you mean 'socketio\.event'/ }])
  t.doesNotThrow(() => structuredClone(plan))
})

t.test('Socket.IO: invalid options give one sentence', async (t) => {
  const feed = [{ name: '"a"' }, { name: 'b' }]
  const cases = [
    [{ body: 'hello' }, /^body must be JSON with socketio .*; got 'hello'$/],
    [{ requests: [{ body: '1' }, { body: '{a:1}' }] }, /^requests\[1\]\.body must be JSON/],
    [{ body: '[<id>]', idReplacement: true }, /^body must be JSON/],
    [{ body: '[{{name}}]', feed }, /^body with row 2 of the feed must be JSON/],
    [{ url: 'ws://h/chat' }, /^url must be a URL without a path .* socketio\.namespace/],
    [{ url: 'http://h/chat' }, /^url must be a URL without a path .* socketio\.namespace/],
    [{ socketio: { ack: true }, websocket: { expect: 'broadcast' } }, /socketio\.ack.*broadcast/],
    [{ socketio: { ack: true }, websocket: { expect: 'nothing' } }, /socketio\.ack.*nothing/],
    [{ websocket: { match: String } }, /websocket\.match.*ack: false/],
    [{ method: 'GET' }, /^method cannot be given/]
  ]
  for (const [opts, message] of cases) {
    t.throws(() => planOf({ socketio: true, ...opts }), { code: 'CANNONADE_BAD_OPTION', message }, JSON.stringify(opts))
    t.throws(() => planOf({ socketio: true, ...opts }), { message: /^[^\n]*$/ })
  }
  t.doesNotThrow(() => planOf({ socketio: { ack: false }, websocket: { match: String } }))
  for (const expect of ['nothing', 'broadcast']) t.doesNotThrow(() => planOf({ socketio: true, websocket: { expect } }))
  t.doesNotThrow(() => planOf({ socketio: true, websocket: { expect: 'broadcast', match: String } }))
  t.doesNotThrow(() => planOf({ socketio: true, body: '{"n":{{name}}}', feed: feed.slice(0, 1) }))
  t.doesNotThrow(() => planOf({ socketio: true, body: Buffer.from('no JSON') }), 'bytes are an attachment')
})

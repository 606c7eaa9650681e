'use strict'

const t = require('tap')
const { startServer, serverOptions } = require('../../lib/server')
const { parseServerOptions } = require('../../lib/server/options')

t.test('defaults', async (t) => {
  const defaults = {
    port: 9090,
    host: 'localhost',
    http2: false,
    websocket: null,
    workers: 1,
    delay: { from: 0, to: 0 },
    status: 200,
    bodySize: null,
    errorRate: 0,
    verbose: false
  }
  t.same(parseServerOptions(), defaults)
  t.same(parseServerOptions({ port: undefined, delay: null }), defaults)
  t.same(serverOptions.map(({ name }) => name), Object.keys(defaults))
  for (const { name, help } of serverOptions) t.ok(help.length > 10, `${name} has a help text`)
})

t.test('valid values', async (t) => {
  const good = [
    ['port', 0, 0], ['port', '8080', 8080], ['port', 65535, 65535],
    ['host', ' ::1 ', '::1'], ['host', '[::1]', '::1'],
    ['http2', true, true],
    ['websocket', 'echo', 'echo'], ['websocket', 'chat', 'chat'],
    ['workers', '2', 2],
    ['delay', 20, { from: 20, to: 20 }], ['delay', '0.5', { from: 0.5, to: 0.5 }], ['delay', '.5 - 2', { from: 0.5, to: 2 }],
    ['delay', { from: 1, to: 1 }, { from: 1, to: 1 }], ['delay', { from: '1', to: 2 }, { from: 1, to: 2 }],
    ['status', 599, 599],
    ['bodySize', 0, 0],
    ['errorRate', '10%', 0.1], ['errorRate', 1, 1], ['errorRate', '0.25', 0.25], ['errorRate', '100%', 1],
    ['verbose', true, true]
  ]
  for (const [name, value, parsed] of good) t.same(parseServerOptions({ [name]: value })[name], parsed, `${name} ${value}`)
})

t.test('invalid values: one sentence that names option, value and what is allowed', async (t) => {
  const bad = [
    ['port', -1], ['port', 65536], ['port', 1.5], ['port', ''], ['port', '0x50'], ['port', true], ['port', []],
    ['host', ''], ['host', 5],
    ['http2', 'yes'], ['http2', 1],
    ['websocket', true], ['websocket', 'rooms'],
    ['workers', 0], ['workers', 129], ['workers', 'two'],
    ['delay', -1], ['delay', '5-'], ['delay', '9-5'], ['delay', '1-2-3'], ['delay', { from: 5 }], ['delay', NaN],
    ['delay', Infinity], ['delay', 3_600_001], ['delay', true], ['delay', '5 ms'],
    ['status', 199], ['status', 600], ['status', '2xx'],
    ['bodySize', -1], ['bodySize', 0.5], ['bodySize', 2 ** 40],
    ['errorRate', 1.1], ['errorRate', -0.1], ['errorRate', '101%'], ['errorRate', '%'], ['errorRate', 'ten'],
    ['verbose', 'yes']
  ]
  for (const [name, value] of bad) {
    const error = await startServer({ [name]: value }).then(() => null, (error) => error)
    t.match(error, { code: 'CANNONADE_BAD_OPTION', option: name }, `${name} ${value}`)
    t.match(error?.message, new RegExp(`^${name} must be .+; got .+$`))
  }
})

t.test('an unknown name is rejected, and the error lists the known ones', async (t) => {
  await t.rejects(startServer({ prot: 1 }), { code: 'CANNONADE_BAD_OPTION', option: 'prot', message: /prot .*port, host/ })
  await t.rejects(startServer(5), { code: 'CANNONADE_BAD_OPTION' })
})

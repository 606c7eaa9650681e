'use strict'

const os = require('node:os')
const t = require('tap')
const { checkDiagnosed } = require('../../lib/plan/diagnose')

t.test('only a server on this machine can be diagnosed', async (t) => {
  const own = Object.values(os.networkInterfaces()).flat().map(({ address }) => address)
  const here = ['localhost', 'LOCALHOST', 'a.localhost', 'b.a.LocalHost', '127.0.0.1', '127.5.6.7', '0.0.0.0', os.hostname(), os.hostname().toUpperCase(), ...own]
  const elsewhere = ['a.test', 'localhost.a.test', 'notlocalhost', '192.0.2.1', '2001:db8::1', `${os.hostname()}.a.test`]
  const check = (hostnames, more) => checkDiagnosed({ diagnose: {}, socketPath: undefined, ...more }, hostnames.map((hostname) => ({ hostname })))
  for (const hostname of here) t.doesNotThrow(() => check([hostname]), hostname)
  for (const hostname of elsewhere) {
    for (const hostnames of [[hostname], ['localhost', hostname], [hostname, 'localhost']]) {
      t.throws(() => check(hostnames), { code: 'CANNONADE_BAD_OPTION', option: 'diagnose', message: `only a server on this machine can be diagnosed; '${hostname}' is another machine` })
    }
    t.doesNotThrow(() => check([hostname], { socketPath: '/tmp/x' }), 'a socket is on this machine')
    t.doesNotThrow(() => check([hostname], { diagnose: null }))
  }
})

'use strict'

const os = require('node:os')
const path = require('node:path')
const t = require('tap')
const { checkDiagnosed, readProfile } = require('../../lib/plan/diagnose')

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

t.test('a profile is a file in a folder that exists, whether or not there is one already', async (t) => {
  const folder = t.testdir({ 'old.cpuprofile': '', file: '', 'folder.cpuprofile': {} })
  for (const name of ['new.cpuprofile', 'old.cpuprofile', '.cpuprofile']) {
    const file = path.join(folder, name)
    t.equal(readProfile(file, 'diagnose.profile'), file)
  }
  for (const bad of [...['new.json', 'cpuprofile', 'folder.cpuprofile', 'none/new.cpuprofile', 'file/new.cpuprofile', 'new.cpuprofile/'].map((name) => `${folder}/${name}`), '', 5, true, {}]) {
    t.throws(() => readProfile(bad, 'diagnose.profile'), { code: 'CANNONADE_BAD_OPTION', option: 'diagnose.profile', message: /^diagnose\.profile must be the path of a file in an existing folder, ending in \.cpuprofile/ }, String(bad))
  }
})

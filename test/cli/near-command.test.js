'use strict'

const dns = require('node:dns/promises')
const t = require('tap')
const { checkFirstWord, checkHosts } = require('../../lib/cli/mistaken-words')

const COMMANDS = ['compare', 'sweep', 'capacity', 'report', 'serve']

// No name server is asked: it might not answer, or know every name.
t.intercept(dns, 'lookup', { value: async (name) => { if (name !== 'api') throw new Error('ENOTFOUND') } })

t.test('a first word that resembles a command and is neither a host nor a file', async (t) => {
  for (const [word, meant] of [['seve', 'serve'], ['swep', 'sweep'], ['capacty', 'capacity'], ['Compar', 'compare']]) {
    await t.rejects(checkFirstWord(word, COMMANDS), {
      code: 'CANNONADE_BAD_OPTION',
      message: `'${word}' is not a command or a known host: did you mean ${meant}?`
    })
  }
})

t.test('anything that may be a URL is left alone', async (t) => {
  for (const word of [undefined, 'localhost', '-c', 'serve:80', 'seve.test', '/serv', 'http://seve', 'api']) {
    await t.resolves(checkFirstWord(word, COMMANDS), `${word}`)
  }
  const before = process.cwd()
  t.teardown(() => process.chdir(before))
  process.chdir(t.testdir({ repor: '{}' }))
  await t.resolves(checkFirstWord('repor', COMMANDS), 'a file')
})

t.test('a command name that is not the first word', async (t) => {
  for (const url of ['http://sweep', ['http://localhost:1', 'http://sweep']]) {
    await t.rejects(checkHosts(url, COMMANDS), {
      code: 'CANNONADE_BAD_OPTION',
      message: "'sweep' is a command and not a known host: put the command first, as in cannonade sweep [options]"
    })
  }
  for (const url of [undefined, 'http://localhost', 'http://sweep:80', 'http://sweep/', 'https://sweep', 'http://api']) await t.resolves(checkHosts(url, COMMANDS), `${url}`)
})

'use strict'

// Every curl option: its argument is not mistaken for anything else, and its effect is reproduced, reported as ignored, or rejected.

const fs = require('node:fs')
const path = require('node:path')
const t = require('tap')
const fromCurl = require('../../lib/inputs/curl')
const { WITHOUT_ARGUMENT, WITH_ARGUMENT } = require('./fixtures/curl-options')

const URL = 'http://h.test/a/../p'
const PEM = path.join(__dirname, '../support/certs')
const pem = (name) => path.join(PEM, name)

// What an option needs in addition to have an effect, and an argument with an effect.
const BESIDE = {
  crlf: `-T ${__filename}`,
  get: '-d x',
  'max-redirs': '-L',
  noproxy: '-x p',
  'proxy-user': '-x p',
  'proxy-header': '-x p',
  'http1.1': '--http2',
  'no-alpn': '-k'
}
const ARGUMENTS = {
  cacert: pem('ca-cert.pem'),
  capath: PEM,
  cert: pem('client-cert.pem'),
  'cert-type': 'P12',
  'connect-to': 'h.test:80:other:81',
  'continue-at': '5',
  cookie: 'a=1',
  crlfile: pem('ca-cert.pem'),
  data: '@/dev/null',
  'etag-compare': '/dev/null',
  form: 'a=b',
  'form-string': 'a=b',
  header: 'a:b',
  interface: '127.0.0.1',
  key: pem('client-key.pem'),
  'max-redirs': '3',
  'max-time': '3',
  noproxy: '*',
  'proto-default': 'https',
  proxy: 'p',
  'proxy-header': 'a:b',
  request: 'PUT',
  resolve: 'h.test:80:127.0.0.1',
  'time-cond': '2022-01-01',
  'tls-max': '1.2',
  'upload-file': __filename,
  user: 'a:b'
}
// Its effect is visible for a URL without a scheme.
const BARE = { 'proto-default': 'h.test/p' }
// Their effect is not visible here: the only accepted value is the default, or they are abbreviations.
const USUAL = ['cert-type', 'key-type']

const optionsOf = (line) => {
  try {
    return { options: fromCurl(line), line }
  } catch (error) {
    if (error.code !== 'CANNONADE_BAD_OPTION') throw error
    return { problem: error.message, line }
  }
}

/** Whether the option is applied, reported as ignored, or rejected by name. */
function isAnsweredFor (t, name, written, argument) {
  const url = BARE[name] ?? URL
  const beside = BESIDE[name] ?? ''
  const without = optionsOf(`curl ${beside} '${url}'`)
  const { options, problem, line } = optionsOf(`curl ${beside} ${written} ${argument ?? ''} '${url}'`)
  if (problem !== undefined) {
    t.ok(problem.includes(written) && /not supported|several requests|value/.test(problem), `${line}: ${problem}`)
    return 'refused'
  }
  const isIgnored = options.ignored.some((each) => each.split(' ', 1)[0] === written)
  const isDone = JSON.stringify(options) !== JSON.stringify(without.options)
  t.ok(isIgnored || isDone || USUAL.includes(name), `${line}: ${JSON.stringify(options)}`)
  t.notOk(isIgnored && isDone, `${line} is done, and said to be ignored`)
  const host = name === 'resolve' ? '127.0.0.1:80' : name === 'connect-to' ? 'other:81' : 'h.test'
  t.ok(options.url.includes(`://${host}/`), `${line}: the URL is ${options.url}`)
  return isIgnored ? 'ignored' : 'done'
}

const outcomes = { done: 0, ignored: 0, refused: 0 }

for (const [name, letter] of WITHOUT_ARGUMENT) {
  t.test(`--${name}`, async (t) => {
    for (const written of [`--${name}`, ...(letter ? [`-${letter}`] : [])]) outcomes[isAnsweredFor(t, name, written)]++
    if (name === 'next') return
    // Switched off, or on if off is the default.
    const { problem } = optionsOf(`curl ${name.startsWith('no-') ? `--${name.slice(3)}` : `--no-${name}`} '${URL}'`)
    t.equal(problem, undefined)
  })
}

for (const [name, letter] of WITH_ARGUMENT) {
  t.test(`--${name}`, async (t) => {
    if (name === 'url') {
      t.equal(fromCurl(`curl --url '${URL}'`).url, URL)
      return
    }
    const argument = ARGUMENTS[name] ?? 'value'
    for (const written of [`--${name}`, ...(letter ? [`-${letter}`] : [])]) outcomes[isAnsweredFor(t, name, written, argument)]++
    if (letter && !['K', 'h', 'z', 'C'].includes(letter)) {
      const apart = optionsOf(`curl ${BESIDE[name] ?? ''} -${letter} ${argument} '${URL}'`)
      t.same(optionsOf(`curl ${BESIDE[name] ?? ''} -${letter}${argument} '${URL}'`).options, apart.options, 'directly after its letter')
    }
    t.match(optionsOf(`curl '${URL}' --${name}`).problem, new RegExp(`--${name} (?:needs a value|is not supported)`))
  })
}

t.test('every option is tested', async (t) => {
  t.equal(new Set([...WITHOUT_ARGUMENT, ...WITH_ARGUMENT].map(([name]) => name)).size, WITHOUT_ARGUMENT.length + WITH_ARGUMENT.length)
  t.ok(outcomes.done > 60 && outcomes.ignored > 100 && outcomes.refused > 30, JSON.stringify(outcomes))
  t.ok(fs.existsSync(pem('ca-cert.pem')))
})

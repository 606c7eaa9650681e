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

const outcomes = { done: 0, ignored: 0, refused: 0 }

/** What is wrong about how an option is answered for, by being applied, reported as ignored, or rejected by name. Its outcome is counted. */
function wrongWith (name, written, argument) {
  const url = BARE[name] ?? URL
  const beside = BESIDE[name] ?? ''
  const without = optionsOf(`curl ${beside} '${url}'`)
  const { options, problem, line } = optionsOf(`curl ${beside} ${written} ${argument ?? ''} '${url}'`)
  if (problem !== undefined) {
    outcomes.refused++
    return problem.includes(written) && /not supported|several requests|value/.test(problem) ? [] : [`${line}: ${problem}`]
  }
  const isIgnored = options.ignored.some((each) => each.split(' ', 1)[0] === written)
  const isDone = JSON.stringify(options) !== JSON.stringify(without.options)
  outcomes[isIgnored ? 'ignored' : 'done']++
  const host = name === 'resolve' ? '127.0.0.1:80' : name === 'connect-to' ? 'other:81' : 'h.test'
  return [
    ...(isIgnored || isDone || USUAL.includes(name) ? [] : [`${line} is neither done nor said to be ignored: ${JSON.stringify(options)}`]),
    ...(isIgnored && isDone ? [`${line} is done, and said to be ignored`] : []),
    ...(options.url.includes(`://${host}/`) ? [] : [`${line}: the URL is ${options.url}`])
  ]
}

const waysToWrite = (name, letter) => [`--${name}`, ...(letter ? [`-${letter}`] : [])]

t.test('options without an argument, and how they are switched off', async (t) => {
  t.same(WITHOUT_ARGUMENT.flatMap(([name, letter]) => waysToWrite(name, letter).flatMap((written) => wrongWith(name, written))), [])
  // Switched off, or on if off is the default.
  const opposites = WITHOUT_ARGUMENT.filter(([name]) => name !== 'next').map(([name]) => name.startsWith('no-') ? `--${name.slice(3)}` : `--no-${name}`)
  t.same(opposites.map((written) => optionsOf(`curl ${written} '${URL}'`)).filter(({ problem }) => problem !== undefined), [])
})

t.test('options with an argument: after a space, after an equals sign, directly after a letter, and missing', async (t) => {
  t.equal(fromCurl(`curl --url '${URL}'`).url, URL)
  const options = WITH_ARGUMENT.filter(([name]) => name !== 'url').map(([name, letter]) => ({ name, letter, argument: ARGUMENTS[name] ?? 'value' }))
  t.same(options.flatMap(({ name, letter, argument }) => waysToWrite(name, letter).flatMap((written) => wrongWith(name, written, argument))), [])
  const lettered = options.filter(({ letter }) => letter && !['K', 'h', 'z', 'C'].includes(letter))
  const meanings = (space) => lettered.map(({ name, letter, argument }) => [name, optionsOf(`curl ${BESIDE[name] ?? ''} -${letter}${space}${argument} '${URL}'`).options])
  t.same(meanings(''), meanings(' '))
  const answers = (sign) => options.map(({ name, argument }) => {
    const { options, problem } = optionsOf(`curl ${BESIDE[name] ?? ''} --${name}${sign}${argument} '${URL}'`)
    // What is said of an option has it as it is written.
    const said = (text) => text?.replaceAll(`--${name}=${argument}`, `--${name}`)
    return [name, options, options?.ignored.map(said), said(problem)]
  })
  t.same(answers('='), answers(' '))
  const lacking = options.map(({ name }) => [name, optionsOf(`curl '${URL}' --${name}`).problem])
  t.same(lacking.filter(([name, problem]) => !new RegExp(`--${name} (?:needs a value|is not supported)`).test(problem)), [])
})

t.test('every option is tested', async (t) => {
  t.equal(new Set([...WITHOUT_ARGUMENT, ...WITH_ARGUMENT].map(([name]) => name)).size, WITHOUT_ARGUMENT.length + WITH_ARGUMENT.length)
  t.ok(outcomes.done > 60 && outcomes.ignored > 100 && outcomes.refused > 30, JSON.stringify(outcomes))
  t.ok(fs.existsSync(pem('ca-cert.pem')))
})

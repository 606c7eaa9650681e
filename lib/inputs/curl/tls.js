'use strict'

const tls = require('node:tls')
const { show } = require('../../base/errors')
const { bad, filesOf, readFile } = require('./problem')

const VERSIONS = new Map([['1.0', 'TLSv1'], ['1.1', 'TLSv1.1'], ['1.2', 'TLSv1.2'], ['1.3', 'TLSv1.3']])
const IS_OF_TLS13 = /^TLS_/

const put = (name) => (request, value) => { request.tls[name] = value }
const least = (version) => (request) => { request.tls.minVersion = VERSIONS.get(version) }

/** curl's TLS options that Cannonade supports, by name; see request-options.js. */
const TLS_OPTIONS = {
  insecure: { letter: 'k', read: put('isInsecure') },
  cacert: { takes: true, read: put('cacert') },
  capath: { takes: true, read: put('capath') },
  crlfile: { takes: true, read: put('crlfile') },
  cert: { letter: 'E', takes: true, read: put('cert') },
  'cert-type': { takes: true, read: put('certType') },
  key: { takes: true, read: put('key') },
  'key-type': { takes: true, read: put('keyType') },
  pass: { takes: true, read: put('pass') },
  ciphers: { takes: true, read: put('ciphers') },
  'tls13-ciphers': { takes: true, read: put('tls13Ciphers') },
  curves: { takes: true, read: put('curves') },
  sigalgs: { takes: true, read: put('sigalgs') },
  alpn: { read: put('alpn') },
  tlsv1: { letter: '1', read: least('1.0') },
  'tlsv1.0': { read: least('1.0') },
  'tlsv1.1': { read: least('1.1') },
  'tlsv1.2': { read: least('1.2') },
  'tlsv1.3': { read: least('1.3') },
  'tls-max': { takes: true, read: put('max') }
}

/**
 * @param {object} given the values that TLS_OPTIONS stored
 * @returns {object} only the option `tlsOptions`
 */
function tlsOptionsOf (given) {
  const { isInsecure, cacert, capath, crlfile, curves, sigalgs, minVersion, max, alpn } = given
  const authorities = [...(cacert === undefined ? [] : [readFile(cacert)]), ...(capath === undefined ? [] : certificatesOf(capath))]
  const tlsOptions = {
    ...(authorities.length > 0 && { rejectUnauthorized: true, ca: authorities.length === 1 ? authorities[0] : authorities }),
    ...(crlfile !== undefined && { crl: readFile(crlfile) }),
    ...identityOf(given),
    ...ciphersOf(given),
    ...(curves !== undefined && { ecdhCurve: curves }),
    ...(sigalgs !== undefined && { sigalgs }),
    ...(minVersion !== undefined && { minVersion }),
    ...(max !== undefined && max !== 'default' && { maxVersion: versionOf(max) }),
    ...(alpn === false && { ALPNProtocols: [] }),
    ...(isInsecure === true && { rejectUnauthorized: false })
  }
  return Object.keys(tlsOptions).length === 0 ? null : { tlsOptions }
}

function certificatesOf (folder) {
  return filesOf(folder).map(readFile).filter((bytes) => bytes.includes('BEGIN CERTIFICATE'))
}

function versionOf (text) {
  if (!VERSIONS.has(text)) throw bad(`--tls-max must be default or one of ${[...VERSIONS.keys()].join(', ')}; got ${show(text)}`)
  return VERSIONS.get(text)
}

// The client certificate, optionally followed by a colon and a password. Its file may contain the key too.
function identityOf ({ cert, certType = 'PEM', key, keyType = 'PEM', pass }) {
  if (!/^(pem|p12)$/i.test(certType)) throw bad(`--cert-type ${show(certType)} is not supported: PEM and P12 are`)
  if (!/^pem$/i.test(keyType)) throw bad(`--key-type ${show(keyType)} is not supported: PEM is`)
  const [, path, password] = cert === undefined ? [] : /^((?:[^:\\]|\\[^])*)(?::([^]*))?$/.exec(cert)
  const passphrase = pass ?? password
  const bytes = path === undefined ? null : readFile(path.replace(/\\([:\\])/g, '$1'))
  const isWhole = bytes !== null && /^p12$/i.test(certType)
  const ownKey = bytes !== null && bytes.includes('PRIVATE KEY') ? bytes : undefined
  const privateKey = key === undefined ? ownKey : readFile(key)
  return {
    ...(bytes !== null && (isWhole ? { pfx: bytes } : { cert: bytes })),
    ...(privateKey !== undefined && !isWhole && { key: privateKey }),
    ...(passphrase !== undefined && { passphrase })
  }
}

// Node.js has one cipher list for all TLS versions, so the default is used for the part that is not given.
function ciphersOf ({ ciphers, tls13Ciphers }) {
  if (ciphers === undefined && tls13Ciphers === undefined) return null
  const usual = tls.DEFAULT_CIPHERS.split(':')
  const newer = tls13Ciphers ?? usual.filter((name) => IS_OF_TLS13.test(name)).join(':')
  const older = ciphers ?? usual.filter((name) => !IS_OF_TLS13.test(name)).join(':')
  return { ciphers: [newer, older].filter((list) => list !== '').join(':') }
}

module.exports = { TLS_OPTIONS, tlsOptionsOf }

'use strict'

const fs = require('node:fs')
const { basename } = require('node:path')
const { CannonadeError, CODES, optionError, show, showPath, whyUnreadable } = require('../../errors')
const { suggest } = require('../../suggest')
const wordsOf = require('./words')

const FORM_TYPE = 'application/x-www-form-urlencoded'
// As many as curl follows by itself.
const MOST_REDIRECTS = 50

/*
 * The options of curl that change what is sent. `letter`; `takes` an argument; `read(request, value)` notes it.
 */
const OPTIONS = {
  request: { letter: 'X', takes: true, read: (request, value) => { request.method = value } },
  header: { letter: 'H', takes: true, read: (request, value) => addHeaders(request, value) },
  data: { letter: 'd', takes: true, read: (request, value) => addData(request, value, { files: true, lines: true }) },
  'data-ascii': { takes: true, read: (request, value) => addData(request, value, { files: true, lines: true }) },
  'data-binary': { takes: true, read: (request, value) => addData(request, value, { files: true }) },
  'data-raw': { takes: true, read: (request, value) => addData(request, value) },
  'data-urlencode': { takes: true, read: (request, value) => addData(request, urlEncoded(value)) },
  json: { takes: true, read: (request, value) => addJson(request, value) },
  form: { letter: 'F', takes: true, read: (request, value) => addField(request, value, true) },
  'form-string': { takes: true, read: (request, value) => addField(request, value, false) },
  get: { letter: 'G', read: (request) => { request.isQuery = true } },
  head: { letter: 'I', read: (request) => { request.isHead = true } },
  'upload-file': { letter: 'T', takes: true, read: (request, value) => addUpload(request, value) },
  user: { letter: 'u', takes: true, read: (request, value) => setHeader(request, 'Authorization', `Basic ${Buffer.from(value.includes(':') ? value : `${value}:`).toString('base64')}`) },
  'oauth2-bearer': { takes: true, read: (request, value) => setHeader(request, 'Authorization', `Bearer ${value}`) },
  'user-agent': { letter: 'A', takes: true, read: (request, value) => setHeader(request, 'User-Agent', value) },
  referer: { letter: 'e', takes: true, read: (request, value) => setHeader(request, 'Referer', value.replace(/;auto$/, '')) },
  cookie: { letter: 'b', takes: true, read: (request, value) => addCookie(request, value) },
  compressed: { read: (request) => setHeader(request, 'Accept-Encoding', 'deflate, gzip, br') },
  url: { takes: true, read: (request, value) => addUrl(request, value) },
  'unix-socket': { takes: true, read: ({ options }, value) => { options.socketPath = value } },
  proxy: { letter: 'x', takes: true, read: ({ options }, value) => { options.proxy = /^[a-z][a-z0-9+.-]*:\/\//i.test(value) ? value : `http://${value}` } },
  'max-time': { letter: 'm', takes: true, read: ({ options }, value) => { options.timeout = Number(value) } },
  location: { letter: 'L', read: ({ options }) => { options.followRedirects ??= MOST_REDIRECTS } },
  'max-redirs': { takes: true, read: (request, value) => { request.mostRedirects = Number(value) } },
  insecure: { letter: 'k', read: ({ options }) => { options.tlsOptions = { ...options.tlsOptions, rejectUnauthorized: false } } },
  cacert: { takes: true, read: ({ options }, value) => { options.tlsOptions = { rejectUnauthorized: true, ...options.tlsOptions, ca: readFile(value) } } },
  cert: { letter: 'E', takes: true, read: ({ options }, value) => { options.tlsOptions = { ...options.tlsOptions, cert: readFile(value) } } },
  key: { takes: true, read: ({ options }, value) => { options.tlsOptions = { ...options.tlsOptions, key: readFile(value) } } },
  range: { letter: 'r', takes: true, read: (request, value) => setHeader(request, 'Range', `bytes=${value}`) },
  http2: { read: (request) => { request.isHttp2 = true } },
  'http2-prior-knowledge': { read: (request) => { request.isHttp2 = true } },
  'http1.1': { read: (request) => { request.isHttp2 = false } }
}

// What curl prints, where it writes it, and how it goes about it: none of the request, and so of no concern to a load test.
const WITHOUT_EFFECT = {
  silent: 's',
  'show-error': 'S',
  verbose: 'v',
  include: 'i',
  'show-headers': null,
  fail: 'f',
  'fail-with-body': null,
  'progress-bar': '#',
  'no-progress-meter': null,
  'no-buffer': 'N',
  'no-keepalive': null,
  globoff: 'g',
  ipv4: '4',
  ipv6: '6',
  disable: 'q',
  'remote-name': 'O',
  'remote-header-name': 'J',
  'path-as-is': null,
  'tcp-nodelay': null
}
const WITHOUT_EFFECT_TAKING = {
  output: 'o', 'write-out': 'w', 'dump-header': 'D', 'cookie-jar': 'c', 'connect-timeout': null, retry: null, 'retry-delay': null, 'retry-max-time': null, 'output-dir': null, trace: null, 'trace-ascii': null, stderr: null
}

const KNOWN = new Map()
const LETTERS = new Map()
for (const [name, option] of Object.entries(OPTIONS)) KNOWN.set(name, option)
for (const [name, letter] of Object.entries(WITHOUT_EFFECT)) KNOWN.set(name, { letter, isIgnored: true })
for (const [name, letter] of Object.entries(WITHOUT_EFFECT_TAKING)) KNOWN.set(name, { letter, takes: true, isIgnored: true })
for (const [name, { letter }] of KNOWN) if (letter) LETTERS.set(letter, name)

/**
 * The options of a run from a line of curl, as the developer tools of browsers copy it.
 *
 * @param {string} text `curl 'https://…' -H '…' --data-raw '…'`, also over several lines
 * @returns {object} options for `run`: `url`, and of `method headers body form socketPath proxy timeout followRedirects
 *   tlsOptions` what the line says. Those of curl's options that do not change the request are in `ignored`, which is not
 *   enumerable
 * @throws {CannonadeError} CANNONADE_BAD_OPTION for what is no such line, and for an option that is not understood
 */
function fromCurl (text) {
  if (typeof text !== 'string') throw optionError('the curl line', text, 'a text')
  const [program, ...words] = wordsOf(text)
  if (!/(^|[\\/])curl(\.exe)?$/i.test(program ?? '')) throw bad(`it must begin with curl, but it is ${show(text)}`)
  const request = { options: {}, urls: [], headers: [], data: [], fields: [], ignored: [] }
  readWords(words, request)
  return Object.defineProperty(optionsOf(request), 'ignored', { value: request.ignored })
}

function readWords (words, request) {
  while (words.length > 0) {
    const word = words.shift()
    if (word === '--next' || word === '-:') throw bad('it has several requests (--next), and a line stands for one')
    if (word.startsWith('--') && word.length > 2) readLong(word, words, request)
    else if (word.startsWith('-') && word.length > 1) readLetters(word, words, request)
    else addUrl(request, word)
  }
}

function readLong (word, words, request) {
  const [, name, attached] = /^--([^=]*)(?:=([^]*))?$/.exec(word)
  readOption(name, word, attached ?? null, words, request)
}

// Letters without an argument may stand in one word, and an argument right behind its letter.
function readLetters (word, words, request) {
  for (let index = 1; index < word.length; index++) {
    const name = LETTERS.get(word[index])
    if (name === undefined) throw unknown(`-${word[index]}`)
    const rest = word.slice(index + 1)
    const takesRest = KNOWN.get(name).takes && rest !== ''
    readOption(name, `-${word[index]}`, takesRest ? rest : null, words, request)
    if (takesRest) return
  }
}

function readOption (name, written, attached, words, request) {
  const option = KNOWN.get(name)
  if (option === undefined) throw unknown(`--${name}`)
  if (option.takes && attached === null && words.length === 0) throw bad(`${written} needs a value`)
  const value = option.takes ? attached ?? words.shift() : true
  if (option.isIgnored) request.ignored.push(written)
  else option.read(request, value)
}

function unknown (written) {
  const meant = written.startsWith('--') ? suggest(written.slice(2), [...KNOWN.keys()]) : undefined
  return bad(`${written} is not understood${meant === undefined ? '' : `: did you mean --${meant}?`}`)
}

function bad (why) {
  return new CannonadeError(CODES.BAD_OPTION, `the curl line cannot be used: ${why}`, { option: 'curl' })
}

function readFile (path) {
  try {
    return fs.readFileSync(path)
  } catch (cause) {
    throw new CannonadeError(CODES.BAD_OPTION, `the curl line cannot be used: ${showPath(path)} cannot be read: ${whyUnreadable(cause)}`, { option: 'curl', cause })
  }
}

// --- what the options say

function addUrl (request, value) {
  request.urls.push(value)
}

// Of a file, one in each line.
function addHeaders (request, value) {
  if (!value.startsWith('@')) addHeader(request, value)
  else for (const line of readFile(value.slice(1)).toString().split(/\r?\n/)) if (line.trim() !== '') addHeader(request, line)
}

// 'Name: value'; 'Name;' is a header without a value, 'Name:' none at all.
function addHeader (request, line) {
  const empty = /^([^:;]+);\s*$/.exec(line)
  if (empty !== null) {
    request.headers.push([empty[1].trim(), ''])
    return
  }
  const end = line.indexOf(':')
  if (end < 1) throw bad(`-H ${show(line)} is no header: it has no name and colon`)
  const value = line.slice(end + 1).trim()
  request.headers.push([line.slice(0, end).trim(), value === '' ? null : value])
}

function addUpload (request, file) {
  request.upload = readFile(file)
  request.uploadName = basename(file)
}

// One of these options gives one header: what was given last.
function setHeader (request, name, value) {
  request.defaults = { ...request.defaults, [name]: value }
}

function addCookie (request, value) {
  if (!value.includes('=')) throw bad(`-b ${show(value)} is a file of cookies: only cookies themselves are understood, as name=value`)
  const before = request.defaults?.Cookie
  setHeader(request, 'Cookie', before === undefined ? value : `${before}; ${value}`)
}

function addData (request, value, { files = false, lines = false } = {}) {
  if (!files || !value.startsWith('@')) {
    request.data.push(Buffer.from(value))
    return
  }
  const bytes = readFile(value.slice(1))
  request.data.push(lines ? Buffer.from(bytes.filter((byte) => byte !== 0x0a && byte !== 0x0d && byte !== 0)) : bytes)
}

// 'content', '=content', 'name=content', '@file', 'name@file': what is encoded is the content.
function urlEncoded (value) {
  const [, name, sign, content] = /^([^=@]*)([=@]?)([^]*)$/.exec(value)
  const encode = (text) => encodeURIComponent(text).replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`)
  if (sign === '') return encode(name)
  const text = sign === '@' ? readFile(content).toString() : content
  return name === '' ? encode(text) : `${name}=${encode(text)}`
}

function addJson (request, value) {
  addData(request, value, { files: true })
  request.isJson = true
}

// 'name=text', 'name=@file' and 'name=<file', with ';type=' and ';filename=' behind them.
function addField (request, value, mayBeFile) {
  const end = value.indexOf('=')
  if (end < 1) throw bad(`-F ${show(value)} has no name and no equals sign`)
  const name = value.slice(0, end)
  const content = value.slice(end + 1)
  if (!mayBeFile) {
    request.fields.push([name, { type: 'text', value: content }])
    return
  }
  const [, written, ...parts] = /^("(?:[^"\\]|\\.)*"|[^;]*)([^]*)$/.exec(content)
  const plain = written.startsWith('"') ? written.slice(1, -1).replace(/\\(.)/g, '$1') : written
  const options = fieldOptions(parts.join(''))
  if (plain.startsWith('@')) request.fields.push([name, { type: 'file', path: plain.slice(1), ...options }])
  else request.fields.push([name, { type: 'text', value: plain.startsWith('<') ? readFile(plain.slice(1)).toString() : plain, ...options }])
}

function fieldOptions (text) {
  const options = {}
  for (const [, name, value] of text.matchAll(/;\s*(type|filename)=("(?:[^"\\]|\\.)*"|[^;]*)/g)) {
    options[name === 'type' ? 'contentType' : 'filename'] = value.replace(/^"|"$/g, '')
  }
  return Object.keys(options).length === 0 ? {} : { options }
}

// --- what comes of them

function optionsOf (request) {
  const { urls, options, fields, data } = request
  if (urls.length !== 1) throw bad(urls.length === 0 ? 'it has no URL' : `it has ${urls.length} URLs, and a line stands for one request`)
  if (fields.length > 0 && data.length > 0) throw bad('it has data (-d) and a form (-F), and a request has one body')
  if (request.mostRedirects !== undefined && options.followRedirects) options.followRedirects = request.mostRedirects < 0 ? MOST_REDIRECTS : request.mostRedirects
  const query = request.isQuery && data.length > 0 ? join(data).toString() : null
  const body = query === null && data.length > 0 ? join(data) : request.upload ?? null
  const method = request.method ?? methodOf(request, body)
  return {
    url: query === null ? withFileName(withScheme(urls[0]), request.uploadName) : withQuery(withScheme(urls[0]), query),
    ...(method !== 'GET' && { method }),
    ...headersOf(request, body),
    ...(body !== null && { body: asText(body) }),
    ...(fields.length > 0 && { form: formOf(fields) }),
    ...(request.isHttp2 && { http2: true }),
    ...options
  }
}

function methodOf ({ isHead, upload, fields }, body) {
  if (isHead) return 'HEAD'
  if (upload !== undefined) return 'PUT'
  return body !== null || fields.length > 0 ? 'POST' : 'GET'
}

// Several data are parts of one form.
function join (data) {
  return Buffer.concat(data.flatMap((piece, index) => index === 0 ? [piece] : [Buffer.from('&'), piece]))
}

// Bytes that are no text stay bytes.
function asText (bytes) {
  const text = bytes.toString()
  return Buffer.from(text).equals(bytes) ? text : bytes
}

const withScheme = (url) => /^[a-z][a-z0-9+.-]*:\/\//i.test(url) ? url : `http://${url}`

// What is uploaded into a folder has its own name there.
function withFileName (url, name) {
  return name !== undefined && /^[a-z][a-z0-9+.-]*:\/\/[^?#]*\/$/i.test(url) ? `${url}${encodeURIComponent(name)}` : url
}

function withQuery (url, query) {
  const [whole, fragment = ''] = url.split(/(?=#)/, 2)
  return `${whole}${whole.includes('?') ? '&' : '?'}${query}${fragment}`
}

function headersOf (request, body) {
  const headers = new Map()
  const put = (name, value) => headers.set(name.toLowerCase(), [name, value])
  if (body !== null && request.upload === undefined) put('Content-Type', request.isJson ? 'application/json' : FORM_TYPE)
  if (request.isJson) put('Accept', 'application/json')
  for (const [name, value] of Object.entries(request.defaults ?? {})) put(name, value)
  const own = new Map()
  for (const [name, value] of request.headers) own.set(name.toLowerCase(), [...(own.get(name.toLowerCase()) ?? []), [name, value]])
  for (const [key, entries] of own) {
    const values = entries.map(([, value]) => value).filter((value) => value !== null)
    if (values.length === 0) headers.delete(key)
    else headers.set(key, [entries[0][0], values.length === 1 ? values[0] : values])
  }
  return headers.size === 0 ? null : { headers: Object.fromEntries(headers.values()) }
}

function formOf (fields) {
  const form = {}
  for (const [name, part] of fields) form[name] = name in form ? [form[name], part].flat() : part
  return form
}

module.exports = fromCurl

'use strict'

const fs = require('node:fs')
const { basename } = require('node:path')
const { show } = require('../../base/errors')
const { encodedBytes, percentEncoded, toBytes } = require('./bytes')
const { bad, readFile } = require('./problem')

// curl's default limit.
const MOST_REDIRECTS = 50
// The characters that curl leaves unencoded: those of encodeURIComponent, except !'()*.
const PLAIN = /[A-Za-z0-9._~-]/

/**
 * curl's options that change the request itself, by name. `letter`: the short form; `takes`: whether it takes an
 * argument; `read(request, value, written)` stores the argument, or whether the option is on (`--no-…` turns it off).
 */
const REQUEST_OPTIONS = {
  request: { letter: 'X', takes: true, read: (request, value) => { request.method = value } },
  'request-target': { takes: true, read: (request, value) => { request.target = value } },
  'path-as-is': { read: (request, isOn) => { request.isAsIs = isOn } },
  url: { takes: true, read: (request, value) => { request.urls.push(value) } },
  'url-query': { takes: true, read: (request, value) => { request.query.push(value.startsWith('+') ? value.slice(1) : urlEncoded(value)) } },
  get: { letter: 'G', read: (request, isOn) => { request.isQuery = isOn } },
  head: { letter: 'I', read: (request, isOn) => { request.isHead = isOn } },

  header: { letter: 'H', takes: true, read: (request, value) => addHeaders(request, value) },
  user: { letter: 'u', takes: true, read: (request, value) => setHeader(request, 'Authorization', `Basic ${toBytes(value.includes(':') ? value : `${value}:`).toString('base64')}`) },
  'oauth2-bearer': { takes: true, read: (request, value) => setHeader(request, 'Authorization', `Bearer ${value}`) },
  'user-agent': { letter: 'A', takes: true, read: (request, value) => setHeader(request, 'User-Agent', value === '' ? null : value) },
  referer: { letter: 'e', takes: true, read: (request, value) => setHeader(request, 'Referer', value.replace(/;auto$/, '') || null) },
  cookie: { letter: 'b', takes: true, read: (request, value) => addCookie(request, value) },
  compressed: { read: (request, isOn) => setHeader(request, 'Accept-Encoding', isOn ? 'deflate, gzip, br' : null) },
  range: { letter: 'r', takes: true, read: (request, value) => setHeader(request, 'Range', `bytes=${value}`) },
  'continue-at': { letter: 'C', takes: true, read: (request, value) => continueAt(request, value) },
  'time-cond': { letter: 'z', takes: true, read: (request, value) => setCondition(request, value) },
  'etag-compare': { takes: true, read: (request, value) => setHeader(request, 'If-None-Match', storedTag(value)) },

  data: { letter: 'd', takes: true, read: (request, value) => addData(request, value, { files: true, lines: true }) },
  'data-ascii': { takes: true, read: (request, value) => addData(request, value, { files: true, lines: true }) },
  'data-binary': { takes: true, read: (request, value) => addData(request, value, { files: true }) },
  'data-raw': { takes: true, read: (request, value) => addData(request, value) },
  'data-urlencode': { takes: true, read: (request, value) => addData(request, urlEncoded(value)) },
  json: { takes: true, read: (request, value) => addJson(request, value) },
  form: { letter: 'F', takes: true, read: (request, value) => addField(request, value, true) },
  'form-string': { takes: true, read: (request, value) => addField(request, value, false) },
  'form-escape': { read: (request, isOn, written) => { request.formEscape = isOn ? written : null } },
  'upload-file': { letter: 'T', takes: true, read: (request, value) => addUpload(request, value) },
  crlf: { read: (request, isOn) => { request.isCrlf = isOn } },

  'max-time': { letter: 'm', takes: true, read: ({ options }, value) => { options.timeout = Number(value) } },
  location: { letter: 'L', read: (request, isOn) => { request.follows = isOn } },
  'location-trusted': { read: (request, isOn) => { request.follows = isOn } },
  follow: { read: (request, isOn) => { request.follows = isOn } },
  'max-redirs': { takes: true, read: (request, value) => { request.mostRedirects = Number(value) < 0 ? MOST_REDIRECTS : Number(value) } },
  post301: { read: keepsMethod },
  post302: { read: keepsMethod },
  post303: { read: keepsMethod },
  http2: { read: (request, isOn) => { request.isHttp2 = isOn } },
  'http2-prior-knowledge': { read: (request, isOn) => { request.isHttp2 = isOn } },
  'http1.1': { read: (request) => { request.isHttp2 = false } }
}

const noRequest = () => ({
  options: {}, urls: [], query: [], headers: [], data: [], fields: [], defaults: {}, ignored: [], keepsMethod: [], mostRedirects: MOST_REDIRECTS
})

function keepsMethod (request, isOn, written) {
  if (isOn) request.keepsMethod.push(written)
}

// --- headers

// With '@', reads one header per line from a file.
function addHeaders (request, value) {
  if (!value.startsWith('@')) addHeader(request.headers, value)
  else for (const line of readFile(value.slice(1)).toString().split(/\r?\n/)) if (line.trim() !== '') addHeader(request.headers, line)
}

/** Parses 'Name: value'. 'Name;' is a header with an empty value, and 'Name:' removes the header. */
function addHeader (headers, line) {
  const end = line.indexOf(':')
  const semicolon = line.indexOf(';')
  if (end === -1 && semicolon > 0 && line.slice(semicolon + 1).trim() === '') {
    headers.push([line.slice(0, semicolon).trim(), ''])
    return
  }
  if (end < 1) throw bad(`-H ${show(line)} is not a header: it has no name followed by a colon`)
  const name = line.slice(0, end).trim()
  const value = line.slice(end + 1).trim()
  if (value === '' && name.toLowerCase() === 'host') throw bad(`-H ${show(line)} is not supported: a request must name its host`)
  headers.push([name, value === '' ? null : value])
}

// These options set a single header, so the last value wins.
function setHeader (request, name, value) {
  request.defaults[name] = value
}

function addCookie (request, value) {
  // An empty file name turns on curl's cookie engine, which keeps cookies that the server sets.
  if (value === '') request.options.cookies = true
  else if (!value.includes('=')) throw bad(`-b ${show(value)} is a cookie file: only cookies given as name=value are supported`)
  else setHeader(request, 'Cookie', request.defaults.Cookie === undefined ? value : `${request.defaults.Cookie}; ${value}`)
}

// '-' means the size of the output file, which a load test does not have, so the transfer starts at 0.
function continueAt (request, value) {
  if (value === '-' || /^0+$/.test(value)) request.ignored.push(`-C ${value}`)
  else if (!/^\d+$/.test(value)) throw bad(`-C ${show(value)} is not an offset in bytes`)
  else setHeader(request, 'Range', `bytes=${value}-`)
}

// Accepts a date, or a file whose modification time is used. A leading minus inverts the condition.
function setCondition (request, value) {
  const isBefore = value.startsWith('-')
  const text = isBefore ? value.slice(1) : value
  const time = fs.statSync(text, { throwIfNoEntry: false })?.mtimeMs ?? dateOf(text)
  if (Number.isNaN(time)) throw bad(`-z ${show(value)} is neither a date nor a file`)
  setHeader(request, isBefore ? 'If-Unmodified-Since' : 'If-Modified-Since', new Date(time).toUTCString())
}

// Dates without a time zone are in UTC.
function dateOf (text) {
  const date = text.replace(/\b(\d{4})(\d{2})(\d{2})\b/, '$1-$2-$3')
  return Date.parse(/(?:[+-]\d{2}:?\d{2}|[a-z])\s*$/i.test(date) ? date : `${date} GMT`)
}

// Reads an ETag as curl stored it; an empty file means the empty tag.
function storedTag (path) {
  return readFile(path).toString().trim() || '""'
}

// --- bodies

// `isJoined`: append to the previous data without '&'.
function addData (request, value, { files = false, lines = false, isJoined = false } = {}) {
  const isFile = files && value.startsWith('@')
  const bytes = isFile ? readFile(value.slice(1)) : toBytes(value)
  request.data.push({ bytes: isFile && lines ? withoutLineEnds(bytes) : bytes, isJoined })
}

function withoutLineEnds (bytes) {
  return Buffer.from(bytes.filter((byte) => byte !== 0x0a && byte !== 0x0d && byte !== 0))
}

/** Parses 'content', '=content', 'name=content', '@file' or 'name@file', and encodes only the content. */
function urlEncoded (value) {
  const [, name, sign, content] = /^([^=@]*)([=@]?)([^]*)$/.exec(value)
  if (sign === '') return percentEncoded(name, PLAIN)
  const text = sign === '@' ? encodedBytes(readFile(content), PLAIN) : percentEncoded(content, PLAIN)
  return name === '' ? text : `${name}=${text}`
}

function addJson (request, value) {
  addData(request, value, { files: true, isJoined: true })
  request.isJson = true
}

function addUpload (request, file) {
  request.upload = readFile(file)
  request.uploadName = basename(file)
}

// Parses 'name=text', 'name=@file' or 'name=<file', optionally followed by ';type=' and ';filename='.
function addField (request, value, mayBeFile) {
  const end = value.indexOf('=')
  if (end < 1) throw bad(`-F ${show(value)} has no name and no equals sign`)
  const name = value.slice(0, end)
  const content = value.slice(end + 1)
  if (!mayBeFile) {
    request.fields.push([name, { type: 'text', value: content }])
    return
  }
  const [, written, parts] = /^("(?:[^"\\]|\\[^])*"|[^;]*)([^]*)$/.exec(content)
  const plain = written.startsWith('"') ? unquoted(written) : written
  const options = fieldOptions(parts)
  if (plain.startsWith('@')) request.fields.push([name, { type: 'file', path: plain.slice(1), ...options }])
  else request.fields.push([name, { type: 'text', value: plain.startsWith('<') ? readFile(plain.slice(1)).toString() : plain, ...options }])
}

const FIELD_OPTION = /;\s*([a-z]+)=("(?:[^"\\]|\\[^])*"|[^;]*)|[^]/giy

function fieldOptions (text) {
  const options = {}
  for (const [, name, value] of text.matchAll(FIELD_OPTION)) {
    if (/^(?:headers|encoder)$/i.test(name ?? '')) throw bad(`-F with ;${name}= is not supported: a part may have ;type= and ;filename=`)
    if (/^(?:type|filename)$/i.test(name ?? '')) options[/^type$/i.test(name) ? 'contentType' : 'filename'] = value.startsWith('"') ? unquoted(value) : value
  }
  return Object.keys(options).length === 0 ? {} : { options }
}

function unquoted (value) {
  return value.replace(/^"|"$/g, '').replace(/\\([^])/g, '$1')
}

module.exports = { REQUEST_OPTIONS, addHeader, noRequest }

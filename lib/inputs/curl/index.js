'use strict'

const { optionError, show } = require('../../base/errors')
const { didYouMean } = require('../../base/suggest')
const { inUrl, isText, toLatin1, toText } = require('./bytes')
const { IGNORED, IGNORED_TAKING, REFUSED } = require('./no-effect')
const { bad } = require('./problem')
const { REQUEST_OPTIONS, addHeader, noRequest } = require('./request-options')
const { TLS_OPTIONS, tlsOptionsOf } = require('./tls')
const { ROUTE_OPTIONS, noRoute, routeTo, withScheme } = require('./route')
const wordsOf = require('./words')

const FORM_TYPE = 'application/x-www-form-urlencoded'

const KNOWN = new Map(Object.entries({ ...REQUEST_OPTIONS, ...ROUTE_OPTIONS, ...TLS_OPTIONS }))
for (const { name, letter } of IGNORED) KNOWN.set(name, { letter, isIgnored: true })
for (const { name, letter } of IGNORED_TAKING) KNOWN.set(name, { letter, takes: true, isIgnored: true })
for (const [name, { letter, why }] of Object.entries(REFUSED)) KNOWN.set(name, { letter, why })
const LETTERS = new Map([...KNOWN].filter(([, { letter }]) => letter).map(([name, { letter }]) => [letter, name]))

/**
 * Returns the options for a curl command line, as the developer tools of browsers copy it.
 *
 * @param {string} text `curl 'https://…' -H '…' --data-raw '…'`; may have several lines
 * @returns {object} options for `run`: `url`, and of `method headers body form requests socketPath localAddress proxy servername timeout
 *   followRedirects cookies http2 tlsOptions` those that the line defines. `ignored`, which is not enumerable, has the curl options
 *   that don't affect the request
 * @throws {CannonadeError} CANNONADE_BAD_OPTION if it isn't a curl command line, or has a curl option that is unknown, or that would
 *   change the request in an unsupported way
 */
function fromCurl (text) {
  if (typeof text !== 'string') throw optionError('the curl line', text, 'a string')
  const [program, ...words] = wordsOf(text)
  if (!/(^|[\\/])curl(\.exe)?$/i.test(program ?? '')) throw bad(`it must begin with curl; got ${show(text)}`)
  const request = { ...noRequest(), route: noRoute(), tls: {} }
  readWords(words, request)
  return Object.defineProperty(optionsOf(request), 'ignored', { value: request.ignored })
}

// Reads the words by index, in one pass, since a line may have thousands.
function readWords (words, request) {
  const left = { words, at: 0 }
  while (left.at < words.length) {
    const word = words[left.at++]
    if (word === '--next' || word === '-:') throw bad(`it has several requests (${word}); one line describes one request`)
    if (word.startsWith('--') && word.length > 2) readLong(word, left, request)
    else if (word.startsWith('-') && word.length > 1) readLetters(word, left, request)
    else request.urls.push(word)
  }
}

function readLong (word, left, request) {
  const [, name, attached] = /^--([^=]*)(?:=([^]*))?$/.exec(word)
  const { base, isOn } = switched(name)
  readOption(base, word, attached ?? null, left, request, isOn)
}

// A `no-` before the name turns an option without an argument off.
function switched (name) {
  const base = name.replace(/^no-/, '')
  return base !== name && !KNOWN.has(name) && KNOWN.has(base) && !KNOWN.get(base).takes ? { base, isOn: false } : { base: name, isOn: true }
}

// Letters without an argument may be combined in one word, and an argument may directly follow its letter.
function readLetters (word, left, request) {
  for (let index = 1; index < word.length; index++) {
    const name = LETTERS.get(word[index])
    if (name === undefined) throw unknown(`-${word[index]}`)
    const rest = word.slice(index + 1)
    const takesRest = KNOWN.get(name).takes && rest !== ''
    readOption(name, `-${word[index]}`, takesRest ? rest : null, left, request, true)
    if (takesRest) return
  }
}

function readOption (name, written, attached, left, request, isOn) {
  const option = KNOWN.get(name)
  if (option === undefined) throw unknown(`--${name}`)
  if (option.why !== undefined && isOn) throw bad(`${written} is not supported: ${option.why}`)
  if (option.takes && attached === null && left.at >= left.words.length) throw bad(`${written} needs a value`)
  const value = option.takes ? attached ?? left.words[left.at++] : isOn
  if (option.isIgnored || option.why !== undefined) request.ignored.push(written)
  else option.read(request, value, written)
}

function unknown (written) {
  const hint = written.startsWith('--') ? didYouMean(written.slice(2), KNOWN.keys(), '', (name) => `--${name}`) : ''
  return bad(`${written} is not supported${hint}`)
}

// --- converting them to options

function optionsOf (request) {
  const { urls, options, fields, data } = request
  if (urls.length !== 1) throw bad(urls.length === 0 ? 'it has no URL' : `it has ${urls.length} URLs; one line describes one request`)
  if (fields.length > 0 && data.length > 0) throw bad('it has both data (-d) and a form (-F); a request has only one body')
  checkEscape(request)
  const body = request.isQuery && data.length > 0 ? null : bodyOf(request)
  const method = request.method ?? methodOf(request, body)
  if (request.follows && method === 'POST' && request.keepsMethod.length > 0) throw bad(`${request.keepsMethod[0]} is not supported: a redirected POST becomes a GET, as in browsers`)
  request.ignored.push(...request.keepsMethod)
  const url = urlOf(request)
  const to = routeTo(url, request)
  request.ignored.push(...to.ignored)
  for (const { value } of to.proxyHeaders) addHeader(request.headers, value)
  const path = pathOf(url, request)
  return {
    url: to.url,
    ...(method !== 'GET' && { method }),
    ...headersOf(request, body, to.host),
    ...(body !== null && { body: asText(body) }),
    ...(fields.length > 0 && { form: formOf(fields) }),
    ...(path !== null && { requests: [{ path }] }),
    ...(request.isHttp2 && { http2: true }),
    ...(request.follows && { followRedirects: request.mostRedirects }),
    ...tlsOptionsOf(request.tls),
    ...to.options,
    ...options
  }
}

// --form-escape matters only if a name contains quotes or backslashes; otherwise it is ignored.
function checkEscape ({ formEscape, fields, ignored }) {
  if (formEscape == null) return
  if (fields.some(([name, { options }]) => /["\\]/.test(name + (options?.filename ?? '')))) throw bad(`${formEscape} is not supported: quotes in form names are percent-encoded`)
  ignored.push(formEscape)
}

function urlOf (request) {
  const { urls, data, isQuery, query, uploadName, route } = request
  const whole = withFileName(withScheme(inUrl(urls[0]), route.scheme), uploadName)
  const isAllData = isQuery && data.length > 0
  // curl uses either the data or the query.
  if (isAllData) request.ignored.push(...query.map(() => '--url-query'))
  const queries = isAllData ? [inUrl(toText(join(data)))] : query.map(inUrl)
  return queries.length === 0 ? whole : withQuery(whole, queries.join('&'))
}

// Returns the path in the request line if it differs from the URL's normalized path.
function pathOf (url, { target, isAsIs }) {
  if (target !== undefined) return inUrl(target)
  if (!isAsIs) return null
  const [, path] = /^[^:]*:\/\/[^/?#\\]*([^#]*)/.exec(url)
  const written = path.startsWith('/') ? path : `/${path}`
  return URL.canParse(url) && new URL(url).pathname !== written.split('?', 1)[0] ? written : null
}

function bodyOf ({ data, upload, isCrlf }) {
  if (data.length > 0) return join(data)
  if (upload === undefined) return null
  return isCrlf ? Buffer.from(upload.toString('latin1').replaceAll('\n', '\r\n'), 'latin1') : upload
}

function methodOf ({ isHead, upload, fields }, body) {
  if (isHead) return 'HEAD'
  if (upload !== undefined) return 'PUT'
  return body !== null || fields.length > 0 ? 'POST' : 'GET'
}

// Several data options are joined with '&' like form fields.
function join (data) {
  return Buffer.concat(data.flatMap(({ bytes, isJoined }, index) => index === 0 || isJoined ? [bytes] : [Buffer.from('&'), bytes]))
}

// Bytes that are not UTF-8 stay a Buffer.
function asText (bytes) {
  const text = bytes.toString()
  return Buffer.from(text).equals(bytes) ? text : bytes
}

// A file uploaded to a URL that ends with '/' keeps its name.
function withFileName (url, name) {
  return name !== undefined && /^[a-z][a-z0-9+.-]*:\/\/[^?#]*\/$/i.test(url) ? `${url}${encodeURIComponent(name)}` : url
}

function withQuery (url, query) {
  const [whole, fragment = ''] = url.split(/(?=#)/, 2)
  return `${whole}${whole.includes('?') ? '&' : '?'}${query}${fragment}`
}

// Header values are latin1 strings, with one character per byte.
function headersOf (request, body, host) {
  const headers = new Map()
  const put = (name, value) => headers.set(name.toLowerCase(), [name, value])
  if (host !== null) put('Host', host)
  if (body !== null && request.upload === undefined) put('Content-Type', request.isJson ? 'application/json' : FORM_TYPE)
  if (request.isJson) put('Accept', 'application/json')
  for (const [name, value] of Object.entries(request.defaults)) if (value !== null) put(name, toLatin1(value))
  const own = new Map()
  for (const [name, value] of request.headers) {
    const entries = own.get(name.toLowerCase())
    if (entries === undefined) own.set(name.toLowerCase(), [[name, value]])
    else entries.push([name, value])
  }
  for (const [key, entries] of own) {
    const values = entries.map(([, value]) => value).filter((value) => value !== null).map(toLatin1)
    if (values.length === 0) headers.delete(key)
    else headers.set(key, [entries[0][0], values.length === 1 ? values[0] : values])
  }
  return headers.size === 0 ? null : { headers: Object.fromEntries(headers.values()) }
}

function formOf (fields) {
  const form = new Map()
  for (const [name, part] of fields) {
    if (![name, part.value, part.path, part.options?.filename].every((text) => text === undefined || isText(text))) throw bad(`-F ${show(name)} contains bytes that are not UTF-8`)
    if (form.has(name)) form.get(name).push(part)
    else form.set(name, [part])
  }
  return Object.fromEntries([...form].map(([name, parts]) => [name, parts.length === 1 ? parts[0] : parts]))
}

module.exports = fromCurl

'use strict'

const { show } = require('../base/errors')
const { malformed } = require('../values/har')
const { isObject } = require('../values/kinds')
const { headers, mergeHeaders } = require('../values/headers')
const { method } = require('../values/method')
const { path } = require('../values/requests')
const { readISODate } = require('./iso-date')
const { NOT_REPLAYED } = require('./not-replayed')
const { FORM_TYPE, encodeMultipart, withFormType } = require('../values/multipart')
const { Gaps, gapWarnings } = require('./recording-gap')

const ORIGIN = /^\s*[a-z][a-z0-9+.-]*:\/\/[^\\/?#]*/i

/**
 * Returns the options with the recorded requests as the sequence, each for the URLs of its origin. Given headers override
 * recorded ones; method, body, form and requests have no effect.
 *
 * @param {object} options as read
 * @param {object[]} targets of the plan
 * @returns {{ options: object, warnings: object[] }} a warning for each origin whose requests are skipped, and for each
 *   target without requests
 * @throws {CannonadeError} CANNONADE_BAD_OPTION if the archive is malformed
 */
function withHar (options, targets) {
  const origins = targets.map(originOf)
  const { entries } = options.har.log
  const sent = []
  const skipped = new Set()
  entries.forEach((entry, index) => {
    const request = isObject(entry) && isObject(entry.request) ? entry.request : undefined
    if (request === undefined) throw malformed(`invalid request in entry #${index + 1}`)
    const origin = readOrigin(request.url, index)
    if (origins.includes(origin)) sent.push({ index, origin: origins.indexOf(origin), request: readRequest(request, index, options.headers) })
    else skipped.add(origin)
  })
  const gaps = origins.map(() => new Gaps())
  const requests = (options.harTiming ? withTimes(sent, entries, origins.length, gaps) : sent).flatMap(({ origin, request }) => {
    return [...origins.keys()].filter((target) => origins[target] === origins[origin]).map((target) => ({ ...request, target }))
  })
  const recorded = new Set(requests.map(({ target }) => origins[target]))
  const warnings = [
    ...[...skipped].map(origin => skippedWarning(origin, origins)),
    ...[...new Set(origins)].filter(origin => !recorded.has(origin)).map(origin => ({
      code: 'HAR_REQUESTS_MISSING',
      message: `The HAR has no request to ${origin} (only to ${[...recorded, ...skipped].join(', ')}): a GET of the URL itself is sent instead.`
    })),
    // One wrong time is a gap for every origin.
    ...(gaps.map((each) => gapWarnings(each, (index) => `before entry #${index + 1}`, 'If its startedDateTime is wrong, remove the entry from the HAR.')).find(({ length }) => length > 0) ?? [])
  ]
  origins.forEach((origin, target) => {
    if (!recorded.has(origin)) requests.push({ path: targets[target].path, target })
  })
  return { options: { ...options, method: 'GET', body: null, requests }, warnings }
}

/**
 * Returns the recorded requests to the origin of a target, and when each began.
 *
 * @param {object} content of a HAR file
 * @param {object} target of the plan
 * @returns {{ requests: object[], origin: string, others: string[], skipped: object[] }} `requests`: `{ method, path,
 *   headers, body, time }`, time in ms since 1970; `origin` of the target; `others`: the origins whose requests are
 *   skipped; `skipped`: a warning for each
 * @throws {CannonadeError} CANNONADE_BAD_OPTION if the archive is malformed
 */
function readRecorded (content, target) {
  const origin = originOf(target)
  const requests = []
  const skipped = new Set()
  content.log.entries.forEach((entry, index) => {
    const request = isObject(entry) && isObject(entry.request) ? entry.request : undefined
    if (request === undefined) throw malformed(`invalid request in entry #${index + 1}`)
    const other = readOrigin(request.url, index)
    if (other !== origin) skipped.add(other)
    else requests.push({ ...readRequest(request, index, new Map()), time: readTimes(entry, index).begin })
  })
  return { requests, origin, others: [...skipped], skipped: [...skipped].map(other => skippedWarning(other, [origin])) }
}

function skippedWarning (origin, targets) {
  return {
    code: 'HAR_REQUESTS_SKIPPED',
    message: `Warning: skipping requests to '${origin}' as the target is ${[...new Set(targets)].join(', ')}`
  }
}

function originOf ({ secure, hostHeader }) {
  return `${secure ? 'https' : 'http'}://${hostHeader}`
}

// URLs such as 'data:' have no host, so the protocol stands for their origin.
function readOrigin (url, index) {
  try {
    const { origin, protocol } = new URL(url)
    return origin === 'null' ? protocol : origin
  } catch {
    throw malformed(`invalid url in entry #${index + 1}: ${show(url)}`)
  }
}

function readRequest (request, index, extraHeaders) {
  const entry = `in entry #${index + 1}`
  if (!Array.isArray(request.headers)) throw malformed(`invalid headers array ${entry}`)
  request.headers.forEach((header, position) => {
    if (typeof header?.name === 'string' && typeof header.value === 'string') return
    throw malformed(`invalid name or value in header #${position + 1} of entry #${index + 1}: ${show(header)}`)
  })
  const recorded = readPart(`invalid headers array ${entry}`, () => headers.read(pairsOf(request.headers), 'headers'))
  const { body, type } = readPart(`invalid postData ${entry}`, () => readBody(request.postData ?? {}, recorded))
  return {
    method: readPart(`invalid method ${entry}`, () => method.read(request.method, 'method')),
    // Taken as recorded, since parsing it would encode the placeholders of IDs and columns.
    path: path.read(request.url.replace(ORIGIN, ''), 'url'),
    headers: mergeHeaders(type, extraHeaders),
    body
  }
}

function readPart (problem, read) {
  try {
    return read()
  } catch (cause) {
    throw malformed(problem, cause)
  }
}

// Groups values by header name. HTTP/2 sends cookies as separate fields; HTTP/1.1 joins them in one line.
function pairsOf (list) {
  const values = new Map()
  for (const header of list) {
    const { name, value } = header
    const key = name.toLowerCase()
    if (key.startsWith(':') || NOT_REPLAYED.has(key)) continue
    if (values.has(key)) values.get(key)[1].push(value)
    else values.set(key, [name, [value]])
  }
  const cookies = values.get('cookie')
  if (cookies !== undefined) cookies[1] = [cookies[1].join('; ')]
  return [...values.values()]
}

// Returns the body, and the headers including its content type.
function readBody ({ text, encoding, params, mimeType }, recorded) {
  const type = typeof mimeType === 'string' && mimeType !== '' && !recorded.has('content-type')
    ? mergeHeaders(recorded, headers.read({ 'Content-Type': mimeType }, 'mimeType'))
    : recorded
  const fields = Array.isArray(params) ? params : []
  if (typeof text === 'string' && (text !== '' || fields.length === 0)) {
    const body = encoding === 'base64' ? Buffer.from(text, 'base64') : text
    return { body: body.length === 0 ? null : body, type }
  }
  if (fields.length === 0) return { body: null, type }
  if (!FORM_TYPE.test(type.get('content-type')?.values[0])) {
    return { body: String(new URLSearchParams(fields.map(({ name, value = '' }) => [name, value]))), type }
  }
  const { bytes, boundary } = encodeMultipart(fields.map(multipartField))
  return { body: bytes, type: withFormType(type, boundary) }
}

function multipartField ({ name, value = '', fileName, contentType }) {
  return { name, content: value, ...(fileName && { filename: fileName }), ...(contentType && { contentType }) }
}

/*
 * Derives bursts and think times from a recording. The other requests of a page form a burst after the page itself. The
 * time from the end of everything before to the beginning of a page (or of a request that belongs to no page) is a think
 * time.
 *
 *     page_1   [document]==[ style ]            page_2   [document]==[ logo ]
 *                        ==[ script ]====|<-- think -->|
 *
 * Each origin has its own times, since a session sends the requests of one origin alone. What goes elsewhere, such as the
 * document of a page whose data comes from here, has its time in the pause.
 */
function withTimes (sent, entries, origins, gaps) {
  const recorded = entries.map(readTimes)
  const steps = stepsOf(recorded)
  const ends = new Map()
  const pages = new Map()
  const timed = sent.map(({ index, origin, request }) => {
    const { begin, end } = recorded[index]
    const { page, step } = steps[index]
    const isPart = pages.get(origin) === page
    const pause = isPart || !ends.has(origin) ? 0 : Math.max(0, begin - ends.get(origin)) / 1000
    gaps[origin].add(pause, index)
    pages.set(origin, page)
    ends.set(origin, Math.max(ends.get(origin) ?? end, end))
    return { origin, request: { ...request, step: step * origins + origin, thinkTime: { from: pause, to: pause } } }
  })
  // Entries of a burst stand next to each other.
  return timed.sort((one, other) => one.request.step - other.request.step)
}

/** Returns the page and the step of each entry: the index of the first entry of either. */
function stepsOf (recorded) {
  let page = 0
  let step = 0
  return recorded.map(({ page: name }, index) => {
    if (name === undefined || recorded[index - 1]?.page !== name) page = index
    // The first request after the page itself begins the burst; the others join it.
    if (index <= page + 1) step = index
    return { page, step }
  })
}

function readTimes (entry, index) {
  const begin = readISODate(String(entry?.startedDateTime))
  const time = entry?.time ?? 0
  if (Number.isNaN(begin) || !(time >= 0)) throw malformed(`entry #${index + 1} has no startedDateTime and time, which are needed to replay it as it was recorded`)
  return { page: entry.pageref, begin, end: begin + time }
}

module.exports = { withHar, readRecorded }

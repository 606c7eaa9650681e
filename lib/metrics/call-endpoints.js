'use strict'

// Beyond this many, endpoints are counted together: a path with an id in it would otherwise fill memory and tables.
const MOST_ENDPOINTS = 100
const OTHERS = 'others'
const NO_HOOKS = Object.freeze({ setupRequest: null, onResponse: null, onEvent: null, onMessage: null })

/**
 * The endpoints of calls, which are known only when they are called: one for each title, otherwise one for each method and path
 * (without its query, and grouped by values/path.js). They stand behind the endpoints of the plan's requests.
 */
class CallEndpoints {
  /**
   * @param {Array} endpoints of the recorder; gets an entry for each
   * @param {number} origin when the clock of this thread was 0, ms since 1970
   */
  constructor (endpoints, origin) {
    this.endpoints = endpoints
    this.origin = origin
    this.first = endpoints.length
    /** `{ title, method, path, scenario, usedAt }`; `usedAt`: when it was first called, ms since 1970. */
    this.requests = []
    /** By scenario: the steps by title, and those by method and path. */
    this.known = new Map()
    this.others = new Map()
  }

  /**
   * @param {string} method
   * @param {string} path
   * @param {string|undefined} title
   * @param {?string} scenario
   * @param {number} now ms
   * @returns {{ endpoint: number, name: string, hooks: object }} what scripts keep for a request; `name` is for messages
   */
  stepOf (method, path, title, scenario, now) {
    const { titles, methods } = this.knownIn(scenario)
    if (title !== undefined) return titles.get(title) ?? this.add(titles, title, { title, method, path, scenario }, now)
    let paths = methods.get(method)
    if (paths === undefined) methods.set(method, paths = new Map())
    return paths.get(path) ?? this.add(paths, path, { title, method, path, scenario }, now)
  }

  knownIn (scenario) {
    let known = this.known.get(scenario)
    if (known === undefined) this.known.set(scenario, known = { titles: new Map(), methods: new Map() })
    return known
  }

  add (steps, key, request, now) {
    if (this.requests.length >= MOST_ENDPOINTS) return this.stepOfOthers(request.scenario, now)
    const step = this.create(request, now)
    steps.set(key, step)
    return step
  }

  create (request, now) {
    const endpoint = this.endpoints.push(null) - 1
    this.requests.push({ ...request, usedAt: this.origin + now })
    return { endpoint, name: request.title ?? `${request.method} ${request.path}`, hooks: NO_HOOKS }
  }

  stepOfOthers (scenario, now) {
    let others = this.others.get(scenario)
    if (others === undefined) this.others.set(scenario, others = this.create({ title: OTHERS, method: null, path: null, scenario }, now))
    return others
  }

  toData () {
    return { first: this.first, requests: this.requests.slice(), hasOthers: this.others.size > 0 }
  }
}

/** What the calls of one endpoint have in common, in all recorders. */
const keyOf = ({ title, method, path, scenario }) => JSON.stringify(title === undefined ? [scenario, method, path] : [scenario, title])

/**
 * Matches the endpoints of calls of several recorders, each of which may have met them in another order. An endpoint that one of them
 * may have counted among its others is counted there as a whole, so that each entry has all of its requests.
 *
 * @param {object[]} summaries
 * @returns {{ requests: object[], groups: object[][], hasOthers: boolean }} for each endpoint, its request and its data in the summaries
 */
function matchCalls (summaries) {
  const byKey = new Map()
  const others = []
  for (const { called: { first, requests }, endpoints } of summaries) {
    requests.forEach((request, index) => {
      const data = endpoints[first + index]
      if (request.method === null) others.push({ request, data })
      else if (byKey.has(keyOf(request))) addTo(byKey.get(keyOf(request)), request, data)
      else byKey.set(keyOf(request), { request, all: [data] })
    })
  }
  const full = summaries.filter(({ called }) => called.hasOthers).map(({ called }) => new Set(called.requests.map(keyOf)))
  // Those of a single recorder keep its order, which the record of all requests relies on.
  const sorted = [...byKey]
  if (summaries.length > 1) sorted.sort(([, one], [, other]) => one.request.usedAt - other.request.usedAt)
  const isWhole = ([key]) => full.every((keys) => keys.has(key))
  const kept = sorted.filter(isWhole).slice(0, MOST_ENDPOINTS)
  const rest = sorted.filter((entry) => !kept.includes(entry)).map(([, entry]) => entry)
  return withPlanned(summaries, [...kept.map(([, entry]) => entry), ...joinOthers(others, rest)])
}

function addTo (entry, request, data) {
  entry.all.push(data)
  if (request.usedAt < entry.request.usedAt) entry.request = request
}

function joinOthers (others, rest) {
  const byScenario = new Map()
  for (const { request: { scenario }, all } of [...others.map(({ request, data }) => ({ request, all: [data] })), ...rest]) {
    if (!byScenario.has(scenario)) byScenario.set(scenario, { request: { title: OTHERS, method: null, path: null, scenario }, all: [] })
    byScenario.get(scenario).all.push(...all)
  }
  return [...byScenario.values()]
}

// The requests of the plan are the same in all of them.
function withPlanned (summaries, entries) {
  const planned = Array.from({ length: summaries[0].called.first }, (_, index) => summaries.map(({ endpoints }) => endpoints[index]))
  const requests = entries.map(({ request }) => request)
  return { requests, hasOthers: requests.some(({ method }) => method === null), groups: [...planned, ...entries.map(({ all }) => all)] }
}

CallEndpoints.keyOf = keyOf
CallEndpoints.matchCalls = matchCalls
CallEndpoints.MOST_ENDPOINTS = MOST_ENDPOINTS

module.exports = CallEndpoints

'use strict'

/**
 * Groups the requests of a sequence into endpoints: requests with the same title form one endpoint, a request without a
 * title is its own.
 *
 * @param {Array<{ title: ?string }>} requests of a plan
 * @returns {number[][]} the indices of each group, ordered by the first index
 */
function endpointGroups (requests) {
  const byTitle = new Map()
  const groups = []
  requests.forEach(({ title: given, scenario = null }, index) => {
    const title = given === undefined ? undefined : JSON.stringify([scenario, given])
    const known = title === undefined ? undefined : byTitle.get(title)
    if (known !== undefined) {
      known.push(index)
      return
    }
    const group = [index]
    groups.push(group)
    if (title !== undefined) byTitle.set(title, group)
  })
  return groups
}

/**
 * Adds up the counts of the requests of each endpoint.
 *
 * @param {Array<{ title: ?string }>} requests of a plan
 * @param {object[]} counted one per request, merged: see merge.js
 * @param {Function} Kind the class of its distributions
 * @returns {Array<{ request: object, endpoint: object }>} `request` is the first request of the endpoint
 */
function groupEndpoints (requests, counted, Kind) {
  return endpointGroups(requests).map((indices) => ({
    request: requests[indices[0]],
    endpoint: indices.length === 1 ? counted[indices[0]] : sumOf(indices.map((index) => counted[index]), Kind)
  }))
}

function sumOf (endpoints, Kind) {
  const sum = (name) => endpoints.reduce((total, { [name]: count }) => total + count, 0)
  const all = (name) => endpoints.map(({ [name]: part }) => part).filter((part) => part !== null)
  const joined = (name) => all(name).length === 0 ? null : all(name).reduce((whole, part) => whole.add(part), new Kind())
  return {
    completed: sum('completed'),
    failed: sum('failed'),
    timedOut: sum('timedOut'),
    statuses: all('statuses').flat(),
    outcomes: all('outcomes').length === 0 ? null : all('outcomes').flat(),
    latency: joined('latency'),
    bounds: joined('bounds'),
    missing: joined('missing'),
    interrupted: joined('interrupted'),
    waiting: all('waiting').flat()
  }
}

/** The requests that a run counted: those of its plan, and the calls of user code. @param {object} summary merged */
function requestsOf ({ requests }, { requests: called = [] }) {
  return called.length === 0 ? requests : [...requests, ...called]
}

module.exports = { endpointGroups, groupEndpoints, requestsOf }

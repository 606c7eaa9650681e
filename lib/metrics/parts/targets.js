'use strict'

const { definePart } = require('./part')

/** Counts connections per target: if one target has none, the responses of the others would look like those of all. */
class TargetTally {
  /** @param {object[]} targets of the plan, compared by identity */
  constructor (targets) {
    this.targets = targets
    this.opened = targets.map(() => 0)
    this.failed = targets.map(() => 0)
  }

  openedConnection (target) {
    this.opened[this.targets.indexOf(target)]++
  }

  failedConnection (target) {
    this.failed[this.targets.indexOf(target)]++
  }

  /** @returns {{ opened: number[], failed: number[] }} in the order of the targets */
  toData () {
    return { opened: this.opened.slice(), failed: this.failed.slice() }
  }
}

/**
 * @param {?object[]} parts from toData; null or undefined for a recorder that did not count targets
 * @returns {?object} the sums; null unless all recorders counted the same number of targets
 */
function mergeTargets (parts) {
  const [first] = parts
  if (parts.some((part) => part == null || part.opened.length !== first.opened.length)) return null
  const sums = (name) => first[name].map((_, index) => parts.reduce((sum, part) => sum + part[name][index], 0))
  return { opened: sums('opened'), failed: sums('failed') }
}

function urlsWithoutConnection ({ url }, plan, { targets = null }) {
  if (targets === null || !Array.isArray(url) || url.length !== targets.opened.length) return null
  const missing = url.filter((_, index) => targets.opened[index] === 0 && targets.failed[index] > 0)
  // There is another warning for a run without any connection.
  if (missing.length === 0 || targets.opened.every((count) => count === 0)) return null
  return {
    code: 'URL_WITHOUT_CONNECTION',
    message: `Could not connect to ${missing.join(', ')}, so all responses are from the other ${url.length - missing.length === 1 ? 'URL' : 'URLs'} alone. Is the server running at this address?`
  }
}

/** Which URLs could be connected to: used to warn about those that could not. */
const targets = definePart({
  name: 'targets',
  create: ({ targets }) => targets.length > 1 ? new TargetTally(targets) : null,
  merge: mergeTargets,
  warnings: [urlsWithoutConnection]
})

module.exports = { targets }

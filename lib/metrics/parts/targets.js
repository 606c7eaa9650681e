'use strict'

const { definePart } = require('./part')

/** Which of several targets connections came about to: where one has none, the others' answers look like those of all. */
class TargetTally {
  /** @param {object[]} targets of the plan; what they are does not matter here */
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

  /** @returns {{ opened: number[], failed: number[] }} by the places of the targets */
  toData () {
    return { opened: this.opened.slice(), failed: this.failed.slice() }
  }
}

/**
 * @param {?object[]} parts as toData gives them; null or undefined is one that has not counted them
 * @returns {?object} the sums; null where not all have counted the same number of targets
 */
function mergeTargets (parts) {
  const [first] = parts
  if (parts.some((part) => part == null || part.opened.length !== first.opened.length)) return null
  const sums = (name) => first[name].map((_, index) => parts.reduce((sum, part) => sum + part[name][index], 0))
  return { opened: sums('opened'), failed: sums('failed') }
}

/** Which URLs could be connected to: for the warning about one that could not, see warnings.js. */
const targets = definePart({
  name: 'targets',
  create: ({ targets }) => targets.length > 1 ? new TargetTally(targets) : null,
  merge: mergeTargets
})

module.exports = { targets, TargetTally }

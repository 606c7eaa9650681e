'use strict'

/**
 * Puts a defect into a method of the code.
 *
 * @param {object} owner a class, or an object with functions
 * @param {string} name of the method
 * @param {function(function): function} change gives the defective method for the real one
 * @returns {function(): function()} see Feature: plants it, and gives what takes it out
 */
function defectIn (owner, name, change) {
  const holder = typeof owner === 'function' ? owner.prototype : owner
  return () => {
    const original = Object.getOwnPropertyDescriptor(holder, name)
    const read = original.get ?? original.value
    const changed = change(read)
    Object.defineProperty(holder, name, original.get === undefined ? { ...original, value: changed } : { ...original, get: changed })
    return () => Object.defineProperty(holder, name, original)
  }
}

module.exports = defectIn

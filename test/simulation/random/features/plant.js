'use strict'

/**
 * Puts a defect into a method of the code.
 *
 * @param {object} owner a class, or an object with functions
 * @param {string} name of the method
 * @param {function(function): function} change gives the defective method for the real one
 * @param {function(object): boolean} [only] for which of the worlds that were drawn it takes; else that of the feature decides
 * @returns {function(): function()} see Feature: plants it, and gives what takes it out; it has `only`
 */
function defectIn (owner, name, change, only) {
  const holder = typeof owner === 'function' ? owner.prototype : owner
  const plant = () => {
    const own = Object.getOwnPropertyDescriptor(holder, name)
    const original = own ?? inherited(holder, name)
    const read = original.get ?? original.value
    const changed = change(read)
    Object.defineProperty(holder, name, original.get === undefined ? { ...original, value: changed } : { ...original, get: changed })
    return () => own === undefined ? delete holder[name] : Object.defineProperty(holder, name, own)
  }
  return Object.assign(plant, { only })
}

function inherited (holder, name) {
  const above = Object.getPrototypeOf(holder)
  if (above === null) throw new Error(`there is no ${name} to plant a defect in`)
  return Object.getOwnPropertyDescriptor(above, name) ?? inherited(above, name)
}

module.exports = defectIn

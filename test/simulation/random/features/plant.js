'use strict'

/**
 * Plants a defect in a method of the code.
 *
 * @param {object} owner a class, or an object with functions
 * @param {string} name of the method
 * @param {function(function): function} change returns the defective method, given the real one
 * @param {function(object): boolean} [only] the drawn worlds in which it is looked for; default: those of the feature
 * @returns {function(): function()} see Feature: plants it, and returns what removes it; it has `only`
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

'use strict'

/** The objects of an array; none where it is no array. A file somebody saved may hold anything. */
function listed (value) {
  return Array.isArray(value) ? value.filter((entry) => entry !== null && typeof entry === 'object') : []
}

module.exports = { listed }

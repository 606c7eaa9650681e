'use strict'

/** Groups values for which `keyOf` returns the same key; returns the groups by key. */
function groups (list, keyOf) {
  const lists = new Map()
  for (const item of list) {
    const key = keyOf(item)
    if (!lists.has(key)) lists.set(key, [])
    lists.get(key).push(item)
  }
  return lists
}

module.exports = groups

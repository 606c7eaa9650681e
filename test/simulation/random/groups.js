'use strict'

/** Lists of those for which `keyOf` gives the same, by what it gives. */
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

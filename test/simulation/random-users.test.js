'use strict'

const path = require('node:path')
const t = require('tap')
const { compareWorlds } = require('../support/digests')
const digestOfWorld = require('./random/digest')
const { checkUsers, defects, drawUsers, playUsers } = require('./random/users')

const WORLDS = 60

async function problemsOf (seed, onPlayed = () => {}) {
  try {
    const played = await playUsers(drawUsers(seed))
    onPlayed(played)
    return checkUsers(played)
  } catch (error) {
    return [error.stack]
  }
}

t.test(`${WORLDS} random worlds with users as code`, async (t) => {
  const digests = [null]
  for (let seed = 1; seed <= WORLDS; seed++) {
    const problems = await problemsOf(seed, ({ world, result }) => digests.push(digestOfWorld({}, { world, results: [result] })))
    if (problems.length > 0) t.fail(`seed ${seed}: ${problems.slice(0, 3).join('; ')}`)
  }
  t.pass('every call was due when it had to be, and is in the result')
  compareWorlds(t, path.join(__dirname, 'digests/users.json'), digests)
})

for (const [name, plant] of Object.entries(defects)) {
  t.test(`these worlds detect ${name}`, async (t) => {
    const remove = plant()
    t.teardown(remove)
    let seed = 1
    while (seed <= WORLDS && (await problemsOf(seed)).length === 0) seed++
    t.ok(seed <= WORLDS, `in world ${seed}`)
  })
}

'use strict'

// What users as code cost in memory while they think, beyond their connections.

const { shareCores, describeMachine } = require('./machine')
const { parseNumbers } = require('./numbers')
const { prepareTarget } = require('./target')
const processes = require('./processes')

const USERS = 10_000
const ROUNDS = 3
// A user must cost less than this beyond its connection.
const MOST_KIB = 6
const KINDS = ['connections', 'sequence', 'user']

const help = `npm run bench -- users [options]

  --users N   how many at a time, 1,000 to 50,000 (default ${USERS.toLocaleString('en-US')})
  --help
`

const parseOptions = (args) => parseNumbers(args, { users: { least: 1000, most: 50_000, isWhole: true, otherwise: USERS } })

async function main ({ users }) {
  const target = prepareTarget()
  const cores = shareCores({ serverIsNode: target.language === 'Node' })
  const server = await target.startServer({ response: { kind: 'plain', bytes: 13 } }, cores.server)
  console.log(`Memory of ${users.toLocaleString('en-US')} users in think time, in turns; KiB for each, after a garbage collection
${describeMachine()}

round  ${KINDS.map((kind) => kind.padStart(13)).join('')}  user beyond connection`)
  const differences = []
  for (let round = 1; round <= ROUNDS; round++) {
    const costs = []
    for (const kind of KINDS) costs.push(await measure({ kind, users, url: server.url }, cores))
    differences.push(costs[2] - costs[0])
    console.log(`${String(round).padStart(5)}  ${costs.map((cost) => cost.toFixed(2).padStart(13)).join('')}  ${differences.at(-1).toFixed(2).padStart(22)}`)
  }
  await server.stop()
  const worst = Math.max(...differences)
  console.log(`\nA user costs at most ${worst.toFixed(2)} KiB beyond its connection; ${MOST_KIB} are allowed.`)
  if (worst >= MOST_KIB) process.exitCode = 1
}

// The heap and the buffers of a process: what they hold with all users there, minus what they hold with ten.
async function measure (task, cores) {
  return Number(await processes.outputOf([process.execPath, '--expose-gc', require.resolve('./clients/users.js'), JSON.stringify(task)], cores.client))
}

module.exports = { main, parseOptions, help }

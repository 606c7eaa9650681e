'use strict'

const { parseArgs } = require('node:util')
const { readNumber } = require('./numbers')
const scenarios = require('./scenarios')
const { tools } = require('./tools')

const help = `npm run bench -- [options]
npm run bench -- wire     how near the wire service times are, beside tcpdump (wire --help)
npm run bench -- startup  what the first seconds of a run cost (startup --help)
npm run bench -- soak     whether memory grows over a million connections (soak --help)
npm run bench -- faults   whether memory grows over ten minutes with faults in all protocols (faults --help)
npm run bench -- events   what an event of a stream costs (events --help)
npm run bench -- record   what a record of all requests and trace context cost (record --help)
npm run bench -- slowest  what the slowest requests and the heat map cost (slowest --help)
npm run bench -- users    what users as code cost in memory while they think (users --help)
npm run bench -- merge    what the samples of many threads cost the thread that merges them (merge --help)

  --quick                the two scenarios that matter most, about a minute
  --scenario NAME[,NAME] only these scenarios (see --list)
  --tools NAME[,NAME]    only these tools: ${Object.keys(tools).join(' ')}
  --rounds N             rounds of each scenario, 1 to 100 (default 3)
  --seconds S            length of one measurement, 0.2 to 60 (default 1.2)
  --server c|node        the server to aim at (default c, and node where nothing compiles)
  --json FILE            write everything that was measured
  --write                put the tables into bench/README.md and README.md (a full run only)
  --list                 name the scenarios
  --help
`

/** @typedef {{ scenarios: object[], tools: string[], rounds: number, seconds: number, server: string | undefined,
 *   json: string | undefined, write: boolean, list: boolean, help: boolean }} BenchOptions */

/**
 * @param {string[]} args the arguments after `node bench/index.js`
 * @returns {BenchOptions}
 * @throws {Error} with a sentence for the user if an argument is invalid
 */
function parseOptions (args) {
  const text = { type: 'string' }
  const flag = { type: 'boolean', default: false }
  const { values } = parseArgs({
    args,
    options: {
      quick: flag,
      scenario: text,
      tools: text,
      rounds: text,
      seconds: text,
      server: text,
      json: text,
      write: flag,
      list: flag,
      help: flag
    }
  })
  const partial = values.quick || values.scenario !== undefined || values.tools !== undefined
  if (values.write && partial) throw new Error('--write takes a full run: leave out --quick, --scenario and --tools')
  if (values.server !== undefined && !['c', 'node'].includes(values.server)) throw new Error('--server must be c or node')

  const names = values.scenario && chosen('--scenario', values.scenario, scenarios.map(({ name }) => name))
  return {
    scenarios: scenarios.filter(({ name, quick }) => names ? names.includes(name) : quick || !values.quick),
    tools: values.tools ? chosen('--tools', values.tools, Object.keys(tools)) : Object.keys(tools),
    rounds: readNumber('rounds', values.rounds, { least: 1, most: 100, isWhole: true, otherwise: 3 }),
    seconds: readNumber('seconds', values.seconds, { least: 0.2, most: 60, otherwise: 1.2 }),
    server: values.server,
    json: values.json,
    write: values.write,
    list: values.list,
    help: values.help
  }
}

function chosen (option, text, known) {
  const names = text.split(',').map((name) => name.trim())
  const unknown = names.find((name) => !known.includes(name))
  if (unknown !== undefined) throw new Error(`${option} does not know "${unknown}"; it knows ${known.join(', ')}`)
  return names
}

module.exports = { parseOptions, help }

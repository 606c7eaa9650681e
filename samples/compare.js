'use strict'

// Is B faster than A? Runs both in alternating order, so that anything that changes meanwhile affects both, and reports how
// certain the answer is. You can compare results that were saved before and after a change in the same way.

const { compare, startServer } = require('..') // in your own program: require('cannonade')

const percent = (share) => `${share > 0 ? '+' : ''}${(share * 100).toFixed(1)}%`

async function main () {
  const [a, b] = await Promise.all([startServer({ port: 0, delay: 8 }), startServer({ port: 0, delay: 4 })])

  // On the command line: cannonade compare URL-A URL-B
  const { verdict, metrics } = await compare([
    { title: 'A', url: a.url, connections: 5 },
    { title: 'B', url: b.url, connections: 5 }
  ], { rounds: 6, duration: 0.5 })
  await Promise.all([a.close(), b.close()])

  console.log(`B is: ${verdict}`)
  for (const [name, { difference, interval, verdict, smallestDifference }] of Object.entries(metrics)) {
    if (interval === null) continue // one of them didn't respond at all
    const [from, to] = interval
    console.log(`${name}: ${percent(difference)} (95% interval ${percent(from)} to ${percent(to)}), ${verdict}`)
    if (verdict === 'no difference shown') console.log(`  differences under ${percent(smallestDifference)} were too small to detect`)
  }
}

main()

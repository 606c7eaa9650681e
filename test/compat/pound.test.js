'use strict'

// Words of pound, and the whole command line that is printed instead.

const t = require('tap')
const { fromPound } = require('../../lib/compat/pound')

const CASES = [
  // 20 requests, all at once, each on its own connection: pound's defaults.
  ['', '-a 20 -c 20 --no-keep-alive localhost'],
  ['url=h', '-a 20 -c 20 --no-keep-alive h'],
  ['port=3000', '-a 20 -c 20 --no-keep-alive localhost:3000'],
  ['url=h/a port=80', '-a 20 -c 20 --no-keep-alive h:80/a'],
  ['url=h?a port=80', "-a 20 -c 20 --no-keep-alive 'h:80?a'"],
  ["url=h/it's", "-a 20 -c 20 --no-keep-alive 'h/it'\\''s'"],
  ['url=h/?a=b=c', "-a 20 -c 20 --no-keep-alive 'h/?a=b=c'"],
  ['numberOfRequests=7', '-a 7 -c 7 --no-keep-alive localhost'],
  ['numberOfRequests=7 requestsPerSecond=50', '-a 7 -R 50 --no-keep-alive localhost'],
  ['sendRequestsInBursts=true', '-a 20 --bursts 100/200ms --no-keep-alive localhost'],
  ['sendRequestsInBursts=true requestsPerBurst=5 burstIntervalMs=30 requestsPerSecond=9', '-a 20 --bursts 5/30ms --no-keep-alive localhost'],
  // Without bursts, these have no effect.
  ['requestsPerBurst=5 burstIntervalMs=30', '-a 20 -c 20 --no-keep-alive localhost'],
  ['requestMethod=HEAD', '-m HEAD -a 20 -c 20 --no-keep-alive localhost'],
  ['connectionHeader=close', '-a 20 -c 20 --no-keep-alive localhost'],
  ['connectionHeader=keep-alive', '-a 20 -c 20 localhost'],
  ['requestTimeout=5 headers=x verbose=true silent=true useAgents=true', '-a 20 -c 20 --no-keep-alive localhost'],
  ['server=true', 'serve --port 9090'],
  ['server=true serverPort=81 clusterServer=true url=h', 'serve --port 81']
]

t.test('each option of pound, and its defaults', async (t) => {
  for (const [words, wanted] of CASES) t.equal(fromPound(words === '' ? [] : words.split(' ')), `cannonade ${wanted}`, words)
})

t.test('words that are not all of pound', async (t) => {
  for (const words of [['url=h', 'color=red'], ['Port=1'], ['=1'], ['url=h', 'x']]) t.equal(fromPound(words), null, words.join(' '))
})

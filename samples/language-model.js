'use strict'

// Measures the time to the first token, the gaps between tokens, and tokens per second of a language model's endpoint, in the
// format that their APIs use. For yours: ENDPOINT=https://… MODEL=… API_KEY=… node language-model.js. Without an endpoint, a
// server on this machine simulates one: 12 tokens, the first after 50 ms, then one every 10 ms.

const http = require('node:http')
const { setTimeout: sleep } = require('node:timers/promises')
const { run } = require('..') // in your own program: require('cannonade')

const TOKENS = 12
const { ENDPOINT, MODEL = 'stand-in', API_KEY } = process.env

async function answer (request, response) {
  const say = (data) => response.write(`data: ${data}\n\n`)
  response.writeHead(200, { 'Content-Type': 'text/event-stream' }).flushHeaders()
  await sleep(40)
  for (let token = 0; token < TOKENS; token++) {
    await sleep(10)
    say(JSON.stringify({ choices: [{ delta: { content: `word${token} ` } }] }))
  }
  say('[DONE]')
  response.end()
}

function standIn () {
  const server = http.createServer(answer)
  return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server)))
}

async function main () {
  const server = ENDPOINT ? null : await standIn()
  let words = 0
  const result = await run({
    url: ENDPOINT ?? `http://127.0.0.1:${server.address().port}/v1/chat/completions`,
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...(API_KEY && { Authorization: `Bearer ${API_KEY}` }) },
    body: JSON.stringify({ model: MODEL, stream: true, messages: [{ role: 'user', content: 'Count to twelve.' }] }),
    connections: 4,
    amount: 20,
    timeout: 60,
    stream: true,
    onEvent ({ data }) {
      if (JSON.parse(data).choices?.[0]?.delta?.content) words++
    },
    thresholds: ['stream.timeToFirstEvent.p95 < 2s', 'failures == 0']
  })
  server?.close()

  const { events, rate, timeToFirstEvent, gap, eventsPerResponse } = result.stream
  console.log(`${result.accounting.completed} answers of ${eventsPerResponse.min} to ${eventsPerResponse.max} tokens, ${events} in all, ${words} with text`)
  console.log(`time to first token: ${timeToFirstEvent.p50} ms, at worst ${timeToFirstEvent.max} ms`)
  console.log(`between two tokens: ${gap.p50} ms, at worst ${gap.max} ms`)
  console.log(`tokens per second: ${rate} in all, ${Math.round(1000 / gap.mean)} in an answer`)
  console.log(result.passed ? 'good enough' : 'not good enough')
}

main()

'use strict'

// Time to first token, the gap between tokens, and tokens per second of a language model's endpoint, in the shape that
// their APIs have. Give yours, with its key: node language-model.js https://… MODEL, and API_KEY in the environment. Without
// one a stand-in on this machine answers: 12 tokens, the first after 50 ms and then one every 10 ms.

const http = require('node:http')
const { run } = require('..') // in your own program: require('cannonade')

const TOKENS = 12

/** Answers as a language model does that has thought for 50 ms. */
function standIn () {
  const server = http.createServer((request, response) => {
    const say = (data) => response.write(`data: ${data}\n\n`)
    let token = 0
    const speak = () => {
      say(JSON.stringify({ choices: [{ delta: { content: `word${token++} ` } }] }))
      if (token < TOKENS) return
      clearInterval(timer)
      say('[DONE]')
      response.end()
    }
    let timer
    response.writeHead(200, { 'Content-Type': 'text/event-stream' })
    response.flushHeaders()
    setTimeout(() => {
      timer = setInterval(speak, 10)
      speak()
    }, 50)
  })
  return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server)))
}

async function main (endpoint, model = 'stand-in') {
  const server = endpoint ? null : await standIn()
  let words = 0
  const result = await run({
    url: endpoint ?? `http://127.0.0.1:${server.address().port}/v1/chat/completions`,
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      ...(process.env.API_KEY && { Authorization: `Bearer ${process.env.API_KEY}` })
    },
    body: JSON.stringify({ model, stream: true, messages: [{ role: 'user', content: 'Count to twelve.' }] }),
    connections: 4,
    amount: 20,
    timeout: 60,
    stream: true,
    onEvent ({ data }) {
      if (JSON.parse(data).choices?.[0]?.delta?.content) words++
    },
    thresholds: ['stream.timeToFirstEvent.p95 < 2s', 'errors == 0']
  })
  server?.close()

  const { events, rate, timeToFirstEvent, gap, eventsPerResponse } = result.stream
  console.log(`${result.accounting.completed} answers of ${eventsPerResponse.min} to ${eventsPerResponse.max} tokens, ${events} in all, ${words} with text`)
  console.log(`time to first token: ${timeToFirstEvent.p50} ms, at worst ${timeToFirstEvent.max} ms`)
  console.log(`between two tokens: ${gap.p50} ms, at worst ${gap.max} ms`)
  console.log(`tokens per second: ${rate} in all, ${Math.round(1000 / gap.mean)} in an answer`)
  console.log(result.passed ? 'good enough' : 'not good enough')
}

main(...process.argv.slice(2))

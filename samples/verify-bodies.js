'use strict'

// A fast response is useless if it is wrong: verify each body. Those that are wrong count in `result.mismatches`.

const http = require('node:http')
const { run } = require('..') // in your own program: require('cannonade')

// Every tenth response is truncated JSON.
let answers = 0
const server = http.createServer((request, response) => {
  const text = JSON.stringify({ items: [1, 2, 3] })
  response.end(++answers % 10 === 0 ? text.slice(0, text.length / 2) : text)
})

function verifyBody (body) {
  try {
    return JSON.parse(body).items.length === 3
  } catch {
    return false
  }
}

async function main () {
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  const instance = run({ url: `http://127.0.0.1:${server.address().port}`, connections: 4, amount: 200, verifyBody })
  instance.once('reqMismatch', (body) => console.log(`a wrong body: ${body}`))

  const result = await instance
  server.close()
  console.log(`${result.mismatches} of ${result.requests.total} bodies were wrong`)
}

main()

'use strict'

// The simplest run: a URL and a callback. Everything else has a default: 10 connections, 10 seconds, GET.

const cannonade = require('..') // in your own program: require('cannonade')

// Starts a test server. If you have your own, you only need the inner call.
cannonade.startServer({ port: 0, delay: 5 }, (error, server) => {
  if (error) throw error
  cannonade({ url: server.url, duration: 1 }, (error, result) => {
    if (error) throw error
    console.log(`${result.requests.total} requests in ${result.duration} s`)
    console.log(cannonade.printResult(result))
    server.close()
  })
})

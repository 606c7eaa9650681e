'use strict'

// The same command lines for curl itself, in a shell, and for `fromCurl`: the server must receive the same.

const { execFile, spawnSync } = require('node:child_process')
const path = require('node:path')
const { promisify } = require('node:util')
const t = require('tap')
const { fromCurl, run } = require('../..')
const { httpServer, rawServer, reply, tlsServer } = require('../support/servers')

const DEADLINE_MS = 30_000
const isThere = (name) => spawnSync(name, ['--version'], { timeout: DEADLINE_MS }).status === 0
const options = isThere('curl') && isThere('bash') ? {} : { skip: 'curl and bash are not installed' }
const PEM = path.join(__dirname, '../support/certs')

// All in one shell; each line starts a curl process.
const playAll = (lines) => promisify(execFile)('bash', ['--norc', '-ec', lines.map((line) => line.replace(/^curl/, 'curl -q -sS -o /dev/null')).join('\n')], { timeout: DEADLINE_MS, env: { PATH: process.env.PATH, LC_ALL: 'C.UTF-8' } })

// Headers in which each identifies itself and its connection.
const OF_THE_CLIENT = /^(?:user-agent|accept|connection|proxy-connection|accept-encoding|content-length|expect)$/i

/** What a server has received of a request. */
function seen ({ method, path, headers, body }) {
  return {
    method,
    path: path.replace(/%../g, (escape) => escape.toUpperCase()),
    body: body.toString('latin1'),
    headers: headers.filter(([name]) => !OF_THE_CLIENT.test(name)).map(([name, value]) => `${name}: ${value}`).sort()
  }
}

const files = t.testdir({ upload: 'one\ntwo\n', tag: '"abc"\n', none: '', json: '{"a":' })

const LINES = {
  'bytes and characters in quotes': (base) => `curl ${base} -d $'a=\\xc3\\xa9\\xff\\303\\251&\\u00e9\\U0001F600\\101\\x4\\q\\cA\\e\\?\\"\\'' -d "\\a\\"\\$b\\\\" -d c\\d`,
  'bytes in headers': (base) => `curl ${base} -H $'X: \\xc3\\xa9 \\xff' -H 'Y: é' -b 'a=é' -e 'ré;auto' -u 'mé:pä:ß'`,
  'bytes in a form, and in a query': (base) => `curl ${base}/p?x=1 --data-urlencode $'q=\\xffé&~*' --data-urlencode '=!' --data-urlencode n@${files}/tag --url-query $'r=\\xc3\\xa9'`,
  'a form as a query': (base) => `curl -G ${base}/p?x=1 -d a=1 --data-urlencode 'e=é@' --url-query 'is=not taken'`,
  'JSON in parts': (base) => `curl ${base} --json @${files}/json --json '1' --json '}'`,
  'a range and conditions': (base) => `curl ${base} -C 0 -z '20220101 10:00' --etag-compare ${files}/tag`,
  'conditions the other way round': (base) => `curl ${base} -z '-Sat, 01 Jan 2022 10:00:00 GMT' --etag-compare ${files}/none -r 2-5,7-`,
  'a path as it is': (base) => `curl --path-as-is ${base}/a/./../b?c=/../d`,
  'a path that is not': (base) => `curl --path-as-is --no-path-as-is ${base}/a/./../b?c=/../d`,
  'another target': (base) => `curl ${base} -X OPTIONS --request-target '*'`,
  'what is switched off again': (base) => `curl -G --no-get --compressed --no-compressed -L --no-location ${base} -d x`,
  'an upload': (base) => `curl ${base}/up/ -T ${files}/upload`,
  'headers that are empty, or none': (base) => `curl ${base} -A '' -e '' -H 'X-Empty;' -H 'X-None:' -d x -H 'Content-Type:'`,
  'letters in one word': (base) => `curl -sSfgkNv4q -m5 -XPUT -HX:1 -da=1 -w '' ${base}`,
  'another address': (base, port) => `curl --resolve h.test:${port}:127.0.0.1 http://h.test:${port}/x`,
  'another address for all': (base, port) => `curl --resolve 'other.test:${port}:10.0.0.1' --resolve '*:${port}:127.0.0.1' http://h.test:${port}/x -H 'Host: own.test'`,
  'another place': (base, port) => `curl --connect-to h.test:81::1 --connect-to H.test:80:127.0.0.1:${port} --connect-to ::127.0.0.1:1 http://h.test/x`,
  'another place, whatever the URL': (base, port) => `curl --connect-to ::known.test:${port} --resolve known.test:${port}:127.0.0.1 http://h.test/x`,
  'a proxy': (base, port) => `curl -x 127.0.0.1:${port} -U 'mé:p@ss:w' --proxy-header 'X-P: 1' http://h.test/x`,
  'a proxy at another address, with a user of its own': (base, port) => `curl -x http://u:p@proxy.test:${port} -U other:x --resolve proxy.test:${port}:127.0.0.1 http://h.test/x`,
  'no proxy': (base, port) => `curl -x 127.0.0.1:1 --noproxy 'a.test, .h.test,10.0.0.0/8' --resolve sub.h.test:${port}:127.0.0.1 http://sub.h.test:${port}/x`,
  'no proxy for a network': (base) => `curl -x 127.0.0.1:1 --noproxy 127.0.0.0/8 ${base}`,
  'a URL without its scheme, from an address': (base) => `curl --proto-default http --interface 127.0.0.1 ${base.slice('http://'.length)}/x`
}

t.test('fromCurl sends the same as curl', options, async (t) => {
  const server = await rawServer(t, (socket) => socket.write(reply('ok')), { keep: true })
  const lines = Object.values(LINES).map((lineOf) => lineOf(server.url, server.port))
  await playAll(lines)
  const theirs = server.kept.splice(0).map(seen)
  for (const line of lines) await run({ ...fromCurl(line), connections: 1, amount: 1 })
  const ours = server.kept.map(seen)
  t.equal(theirs.length, lines.length)
  Object.keys(LINES).forEach((name, index) => t.same(ours[index], theirs[index], name))
  t.same(server.malformed, [])
})

t.test('TLS versions, ciphers and server names', async (t) => {
  const seen = []
  const server = await tlsServer(t, (request, response) => {
    const { socket } = request
    seen.push([socket.getProtocol(), socket.getCipher().standardName, socket.alpnProtocol, socket.servername])
    response.end()
  }, { ALPNProtocols: ['http/1.1'] })
  const handshake = async (flags, host = `localhost:${server.port}`) => {
    const result = await run({ ...fromCurl(`curl ${flags} https://${host}/`), connections: 1, amount: 1, bailout: 1 })
    return result.accounting.completed === 1 ? seen.pop() : Object.keys(result.errorCodes)[0]
  }
  t.match(await handshake(''), ['TLSv1.3', /./, 'http/1.1', 'localhost'])
  t.match(await handshake('--tlsv1.2 --tls-max 1.2'), ['TLSv1.2'])
  t.match(await handshake('--tlsv1.2'), ['TLSv1.3'])
  t.match(await handshake('--tls-max 1.2 --ciphers ECDHE-RSA-AES256-GCM-SHA384:ECDHE-ECDSA-AES256-GCM-SHA384'), ['TLSv1.2', /AES_256_GCM_SHA384$/])
  t.match(await handshake('--ciphers ECDHE-RSA-AES256-GCM-SHA384'), ['TLSv1.3'], 'those of 1.3 are unchanged')
  t.match(await handshake('--tls13-ciphers TLS_CHACHA20_POLY1305_SHA256'), ['TLSv1.3', 'TLS_CHACHA20_POLY1305_SHA256'])
  t.match(await handshake('--no-alpn'), ['TLSv1.3', /./, false])
  t.match(await handshake('--curves prime256v1'), ['TLSv1.3'])
  const trusted = `--cacert ${PEM}/ca-cert.pem`
  t.match(await handshake(`${trusted} --resolve cannonade.test:${server.port}:127.0.0.1`, `cannonade.test:${server.port}`), ['TLSv1.3', /./, 'http/1.1', 'cannonade.test'])
  t.equal(await handshake(`${trusted} --resolve nobody.test:${server.port}:127.0.0.1`, `nobody.test:${server.port}`), 'ERR_TLS_CERT_ALTNAME_INVALID')
  t.match(await handshake(`--capath ${PEM}`), ['TLSv1.3'])
})

t.test('a client with a certificate', async (t) => {
  const server = await tlsServer(t, undefined, { requestCert: true })
  const { ca, clientCert, clientKey } = require('../support/servers').certificates
  const folder = t.testdir({ 'both:.pem': clientCert + clientKey, ca })
  for (const flags of [`-E ${PEM}/client-cert.pem --key ${PEM}/client-key.pem`, `-E '${folder}/both\\:.pem:secret'`, `-E '${folder}/both\\:.pem' --pass x --cert-type pem --key-type PEM`]) {
    const { accounting } = await run({ ...fromCurl(`curl ${flags} ${server.url}`), connections: 1, amount: 1 })
    t.match(accounting, { completed: 1 }, flags)
  }
  t.equal(server.clientNames.length, 3)
  t.ok(server.clientNames.every((name) => name !== null))
  t.throws(() => fromCurl(`curl --cert-type DER -E x ${server.url}`), { message: /--cert-type 'DER' is not supported/ })
})

t.test('a socket in the abstract namespace', { skip: process.platform === 'linux' ? false : 'there are none' }, async (t) => {
  const http = require('node:http')
  const name = `cannonade-${process.pid}`
  const server = http.createServer((request, response) => response.end('ok')).listen(`\0${name}`)
  t.teardown(() => server.close())
  const { accounting } = await run({ ...fromCurl(`curl --abstract-unix-socket ${name} http://h.test/p`), connections: 1, amount: 1 })
  t.match(accounting, { completed: 1 })
})

t.test('a run sends the request of a curl command', async (t) => {
  const seen = []
  const server = await httpServer(t, (request, response) => {
    seen.push(`${request.method} ${request.url} ${request.headers.host}`)
    response.end()
  })
  await run({ ...fromCurl(`curl -X PUT --resolve h.test:${server.port}:127.0.0.1 http://h.test:${server.port}/x`), connections: 1, amount: 1 })
  t.same(seen, [`PUT /x h.test:${server.port}`])
})

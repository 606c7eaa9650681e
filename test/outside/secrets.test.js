'use strict'

const t = require('tap')
const { commandWithoutSecrets, isSecret, nameWithoutSecrets, urlWithoutSecrets, withoutSecrets, wordsWithoutSecrets } = require('../../lib/outside/secrets')

t.test('names that suggest a secret, and names that do not', async (t) => {
  const secret = [
    'Authorization', 'Proxy-Authorization', 'cookie', 'Set-Cookie', 'X-Api-Key', 'X-Key', 'Ocp-Apim-Subscription-Key', 'x-functions-key', 'key', 'sig', 'pwd',
    'pass', 'jwt', 'code', 'passwd', 'client_secret', 'access_token', 'refreshToken', 'signingKey', 'X-Amz-Signature', 'X-Amz-Credential', 'sessionid',
    'sid', 'otp', 'passphrase', 'api%5Fkey', '%6Bey', '--password', 'user[password]'
  ]
  const harmless = ['page', 'keyword', 'monkey', 'statusCode', 'zipcode', 'keepAlive', 'passed', 'signal', 'q', 'accept', 'content-type', 'host', 'spin', 'inside', '--session-log', 'sessions.log']
  for (const name of secret) t.equal(isSecret(name), true, name)
  for (const name of harmless) t.equal(isSecret(name), false, name)
})

t.test('a word behind a colon is part of a name', async (t) => {
  for (const name of ['auth: login', 'auth: log-in now', 'token: refresh/rotate', 'Cookie: zustimmen', 'session: größe', 'checks["token: valid"] == 100%', 'auth: login, session: start']) {
    t.equal(nameWithoutSecrets(name), name)
  }
  const cases = {
    'session: 8f3a1c': 'session: ***',
    'password: hunter2': 'password: ***',
    'password: "hunter"': 'password: "***"',
    'Authorization: Bearer hunter': 'Authorization: ***',
    'Cookie: a=b; c=d': 'Cookie: ***',
    '{"password":"hunter"}': '{"password":"***"}',
    'GET /a?token=hunter': 'GET /a?token=***',
    'http://u:hunter@h': 'http://***@h'
  }
  for (const [name, shown] of Object.entries(cases)) t.equal(nameWithoutSecrets(name), shown, name)
})

t.test('URLs and paths', async (t) => {
  const cases = {
    'http://u:hunter2@h/': 'http://***@h/',
    'http://hunter2@h/': 'http://***@h/',
    'http://u:hunt/er2@h/': 'http://***@h/',
    'u:hunter2@h/x': '***@h/x',
    'http:/u:hunter2@h': 'http:/***@h',
    'redis://:hunter2@h:6379': 'redis://***@h:6379',
    'http://h:80/a@b': 'http://h:80/a@b',
    'http://u:8hunt@h/a@b': 'http://***@h/a@b',
    'h:80/a@b': 'h:80/a@b',
    '/@scope/name?mail=a@b.test': '/@scope/name?mail=a@b.test',
    '/a?q=shoes&access_token=hunter2#top': '/a?q=shoes&access_token=***#top',
    '/a?key=hunter2&sig=hunter2&pwd=hunter2&pass=hunter2&jwt=hunter2&code=hunter2&page=2': '/a?key=***&sig=***&pwd=***&pass=***&jwt=***&code=***&page=2',
    '/a?key=hun,ter;2 "and\'more&page=2': '/a?key=***&page=2',
    '/a?my+key=hunter2': '/a?my+key=***',
    '/a?%6Bey=hunter2': '/a?%6Bey=***',
    '/a?a=1;password=hunter2': '/a?a=1;password=***',
    '/a#access_token=hunter2': '/a#access_token=***',
    '/a;jsessionid=hunter2?page=2': '/a;jsessionid=***',
    '/reset/eyJhbGciOi.eyJzdWIiOi.c2lnbmF0dXJl': '/reset/***',
    '/a?page=2&sort=name': '/a?page=2&sort=name'
  }
  for (const [url, shown] of Object.entries(cases)) {
    t.equal(urlWithoutSecrets(url), shown, url)
    t.equal(urlWithoutSecrets(shown), shown, 'and what is hidden stays as it is')
  }
})

t.test('messages', async (t) => {
  const cases = {
    'connect to http://u:hunter2@h:80/ failed, and to ws://x:hunter2@h/': 'connect to http://***@h:80/ failed, and to ws://***@h/',
    "url must name a host; got 'https:u:hunter2@'": "url must name a host; got 'https:***@'",
    'GET /a?q=1&key=hunter2 gave 500': 'GET /a?q=1&key=*** gave 500',
    'Authorization: Bearer hunter2': 'Authorization: ***',
    'sent Authorization: Basic aHVudGVyMg==, and got 401': 'sent Authorization: ***, and got 401',
    'Cookie: a=hunter2; b=hunter2': 'Cookie: ***',
    '{"password":"hun\\"ter2","user":"me"}': '{"password":"***","user":"me"}',
    "{ 'X-Key': 'hunter2', accept: 'text/plain' }": "{ 'X-Key': '***', accept: 'text/plain' }",
    'token=hunter2 and PASSWORD="hun ter2" and --api-key=hunter2': 'token=*** and PASSWORD="***" and --api-key=***',
    'with Bearer hunter2hunter2': 'with Bearer ***',
    'got eyJhbGciOi.eyJzdWIiOi.c2lnbmF0dXJl back': 'got *** back',
    'ended with code=1, at key=5': 'ended with code=1, at key=5',
    'connect ECONNREFUSED auth:3000': 'connect ECONNREFUSED auth:3000',
    'http://token-service:8080/ and http://session-api:3000': 'http://token-service:8080/ and http://session-api:3000',
    "the authorization: it must be a text; got '5'": "the authorization: it must be a text; got '5'",
    'sessions.calls must be a whole number; got 1.5': 'sessions.calls must be a whole number; got 1.5',
    '--session-calls must be 1 or more': '--session-calls must be 1 or more',
    'a mail to me@example.test: 5 of 7': 'a mail to me@example.test: 5 of 7'
  }
  for (const [text, shown] of Object.entries(cases)) {
    t.equal(withoutSecrets(text), shown, text)
    t.equal(withoutSecrets(shown), shown, 'and what is hidden stays as it is')
  }
})

t.test('commands', async (t) => {
  const words = ['node', 'server.js', '--password=hunter2', '--token', 'hunter2', '-u', 'me:hunter2', '-H', 'X-Key: hunter2', 'PGPASSWORD=hunter2', '--port', '80', '--verbose', '-U', 'me:hunter2', '-sEcert:hunter2', '-ume:hunter2', '--cert', 'c:hunter2', '-HA:b']
  const shown = ['node', 'server.js', '--password=***', '--token', '***', '-u', 'me:***', '-H', 'X-Key: ***', 'PGPASSWORD=***', '--port', '80', '--verbose', '-U', 'me:***', '-sEcert:***', '-ume:***', '--cert', 'c:***', '-HA:b']
  t.same(wordsWithoutSecrets(words), shown)
  t.equal(commandWithoutSecrets('node server.js --password hunter2 --port 80'), 'node server.js --password *** --port 80')
})

t.test('redaction takes linear time for any text', async (t) => {
  const pieces = [
    '?', '&a', '?key', 'key=', 'key="', "key='", 'key:', 'key: ', '"key": "', 'password', 'password: ', '://', ':////', 'http:', '@', 'a:b@', ' -', '--password ',
    'eyJaaaaa', '-eyJaaaaa', 'eyJaaaaa.a', 'Bearer ', '\\"', '%6B', 'Cookie: ', ';', '/a?b=c', 'x'
  ]
  const milliseconds = (text) => {
    const before = process.cpuUsage()
    withoutSecrets(text)
    urlWithoutSecrets(text)
    commandWithoutSecrets(text)
    return process.cpuUsage(before).user / 1000
  }
  // Each takes some ten milliseconds; quadratic time would be a minute.
  for (const piece of pieces) {
    const took = milliseconds(piece.repeat(2e5 / piece.length))
    t.ok(took < 3000, `${JSON.stringify(piece)}: ${took} ms`)
  }
})

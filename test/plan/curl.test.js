'use strict'

const t = require('tap')
const { createPlan } = require('../../lib/plan')
const fromCurl = require('../../lib/plan/curl')

const FORM = 'application/x-www-form-urlencoded'

t.test('what browsers copy for a POSIX shell', async (t) => {
  t.same(fromCurl(`curl 'https://example.test/api?x=1' \\
  -H 'accept: */*' \\
  -H 'cookie: a=1; b=2' \\
  -H 'x-quote: it'\\''s' \\
  --data-raw '{"a":1}' \\
  --compressed`), {
    url: 'https://example.test/api?x=1',
    method: 'POST',
    headers: { 'Content-Type': FORM, 'Accept-Encoding': 'deflate, gzip, br', accept: '*/*', cookie: 'a=1; b=2', 'x-quote': "it's" },
    body: '{"a":1}'
  })
  t.same(fromCurl("curl 'http://a.test/' --data-raw $'a\\u0021\\x41\\n\\'b'").body, "a!A\n'b")
})

t.test('what browsers copy for cmd.exe', async (t) => {
  t.same(fromCurl('curl ^"https://h.test/x?a=1^&b=2^" ^\r\n  -H ^"accept: application/json^" ^\r\n  --data-raw ^"^{^\\^"a^\\^":1^}^"'), {
    url: 'https://h.test/x?a=1&b=2', method: 'POST', headers: { 'Content-Type': FORM, accept: 'application/json' }, body: '{"a":1}'
  })
})

t.test('method, data, query, JSON, head, upload', async (t) => {
  t.match(fromCurl('curl -XDELETE h.test'), { url: 'http://h.test', method: 'DELETE' })
  t.match(fromCurl('curl -d a=1 --data b=2 h.test'), { method: 'POST', body: 'a=1&b=2' })
  t.same(fromCurl("curl -G 'h.test/p#f' -d x=1 --data-urlencode 'q=a b&c'"), { url: 'http://h.test/p?x=1&q=a%20b%26c#f' })
  t.same(fromCurl("curl --json '{}' h.test"), { url: 'http://h.test', method: 'POST', headers: { 'Content-Type': 'application/json', Accept: 'application/json' }, body: '{}' })
  t.same(fromCurl('curl -I h.test'), { url: 'http://h.test', method: 'HEAD' })
  t.same(fromCurl('curl h.test -X GET -d x').method, undefined, 'GET is the default')
})

t.test('data and forms from files', async (t) => {
  const file = `${t.testdir({ data: 'a\r\nb\n', 'part.txt': 'part' })}`
  t.equal(fromCurl(`curl h.test -d @${file}/data`).body, 'ab')
  t.equal(fromCurl(`curl h.test --data-binary @${file}/data`).body, 'a\r\nb\n')
  t.equal(fromCurl('curl h.test --data-raw @data').body, '@data')
  t.same(fromCurl(`curl h.test -T ${file}/data`), { url: 'http://h.test', method: 'PUT', body: 'a\r\nb\n' })
  const { form, method } = fromCurl(`curl h.test -F a=b -F 'c=@${file}/part.txt;type=text/plain;filename=x.txt' -F a=c --form-string 'd=@e' -F 'f=<${file}/part.txt'`)
  t.equal(method, 'POST')
  t.same(form, {
    a: [{ type: 'text', value: 'b' }, { type: 'text', value: 'c' }],
    c: { type: 'file', path: `${file}/part.txt`, options: { contentType: 'text/plain', filename: 'x.txt' } },
    d: { type: 'text', value: '@e' },
    f: { type: 'text', value: 'part' }
  })
})

t.test('a file is uploaded into a folder by its own name, and headers may be in a file', async (t) => {
  const folder = t.testdir({ 'a b.txt': 'x', headers: 'X-A: 1\r\n\nX-B: 2\n' })
  t.match(fromCurl(`curl -T '${folder}/a b.txt' h.test/in/`), { url: 'http://h.test/in/a%20b.txt', method: 'PUT', body: 'x' })
  for (const url of ['http://h.test/in', 'http://h.test/?a=/']) t.equal(fromCurl(`curl -T '${folder}/a b.txt' '${url}'`).url, url)
  t.same(fromCurl(`curl h.test -H '@${folder}/headers'`).headers, { 'X-A': '1', 'X-B': '2' })
})

t.test('headers: empty, removed, several, those of other options', async (t) => {
  t.same(fromCurl("curl h.test -u me:pw -A agent -e ref -b a=1 -b b=2 -H 'X-Empty;' -H 'User-Agent:' -H 'X: 1' -H 'x: 2'").headers, {
    Authorization: 'Basic bWU6cHc=', Referer: 'ref', Cookie: 'a=1; b=2', 'X-Empty': '', X: ['1', '2']
  })
  t.same(fromCurl('curl h.test --oauth2-bearer abc').headers, { Authorization: 'Bearer abc' })
})

t.test('the way to the server', async (t) => {
  t.same(fromCurl('curl --unix-socket /tmp/x http://h.test/p'), { url: 'http://h.test/p', socketPath: '/tmp/x' })
  t.match(fromCurl('curl -x proxy.test:3128 h.test -m 2.5 -L -k'), { proxy: 'http://proxy.test:3128', timeout: 2.5, followRedirects: 50, tlsOptions: { rejectUnauthorized: false } })
  t.equal(fromCurl('curl -L --max-redirs 3 h.test').followRedirects, 3)
  t.same(fromCurl('curl --http2 h.test'), { url: 'http://h.test', http2: true })
  t.same(fromCurl('curl --http2 --http1.1 h.test -r 0-9'), { url: 'http://h.test', headers: { Range: 'bytes=0-9' } })
})

t.test('what changes nothing of the request is named', async (t) => {
  const options = fromCurl('curl -sSL -o /dev/null --retry 3 -w "%{time_total}" h.test')
  t.same(options.ignored, ['-s', '-S', '-o', '--retry', '-w'])
  t.notOk(Object.keys(options).includes('ignored'))
})

t.test('what cannot be used is one sentence', async (t) => {
  const bad = {
    'wget h.test': /must begin with curl/,
    curl: /no URL/,
    'curl a b': /2 URLs/,
    "curl 'a": /without its second one/,
    'curl --heade x h': /--heade is not understood: did you mean --head/,
    'curl -Z h': /-Z is not understood/,
    'curl h -d': /-d needs a value/,
    'curl a --next b': /several requests/,
    'curl h -b jar.txt': /file of cookies/,
    'curl h --cacert no-such-file': /does not exist/,
    'curl h -F x': /no name and no equals sign/,
    'curl h -H nonsense': /is no header/,
    'curl h -d a -F b=c': /one body/
  }
  for (const [line, why] of Object.entries(bad)) {
    t.throws(() => fromCurl(line), { code: 'CANNONADE_BAD_OPTION', message: why }, line)
  }
  for (const value of [5, undefined, null, {}]) t.throws(() => fromCurl(value), { code: 'CANNONADE_BAD_OPTION' })
})

t.test('a plan takes them as they are', async (t) => {
  const { plan } = createPlan(fromCurl("curl 'http://h.test/p' -H 'a: 1' -d x"))
  t.match(plan.requests[0], { method: 'POST', headers: [['Content-Type', FORM], ['a', '1']] })
})

'use strict'

const fs = require('node:fs')
const os = require('node:os')
const tls = require('node:tls')
const { isDeepStrictEqual } = require('node:util')
const t = require('tap')
const { createPlan } = require('../../lib/plan')
const fromCurl = require('../../lib/inputs/curl')

const FORM = 'application/x-www-form-urlencoded'

t.test('commands that browsers copy for a POSIX shell', async (t) => {
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
  for (const end of ['\n', '\r\n']) t.match(fromCurl(`curl a.te\\${end}st/ \\${end} -d x \\${end}`), { url: 'http://a.test/', body: 'x' })
  t.same(fromCurl("curl 'http://a.test/' --data-raw $'a\\u0021\\x41\\n\\'b'").body, "a!A\n'b")
})

t.test('commands that browsers copy for cmd.exe', async (t) => {
  t.same(fromCurl('curl ^"https://h.test/x?a=1^&b=2^" ^\r\n  -H ^"accept: application/json^" ^\r\n  --data-raw ^"^{^\\^"a^\\^":1^}^"'), {
    url: 'https://h.test/x?a=1&b=2', method: 'POST', headers: { 'Content-Type': FORM, accept: 'application/json' }, body: '{"a":1}'
  })
})

t.test('method, data, query, JSON, head, upload', async (t) => {
  t.match(fromCurl('curl -XDELETE h.test'), { url: 'http://h.test', method: 'DELETE' })
  t.match(fromCurl('curl -d a=1 --data b=2 h.test'), { method: 'POST', body: 'a=1&b=2' })
  t.same(fromCurl("curl -G 'h.test/p#f' -d x=1 --data-urlencode 'q=a b&c'"), { url: 'http://h.test/p?x=1&q=a%20b%26c#f' })
  t.same(fromCurl("curl -G 'h.test/p?x=1' --url-query a=b"), { url: 'http://h.test/p?x=1&a=b' }, 'without data')
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

t.test('a file uploaded into a folder keeps its name, and headers may come from a file', async (t) => {
  const folder = t.testdir({ 'a b.txt': 'x', headers: 'X-A: 1\r\n\nX-B: 2\n' })
  t.match(fromCurl(`curl -T '${folder}/a b.txt' h.test/in/`), { url: 'http://h.test/in/a%20b.txt', method: 'PUT', body: 'x' })
  for (const url of ['http://h.test/in', 'http://h.test/?a=/']) t.equal(fromCurl(`curl -T '${folder}/a b.txt' '${url}'`).url, url)
  t.same(fromCurl(`curl h.test -H '@${folder}/headers'`).headers, { 'X-A': '1', 'X-B': '2' })
})

t.test('headers: empty, removed, repeated, and those set by other options', async (t) => {
  t.same(fromCurl("curl h.test -u me:pw -A agent -e ref -b a=1 -b b=2 -H 'X-Empty;' -H 'User-Agent:' -H 'X: 1' -H 'x: 2'").headers, {
    Authorization: 'Basic bWU6cHc=', Referer: 'ref', Cookie: 'a=1; b=2', 'X-Empty': '', X: ['1', '2']
  })
  t.same(fromCurl('curl h.test --oauth2-bearer abc').headers, { Authorization: 'Bearer abc' })
})

t.test('addresses, proxies and TLS', async (t) => {
  t.same(fromCurl('curl --unix-socket /tmp/x http://h.test/p'), { url: 'http://h.test/p', socketPath: '/tmp/x' })
  t.match(fromCurl('curl -x proxy.test:3128 h.test -m 2.5 -L -k'), { proxy: 'http://proxy.test:3128', timeout: 2.5, followRedirects: 50, tlsOptions: { rejectUnauthorized: false } })
  t.equal(fromCurl('curl -L --max-redirs 3 h.test').followRedirects, 3)
  t.same(fromCurl('curl --http2 h.test'), { url: 'http://h.test', http2: true })
  t.same(fromCurl('curl --http2 --http1.1 h.test -r 0-9'), { url: 'http://h.test', headers: { Range: 'bytes=0-9' } })
})

t.test('what a value that is encoded may contain unchanged, and what is sent of a redirected request', async (t) => {
  const plain = 'AZaz09._~-'
  t.equal(fromCurl(`curl h.test --data-urlencode '${plain}=${plain}!*()/:'`).body, `${plain}=${plain}%21%2A%28%29%2F%3A`)
  t.equal(fromCurl(`curl h.test --url-query 'q=${plain} +'`).url, `http://h.test?q=${plain}%20%2B`)
  const both = fromCurl('curl -G -d a=1 --url-query b=2 -d c=3 --url-query d=4 h.test?e=5')
  t.same([both.url, both.ignored], ['http://h.test?e=5&a=1&c=3', ['--url-query', '--url-query']], 'curl uses either')
  for (const flag of ['--post301', '--post302', '--post303']) {
    t.same(fromCurl(`curl -L ${flag} h.test`).ignored, [flag], 'a GET stays a GET')
    t.same(fromCurl(`curl ${flag} -d x h.test`).ignored, [flag], 'no redirect is followed')
    t.same(fromCurl(`curl -L ${flag} -X PUT -d x h.test`).ignored, [flag])
    t.throws(() => fromCurl(`curl -L ${flag} -d x h.test`), { message: new RegExp(`${flag} is not supported`) })
  }
})

t.test('bytes stay bytes, and become text if they are UTF-8', async (t) => {
  const body = (quoted) => fromCurl(`curl h.test -d $'${quoted}'`).body
  t.equal(body('\\xc3\\xa9'), 'é')
  t.equal(body('\\303\\251 \\u00e9 \\U0001F600 \\ud83d\\ude00'), 'é é 😀 😀')
  t.same(body('a\\xffb\\xc3'), Buffer.from([0x61, 0xff, 0x62, 0xc3]))
  t.same(body("\\xc3'$'\\xa9'$'\\xe2\\x82"), Buffer.from([0xc3, 0xa9, 0xe2, 0x82]), 'one word in pieces')
  t.same(body('a\\777\\400b'), Buffer.from([0x61, 0xff, 0x00, 0x62]), 'a byte has eight bits')
  t.equal(body('\\q\\cA\\x\\e\\7\\1012'), '\\q\x01\\x\x1b\x07A2')
  t.same(fromCurl("curl h.test/é/$'\\xff' -H $'X: \\xc3\\xa9\\xff' -u $'\\xff:p'"), {
    url: 'http://h.test/é/%FF', headers: { Authorization: 'Basic /zpw', X: '\xc3\xa9\xff' }
  })
  t.equal(fromCurl("curl -G h.test -d $'q=\\xff'").url, 'http://h.test?q=%FF')
  t.equal(fromCurl("curl h.test --data-urlencode $'q=\\xffé*'").body, 'q=%FF%C3%A9%2A')
})

t.test('other options that change the request', async (t) => {
  const folder = t.testdir({ upload: 'a\nb\n', bytes: Buffer.from('\xff\n\xfe', 'latin1') })
  t.equal(fromCurl("curl --json '{\"a\":' --json 1} h.test").body, '{"a":1}', 'JSON in parts')
  t.equal(fromCurl(`curl --crlf -T ${folder}/upload h.test`).body, 'a\r\nb\r\n')
  t.same(fromCurl(`curl --crlf -T ${folder}/bytes h.test`).body, Buffer.from('\xff\r\n\xfe', 'latin1'))
  t.match(fromCurl(`curl -I -T ${folder}/upload h.test`), { method: 'HEAD', body: 'a\nb\n' })
  t.same(fromCurl("curl --path-as-is 'http://h.test\\a/../b'").requests, [{ path: '/\\a/../b' }], 'a backslash ends the host as a slash does')
  t.same(fromCurl('curl --request-target * --path-as-is h.test/../a'), { url: 'http://h.test/../a', requests: [{ path: '*' }] })
  t.same(fromCurl('curl --path-as-is http://h.test/../a?b#c').requests, [{ path: '/../a?b' }])
  t.same(fromCurl("curl h.test -b '' -A '' -e ';auto'"), { url: 'http://h.test', cookies: true })
  t.same(fromCurl('curl h.test -C 5 -z 2022-01-01').headers, { Range: 'bytes=5-', 'If-Modified-Since': 'Sat, 01 Jan 2022 00:00:00 GMT' })
  t.same(fromCurl('curl -L --no-location --compressed --no-compressed -k --no-insecure h.test'), { url: 'http://h.test' })
})

t.test('other ways to reach the server', async (t) => {
  const way = (flags, url = 'https://u:p@h.test/x?y#z') => fromCurl(`curl ${flags} '${url}'`)
  t.same(way('--resolve h.test:443:10.0.0.1,10.0.0.2'), { url: 'https://u:p@10.0.0.1:443/x?y#z', headers: { Host: 'h.test' }, servername: 'h.test' })
  t.same(way('--resolve +*:443:[::1] --resolve H.test:80:10.0.0.1').url, 'https://u:p@[::1]:443/x?y#z')
  t.same(way('--resolve h.test:443:10.0.0.1 --resolve -h.test:443').url, 'https://u:p@h.test/x?y#z')
  t.same(way('--connect-to h.test:443:other:8443 --resolve other:8443:10.0.0.3 -H Host:own'), { url: 'https://u:p@10.0.0.3:8443/x?y#z', headers: { Host: 'own' }, servername: 'h.test' })
  t.same(way('--connect-to :::81', 'http://h.test:82/'), { url: 'http://h.test:81/', headers: { Host: 'h.test:82' } })
  t.same(way('-x proxy.test', 'http://h.test').proxy, 'http://proxy.test:1080', "curl's port")
  t.same(way('-x http://[::1] -U me', 'http://h.test').proxy, 'http://me:@[::1]:1080')
  t.same(way("-x '' -U me:x", 'http://h.test'), { url: 'http://h.test' })
  t.same(way('--tlsv1.2 --tls-max 1.3 -k').tlsOptions, { minVersion: 'TLSv1.2', maxVersion: 'TLSv1.3', rejectUnauthorized: false })
  t.same(way('--interface host!127.0.0.1').localAddress, '127.0.0.1')
  t.match(createPlan(way('--resolve h.test:443:10.0.0.1')).plan, { targets: [{ hostname: '10.0.0.1', servername: 'h.test' }], requests: [{ headers: [['Host', 'h.test']] }] })
  t.same(way('--resolve other:80:10.0.0.1 --proxy-user a:b --proxytunnel').ignored, ['--proxy-user', '--proxytunnel', '--resolve other:80:10.0.0.1'])
})

t.test('where a connection goes: each part of a rule that is empty stays that of the URL', async (t) => {
  const differing = []
  const urls = [['http', 'h.test', 80], ['http', 'h.test', 8080], ['https', 'h.test', 443], ['https', 'h.test', 8443]]
  const port = (number) => number === null ? '' : number
  for (const [scheme, host, own] of urls) {
    const authority = own === (scheme === 'http' ? 80 : 443) ? host : `${host}:${own}`
    const rules = ['', host, 'x'].flatMap((fromHost) => [null, own, 81].flatMap((fromPort) => ['', 'b'].flatMap((toHost) => [null, 9].map((toPort) => [fromHost, fromPort, toHost, toPort]))))
    for (const [fromHost, fromPort, toHost, toPort] of rules) {
      const rule = `${fromHost}:${port(fromPort)}:${toHost}:${port(toPort)}`
      const isTaken = fromHost !== 'x' && fromPort !== 81
      const to = isTaken ? { host: toHost || host, port: toPort ?? own } : { host, port: own }
      for (const [known, address] of [[null, null], [`${to.host}:${to.port}`, '10.0.0.1'], [`*:${to.port}`, '10.0.0.2'], [`${to.host}:${to.port + 1}`, null]]) {
        const options = fromCurl(`curl --connect-to ${rule}${known === null ? '' : ` --resolve ${known}:${address ?? '10.0.0.3'}`} ${scheme}://${authority}/x`)
        const reached = { host: address ?? to.host, port: to.port }
        const isSame = reached.host === host && reached.port === own
        const expected = {
          url: `${scheme}://${isSame ? authority : `${reached.host}:${reached.port}`}/x`,
          ...(!isSame && { headers: { Host: authority } }),
          ...(!isSame && scheme === 'https' && { servername: host })
        }
        const ignored = [...(isTaken ? [] : [`--connect-to ${rule}`]), ...(known === null || address !== null ? [] : [`--resolve ${known}:10.0.0.3`])]
        if (!isDeepStrictEqual([{ ...options }, options.ignored], [expected, ignored])) differing.push([scheme, own, rule, known, { ...options }, options.ignored])
      }
    }
  }
  t.same(differing, [])
})

t.test('bytes and characters that are written with few digits, or encoded as such', async (t) => {
  const body = (quoted) => fromCurl(`curl h.test --data-raw $'${quoted}'`).body
  const cases = { '\\u41b': '\u041b', '\\u41 \\u9x \\U41 \\U1f600': 'A \tx A 😀', '\\x9\\x4a\\x4A1': '\tJJ1', '\\18\\9\\1012': '\x018\\9A2', '\\c[\\n\\?\\v': '\x1b\n?\v', '\\u': '\\u', '\\xg': '\\xg' }
  for (const [quoted, text] of Object.entries(cases)) t.equal(body(quoted), text, quoted)
  t.equal(fromCurl("curl h.test --data-urlencode $'a=\\x01\\t\\n\\x10\\x7f'").body, 'a=%01%09%0A%10%7F')
  t.equal(fromCurl("curl 'h.test?x' --url-query $'q=\\t\\xff'").url, 'http://h.test?x&q=%09%FF')
  t.equal(fromCurl("curl -x p -U $'a\\tb:c\\nd:e' h.test").proxy, 'http://a%09b:c%0Ad%3Ae@p:1080')
})

t.test('a wildcard is for its own port', async (t) => {
  const urlOf = (...rules) => fromCurl(`curl ${rules.map((rule) => `--resolve ${rule}`).join(' ')} http://h.test/`).url
  t.same([urlOf('*:80:10.0.0.1'), urlOf('*:81:10.0.0.1'), urlOf('*:80:10.0.0.1', '*:81:10.0.0.2'), urlOf('*:81:10.0.0.2', '*:80:10.0.0.1'), urlOf('*:80:10.0.0.1', '-*:80'), urlOf('h.test:81:10.0.0.3', '*:80:10.0.0.1'), urlOf('x.test:80:10.0.0.3')],
    ['http://10.0.0.1:80/', 'http://h.test/', 'http://10.0.0.1:80/', 'http://10.0.0.1:80/', 'http://h.test/', 'http://10.0.0.1:80/', 'http://h.test/'])
})

t.test('a path as it is, only if it differs from the one of the URL', async (t) => {
  const pathOf = (url) => fromCurl(`curl --path-as-is '${url}'`).requests?.[0].path
  const cases = { 'h.test': undefined, 'h.test/': undefined, 'h.test/a?b=/../c': undefined, 'http://h.test:80/a#b': undefined, 'h.test/a/../b': '/a/../b', 'h.test/./a?b#c': '/./a?b', 'h.test/%2e%2e/a': '/%2e%2e/a' }
  t.same(Object.keys(cases).map(pathOf), Object.values(cases))
})

t.test('how quotes in a form are escaped matters only if there are any', async (t) => {
  const file = `${t.testdir({ part: '' })}/part`
  for (const field of ['a=b"c', `a=@${file}`, `a=@${file};filename=x`]) t.same(fromCurl(`curl --form-escape -F '${field}' h.test`).ignored, ['--form-escape'])
  for (const field of ['a"=b', 'a\\=b', `a=@${file};filename="x\\"y"`, `a=@${file};filename="x\\\\y"`]) {
    t.throws(() => fromCurl(`curl --form-escape -F '${field}' h.test`), { message: /--form-escape is not supported/ }, field)
    t.doesNotThrow(() => fromCurl(`curl --form-escape --no-form-escape -F '${field}' h.test`))
  }
})

t.test('of a folder of authorities, the certificates', async (t) => {
  const certificate = (name) => `-----BEGIN CERTIFICATE-----${name}`
  const folder = t.testdir({ 'a.pem': certificate('a'), 'b.0': certificate('b'), 'key.pem': '-----BEGIN PRIVATE KEY-----', 'list.txt': 'a, b', within: { 'c.pem': certificate('c') } })
  const { ca, rejectUnauthorized } = fromCurl(`curl --capath ${folder} https://h.test`).tlsOptions
  t.same([ca.map(String).sort(), rejectUnauthorized], [[certificate('a'), certificate('b')], true])
  t.same(fromCurl(`curl --capath ${folder} --cacert ${folder}/b.0 https://h.test`).tlsOptions.ca.map(String).sort(), [certificate('a'), certificate('b'), certificate('b')])
  t.match(fromCurl(`curl --cacert ${folder}/a.pem -k https://h.test`).tlsOptions, { ca: Buffer.from(certificate('a')), rejectUnauthorized: false })
})

t.test('certificates with and without their keys, and in one file', async (t) => {
  const text = { cert: 'a certificate', key: '-----BEGIN PRIVATE KEY-----', both: 'a certificate and its PRIVATE KEY', p12: 'both, and PRIVATE KEY somewhere', 'a:b': 'a colon' }
  const folder = t.testdir(text)
  const of = (flags) => {
    const { tlsOptions } = fromCurl(`curl ${flags.replaceAll('@', `${folder}/`)} https://h.test`)
    return Object.fromEntries(Object.entries(tlsOptions).map(([name, value]) => [name, value.toString()]))
  }
  t.same(of('-E @cert'), { cert: text.cert })
  t.same(of('-E @cert --key @key'), { cert: text.cert, key: text.key })
  t.same(of('-E @both'), { cert: text.both, key: text.both })
  t.same(of('-E @both --key @key'), { cert: text.both, key: text.key }, 'a key of its own')
  t.same(of('--cert-type p12 -E @p12:secret'), { pfx: text.p12, passphrase: 'secret' })
  t.same(of('--cert-type P12 --key @key -E @p12'), { pfx: text.p12 })
  t.same(of("-E '@a\\:b:c:d'"), { cert: text['a:b'], passphrase: 'c:d' })
})

t.test('dates are in UTC unless they say otherwise', async (t) => {
  const { TZ } = process.env
  t.teardown(() => {
    if (TZ === undefined) delete process.env.TZ
    else process.env.TZ = TZ
  })
  process.env.TZ = 'America/New_York'
  const noon = 'Sat, 01 Jan 2022 12:00:00 GMT'
  for (const date of ['2022-01-01 12:00', '20220101 12:00:00', '1 Jan 2022 12:00', '2022-01-01T12:00Z', '2022-01-01 13:30 +0130', '2022-01-01 13:30 +01:30', '2022-01-01T07:00:00-05:00', 'Sat, 01 Jan 2022 07:00:00 EST', noon]) {
    t.same(fromCurl(`curl h.test -z '${date}'`).headers, { 'If-Modified-Since': noon }, date)
    t.same(fromCurl(`curl h.test -z '-${date}'`).headers, { 'If-Unmodified-Since': noon }, date)
  }
})

t.test('a file as a date is when it was last written', async (t) => {
  const file = `${t.testdir({ old: '' })}/old`
  fs.utimesSync(file, new Date('2030-05-05T05:05:05Z'), new Date('2021-02-03T04:05:06Z'))
  t.same(fromCurl(`curl h.test -z ${file}`).headers, { 'If-Modified-Since': 'Wed, 03 Feb 2021 04:05:06 GMT' })
})

t.test('of several rules for an address, those that do not apply are reported', async (t) => {
  const of = (flags) => {
    const options = fromCurl(`curl ${flags} http://h.test/`)
    return [options.url, options.proxy, options.ignored]
  }
  t.same(of('--connect-to x:80:a:1 --connect-to h.test:80:b:2 --connect-to ::c:3'), ['http://b:2/', undefined, ['--connect-to x:80:a:1', '--connect-to ::c:3']])
  t.same(of('--connect-to h.test:81:a:1'), ['http://h.test/', undefined, ['--connect-to h.test:81:a:1']])
  t.same(of('--resolve h.test:80:10.0.0.1 --resolve *:80:10.0.0.2 --resolve h.test:80:10.0.0.3'), ['http://10.0.0.3:80/', undefined, ['--resolve h.test:80:10.0.0.1', '--resolve *:80:10.0.0.2']])
  t.same(of('-x http://a:b@p -U c:d --resolve h.test:80:10.0.0.1'), ['http://h.test/', 'http://a:b@p:1080', ['-U', '--resolve h.test:80:10.0.0.1']])
  t.same(of('-x p --resolve p:1080:10.0.0.4 -U c'), ['http://h.test/', 'http://c:@10.0.0.4:1080', []])
  t.same(of('-x p --noproxy h.test --proxy-user c:d'), ['http://h.test/', undefined, ['--proxy-user']])
})

t.test('ciphers of one TLS version leave those of the others unchanged', async (t) => {
  const of = (flags) => fromCurl(`curl ${flags} https://h.test`).tlsOptions.ciphers
  const usual = tls.DEFAULT_CIPHERS.split(':')
  const [newer, older] = [usual.filter((name) => name.startsWith('TLS_')), usual.filter((name) => !name.startsWith('TLS_'))]
  t.ok(newer.length > 1 && older.length > 1)
  t.equal(of('--tls13-ciphers TLS_AES_128_GCM_SHA256'), ['TLS_AES_128_GCM_SHA256', ...older].join(':'))
  t.equal(of('--ciphers AES128-SHA'), [...newer, 'AES128-SHA'].join(':'))
  t.equal(of('--ciphers AES128-SHA --tls13-ciphers TLS_AES_128_GCM_SHA256'), 'TLS_AES_128_GCM_SHA256:AES128-SHA')
})

t.test('the type and name of each part of a form', async (t) => {
  const file = `${t.testdir({ part: 'of a file' })}/part`
  const both = { contentType: 'a/b', filename: 'c;d' }
  const flags = ['a=text', `b=@${file}`, `c=<${file}`].map((field) => `-F '${field};filename="c;d";type=a/b'`)
  t.same(fromCurl(`curl h.test ${flags.join(' ')} -F 'd=x;type=a/b' --form-string 'e=y;type=a/b'`).form, {
    a: { type: 'text', value: 'text', options: both },
    b: { type: 'file', path: file, options: both },
    c: { type: 'text', value: 'of a file', options: both },
    d: { type: 'text', value: 'x', options: { contentType: 'a/b' } },
    e: { type: 'text', value: 'y;type=a/b' }
  })
})

t.test('the address of an interface is of the same IP version as the server', async (t) => {
  const { networkInterfaces } = os
  t.teardown(() => { os.networkInterfaces = networkInterfaces })
  const [v4, v6] = [{ family: 'IPv4', address: '10.0.0.7' }, { family: 'IPv6', address: 'fd00::7' }]
  os.networkInterfaces = () => ({ eth7: [v6, v4], eth4: [v4], eth6: [v6] })
  const addressFor = (name, host) => fromCurl(`curl --interface ${name} http://${host}/`).localAddress
  for (const [name, host, address] of [['eth7', 'h.test', v4], ['eth7', '10.0.0.1', v4], ['eth7', '[fd00::1]', v6], ['if!eth7', '[fd00::1]', v6], ['eth4', 'h.test', v4], ['eth6', '[::1]', v6], ['host!10.0.0.9', 'h.test', { address: '10.0.0.9' }]]) {
    t.equal(addressFor(name, host), address.address, `${name} ${host}`)
  }
  for (const [name, host] of [['eth4', '[::1]'], ['eth6', 'h.test'], ['eth8', 'h.test']]) t.throws(() => addressFor(name, host), { code: 'CANNONADE_BAD_OPTION', message: name })
})

t.test('which hosts are exempt from the proxy', async (t) => {
  const isExempt = (host, list) => fromCurl(`curl -x p.test --noproxy '${list}' http://${host}/`).proxy === undefined
  const cases = [
    ['h.test', 'h.test', true], ['a.h.test', 'h.test', true], ['a.h.test', '.h.test', true], ['h.test', '.h.test', true], ['H.Test', 'x, h.TEST', true], ['h.test', '*', true],
    ['ah.test', 'h.test', false], ['h.test.x', 'h.test', false], ['h.test', 'a.h.test', false], ['h.test', 'test2', false], ['h.test', '', false],
    ['10.1.2.3', '10.1.2.3', true], ['10.1.2.3', '10.1.0.0/16', true], ['10.2.2.3', '10.1.0.0/16', false], ['110.1.2.3', '10.1.2.3', false],
    ['10.1.2.3', '10.1.0.0/33', false], ['[::1]', '::1', true], ['[fe80::1]', 'fe80::/10', true], ['[fe80::1]', '10.0.0.0/8', false]
  ]
  t.same(cases.map(([host, list]) => [host, list, isExempt(host, list)]), cases)
})

t.test('of options that contradict each other, the one that curl uses', async (t) => {
  const folder = t.testdir({ 'a.pem': 'first', 'b.pem': 'second' })
  const of = (flags, url = 'https://h.test/') => fromCurl(`curl ${flags} ${url}`)
  t.same([of('-L').followRedirects, of('-L --max-redirs 0').followRedirects, of('-L --max-redirs -1').followRedirects, of('-L --max-redirs 1').followRedirects], [50, 0, 50, 1])
  t.equal(of(`-E ${folder}/a.pem:own`).tlsOptions.passphrase, 'own')
  t.equal(of(`-E ${folder}/a.pem:own --pass given`).tlsOptions.passphrase, 'given')
  t.equal(of(`--pass given -E ${folder}/a.pem:own`).tlsOptions.passphrase, 'given')
  t.same(of(`-E ${folder}/a.pem -E ${folder}/b.pem`).tlsOptions.cert, Buffer.from('second'))
  t.same(of('-u a:b -u c:d').headers, { Authorization: `Basic ${Buffer.from('c:d').toString('base64')}` })
  t.same(of('-X PUT -X PATCH').method, 'PATCH')
  t.same(of('--tlsv1.2 --tlsv1.3').tlsOptions, { minVersion: 'TLSv1.3' })
  t.same(of('-x http://a:b@p -U c:d', 'http://h.test').proxy, 'http://a:b@p:1080')
})

t.test('options that do not change the request are reported', async (t) => {
  const options = fromCurl('curl -sSL -o /dev/null --retry 3 -w "%{time_total}" h.test')
  t.same(options.ignored, ['-s', '-S', '-o', '--retry', '-w'])
  t.notOk(Object.keys(options).includes('ignored'))
})

t.test('unusable commands give one sentence', async (t) => {
  const bad = {
    'wget h.test': /must begin with curl/,
    curl: /no URL/,
    'curl a b': /2 URLs/,
    "curl 'a": /that is not closed/,
    'curl --heade x h': /--heade is not supported: did you mean --head/,
    'curl -W h': /-W is not supported/,
    'curl --digest h': /--digest is not supported: authentication is Basic/,
    'curl -0 h': /-0 is not supported/,
    'curl --no-data h': /--no-data is not supported/,
    'curl h -H Host:': /must name its host/,
    'curl --resolve h:80 h': /--resolve 'h:80' is not HOST:PORT:ADDRESS/,
    'curl --connect-to h h': /is not HOST1:PORT1:HOST2:PORT2/,
    'curl -x p --connect-to h:80:i:81 h': /--connect-to together with a proxy/,
    'curl -p -x p h': /-p is not supported for http/,
    'curl -x p --proxy-header a:b https://h': /--proxy-header is not supported for https/,
    'curl -L --post301 -d x h': /--post301 is not supported/,
    'curl --tls-max 2 https://h': /--tls-max must be default or one of 1.0, /,
    'curl --interface nowhere h': /neither an address nor an interface/,
    'curl -z soon h': /neither a date nor a file/,
    "curl -F 'a=b;encoder=base64' h": /;encoder= is not supported/,
    "curl -F $'a=\\xff' h": /not UTF-8/,
    'curl --form-escape -F \'a"b=c\' h': /--form-escape is not supported/,
    'curl h -d': /-d needs a value/,
    'curl a --next b': /several requests/,
    'curl h -b jar.txt': /is a cookie file/,
    'curl h --cacert no-such-file': /does not exist/,
    'curl h -F x': /no name and no equals sign/,
    'curl h -H nonsense': /is not a header/,
    'curl h -d a -F b=c': /one body/
  }
  for (const [line, why] of Object.entries(bad)) {
    t.throws(() => fromCurl(line), { code: 'CANNONADE_BAD_OPTION', message: why }, line)
  }
  for (const value of [5, undefined, null, {}]) t.throws(() => fromCurl(value), { code: 'CANNONADE_BAD_OPTION' })
})

t.test('a plan accepts the options as they are', async (t) => {
  const { plan } = createPlan(fromCurl("curl 'http://h.test/p' -H 'a: 1' -d x"))
  t.match(plan.requests[0], { method: 'POST', headers: [['Content-Type', FORM], ['a', '1']] })
})

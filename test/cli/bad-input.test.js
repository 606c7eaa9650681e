'use strict'

const t = require('tap')
const path = require('node:path')
const { parseArguments } = require('../..')
const { runCommand } = require('./command')

const URL = 'http://127.0.0.1:1'
const pem = (name) => path.join(__dirname, '../support/certs', name)

// What the command line itself refuses, by how the sentence begins.
const REFUSED = [
  [['--conections', '5', URL], '--conections is unknown: did you mean --connections?'],
  [['--maxConectionRequests=5', URL], '--maxConectionRequests is unknown: did you mean --max-connection-requests?'],
  [['--no-progres', URL], '--no-progres is unknown: did you mean --no-progress?'],
  [['--zzz', URL], '--zzz is unknown: cannonade --help lists the options'],
  [['-connections', '5', URL], '-connections is unknown: did you mean --connections?'],
  [['-cert=x', URL], '-cert is unknown: did you mean --cert?'],
  [['-A', '5', URL], '-A is unknown: did you mean -a?'],
  [['-z', URL], '-z is unknown: cannonade --help lists the options'],
  [['-jz', URL], '-z is unknown: cannonade --help lists the options'],
  [['-Ünicode', URL], '-Ü is unknown'],
  [[URL, '-c'], '-c needs a value: NUM'],
  [['-c', '-d', '5', URL], "-c needs a value, NUM, but '-d' follows (a value that starts with a dash is written as -c=VALUE)"],
  [['--body', '--x', URL], "--body needs a value, BODY, but '--x' follows (a value that starts with a dash is written as --body=VALUE)"],
  [['--json=maybe', URL], "--json must be true or false, but it is 'maybe'"],
  [['-H', 'no sign', URL], 'An HTTP header was not correctly formatted: no sign'],
  [['-H', '=value', URL], 'An HTTP header was not correctly formatted: =value'],
  [['-c', '1..5', URL], "connections must be a number, or FROM..TO/SEC such as 10..100/30s, but it is '1..5'"],
  [['--bursts', '100', URL], "bursts must be SIZE/SEC, such as 100/5s, but it is '100'"],
  [['-W', '[', '-c', '1', URL], '-W has a [ without its ]'],
  [['-W', '[', '-x', ']', URL], '-x is unknown: a warm-up is given as [ -c NUM -d SEC ]'],
  [['-W', '[ 3s ]', URL], "warmup must be a number of seconds, or [ -c NUM -d SEC ], but it is '[ 3s ]'"],
  [['-b', 'x', '-i', __filename, URL], 'body and input cannot be given together: there is one body'],
  [['-i', '/nowhere/body', URL], "Failed to load input file: '/nowhere/body': it does not exist"],
  [['--cert', __dirname, URL], `Failed to load cert file: '${__dirname}': it is a folder`],
  [['--key', '/nowhere/key', URL], "Failed to load key file: '/nowhere/key': it does not exist"],
  [['--ca', pem('client-key.pem'), URL], `ca must be a file with certificates in PEM, but '${pem('client-key.pem')}' holds none`],
  [['--ca', '[', pem('ca-cert.pem'), '/nowhere/ca', ']', URL], "Failed to load ca file: '/nowhere/ca': it does not exist"]
]

for (const [argv, sentence] of REFUSED) {
  t.test(`parseArguments refuses ${argv.join(' ')}`, async (t) => {
    const error = await Promise.resolve().then(() => parseArguments(argv)).catch((error) => error)
    t.match(error, { name: 'CannonadeError', code: 'CANNONADE_BAD_OPTION', message: sentence })
    t.type(error.option, 'string')
  })
}

// Through the whole command, those first that only the run itself can refuse.
const IN_ONE_LINE = [
  [['-c', 'many', URL], /^connections must be .*'many'/],
  [['-d', 'soon', URL], /^duration entered was in an invalid format/],
  [['-t', '0', URL], /^timeout must be greater than 0/],
  [['-c', '9..1/5', URL], /^connections\.to must be/],
  [['-m', 'CONNECT', URL], /^CONNECT HTTP method is not supported/],
  [['-R', '5', '--stages', '1s:5', URL], /^stages and overallRate cannot be given together/],
  [['--cert', pem('client-cert.pem'), '--key', pem('server-key.pem'), URL], /^tlsOptions must be .*key values mismatch/],
  [['-H', 'A: 1\nB: 2', URL], /^headers\['A'\] must be .*control characters/],
  [['--verify-body', '/nowhere/hook.js', URL], /^verifyBody could not be loaded from '\/nowhere\/hook\.js': it does not exist$/],
  [['-w', '2', '-c', '2', '--setup-client', '/nowhere/hook.js', URL], /^setupClient could not be loaded from '\/nowhere\/hook\.js': it does not exist$/],
  [['--verify-body', __dirname, URL], /^verifyBody could not be loaded from '.*': it is a folder$/],
  [['ftp://127.0.0.1', '-j'], /^url must start with http/],
  [['/only/a/path'], /^url must name a host: a path alone needs the environment variable PORT/],
  [[''], /^url or socketPath option required/],
  [[' '], /^url must name a host, but it is ' '$/],
  [['http://'], /^url must name a host, but it is 'http:\/\/'$/],
  [['--conections', '5', URL], /^--conections is unknown: did you mean --connections\?$/],
  [['-T', 'bell\u0007', '--zzz\u001b[2J', URL], /^--zzz is unknown/],
  [['serve', '--prot', '5'], /^--prot is unknown: did you mean --port\?$/],
  [['serve', '--zzz'], /^--zzz is unknown: cannonade serve --help lists the options$/],
  [['serve', '8080'], /^cannonade serve takes options only, but '8080' is none: the port is --port PORT$/],
  [['serve', '--port', '99999'], /^port must be a whole number from 0 to 65535/],
  [['serve', '--error-rate', '150%'], /^errorRate must be/]
]

for (const [argv, sentence] of IN_ONE_LINE) {
  t.test(`one line and exit code 2: ${JSON.stringify(argv)}`, async (t) => {
    const { code, stdout, stderr } = await runCommand(t, argv)
    t.equal(code, 2)
    t.equal(stdout, '')
    const [line, ...rest] = stderr.split('\n')
    t.match(line, sentence)
    t.same(rest, [''])
    t.notMatch(line, /\p{Cc}/u)
  })
}

t.test('without a URL: how it is used and what is missing, on stderr', async (t) => {
  const { code, stdout, stderr } = await runCommand(t, ['-c', '10'])
  t.equal(code, 2)
  t.equal(stdout, '')
  t.match(stderr, /^Usage: cannonade \[options\] URL… /)
  t.match(stderr, /\ncannonade --help lists all options\.\n/)
  t.match(stderr, /\nurl or socketPath option required: give the URL of the server\n$/)
  t.ok(stderr.split('\n').length <= 6, 'and no more')
})

t.test('what is allowed is said as the command line has it', async (t) => {
  const { code, stderr } = await runCommand(t, ['-c', 'many', URL])
  t.equal(code, 2)
  t.equal(stderr, "connections must be a whole number from 1 to 1000000, or FROM..TO/SEC for a ramp, such as 10..100/30s, but it is 'many'\n")
})

t.test('a word that is nearly a command', async (t) => {
  const { code, stdout, stderr } = await runCommand(t, ['seve', '--port', '80'])
  t.match({ code, stdout }, { code: 2, stdout: '' })
  t.match(stderr, /^'seve' is no command, .*: did you mean serve\?\n$/)
})

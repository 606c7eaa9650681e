'use strict'

const dns = require('node:dns/promises')
const t = require('tap')
const path = require('node:path')
const { compare, findCapacity, findJamming, parseArguments, sweep } = require('../..')
const { chooseCommand } = require('../../lib/cli/commands')
const { readCommand, wordingFor } = require('../../lib/cli/read-command')
const { createPlan } = require('../../lib/plan')
const { runCommand } = require('./command')

const URL = 'http://127.0.0.1:1'
const pem = (name) => path.join(__dirname, '../support/certs', name)

// Errors that the command's own parser finds, and how their messages begin.
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
  [['-c', '-d', '5', URL], "-c needs a value, NUM; got '-d' (write a value that starts with a dash as -c=VALUE)"],
  [['--body', '--x', URL], "--body needs a value, BODY; got '--x' (write a value that starts with a dash as --body=VALUE)"],
  [['--json=maybe', URL], "--json must be true or false; got 'maybe'"],
  [['-H', 'no sign', URL], 'An HTTP header was not correctly formatted: no sign'],
  [['-H', '=value', URL], 'An HTTP header was not correctly formatted: =value'],
  [['-c', '1..5', URL], "-c must be a number, or FROM..TO/SEC such as 10..100/30s; got '1..5'"],
  [['--bursts', '100', URL], "--bursts must be SIZE/SEC, such as 100/5s; got '100'"],
  [['-W', '[', '-c', '1', URL], '-W has a [ without a matching ]'],
  [['-W', '[', '-x', ']', URL], '-x is unknown: --warmup takes [ -c NUM -d SEC ]'],
  [['-W', '[ -c 1 -- 5 ]', URL], "-W must be a number of seconds, or [ -c NUM -d SEC ]; got '[ -c 1 -- 5 ]'"],
  [['-W', '[ 3s ]', URL], "-W must be a number of seconds, or [ -c NUM -d SEC ]; got '[ 3s ]'"],
  [['--diagnose', '--'], '--diagnose needs the command that starts the server after --, such as: -- node server.js'],
  [['--on-port'], '--on-port needs the command that starts the server after --'],
  [['-j', '--record', '/dev/stdout', URL], '-j and --record cannot both write to stdout, which has one line for the result and nothing else'],
  [['--csv-line', '--html', '/dev/fd/1', URL], '--csv-line and --html cannot both write to stdout, which has one line for the result and nothing else'],
  [['-b', 'x', '-i', __filename, URL], '-b and -i cannot be given together: there is one body'],
  [['5', 'localhost:3000'], "'5' is not a URL: for 5 connections, write cannonade -c 5 URL; a port follows a colon, as in localhost:5"],
  [['localhost:3000', '5'], "'5' is not a URL: for 5 connections, write cannonade -c 5 URL; a port follows a colon, as in localhost:5"],
  [['url=localhost', 'port=9090'], "'url=localhost' is not a URL: did you mean cannonade -a 20 -c 20 --no-keep-alive localhost:9090?"],
  [['url=h/a?b=1&c=2', 'port=80', 'numberOfRequests=1000', 'requestsPerSecond=50', 'requestMethod=HEAD', 'connectionHeader=keep-alive'], "did you mean cannonade -m HEAD -a 1000 -R 50 'h:80/a?b=1&c=2'?"],
  [['-c', '5', 'sendRequestsInBursts=true', 'requestsPerBurst=7'], 'did you mean cannonade -a 20 --bursts 7/200ms --no-keep-alive localhost?'],
  [['server=true', 'serverPort=8080'], 'did you mean cannonade serve --port 8080?'],
  [[URL, 'connections=5'], "'connections=5' is not a URL: options begin with dashes, as in -c 10"],
  [['-i', '/nowhere/body', URL], "Failed to load input file: '/nowhere/body': it does not exist"],
  [['--cert', __dirname, URL], `Failed to load cert file: '${__dirname}': it is a folder`],
  [['--key', '/nowhere/key', URL], "Failed to load key file: '/nowhere/key': it does not exist"],
  [['--ca', '[', pem('ca-cert.pem'), '/nowhere/ca', ']', URL], "Failed to load ca file: '/nowhere/ca': it does not exist"]
]

for (const [argv, sentence] of REFUSED) {
  t.test(`parseArguments rejects ${argv.join(' ')}`, async (t) => {
    const error = await Promise.resolve().then(() => parseArguments(argv)).catch((error) => error)
    t.match(error, { name: 'CannonadeError', code: 'CANNONADE_BAD_OPTION', message: sentence })
    t.type(error.option, 'string')
  })
}

// Errors that only the run can find also name flags.
const MESSAGES = [
  [['-c', 'many'], "-c must be a whole number from 1 to 1000000, or FROM..TO/SEC for a ramp, such as 10..100/30s; got 'many'"],
  [['--connections', 'overallRate'], "--connections must be a whole number from 1 to 1000000, or FROM..TO/SEC for a ramp, such as 10..100/30s; got 'overallRate'"],
  [['-c', '9..1/5'], 'TO of -c must be FROM of -c (9) or more; got 1'],
  [['-c', '1..5/x'], /^SEC of -c/],
  [['-d', 'soon'], /^-d: duration entered was in an invalid format: it must be seconds .*; got 'soon'$/],
  [['--duration=-5'], /^--duration must be 0 or more .*; got -5$/],
  [['-t', '0'], /^-t: timeout must be greater than 0 .*; got 0$/],
  [['-W', 'x'], /^-W must be seconds as a number, or a string such as '90', .*; got 'x'$/],
  [['-W', '[ -c x ]'], /^-c of -W must be a whole number/],
  [['--bursts', '0/5'], 'SIZE of --bursts must be a whole number, 1 or more; got 0'],
  [['--stages', '1s:5, 1s:-5'], /^RATE of part 2 of --stages must be a number of requests per second/],
  [['--think-time', 'mean:x'], /^SEC of --think-time must be/],
  [['-R', '5', '--stages', '1s:5'], '--stages and -R cannot be given together: both define when requests are due'],
  [['--overallRate', '5', '--think-time', '1'], '--think-time and --overallRate cannot be given together: a schedule does not wait for responses'],
  [['--session-amount', '5', '-a', '5'], '-a and --session-amount cannot be given together: --session-amount is the number of sessions'],
  [['--sessions', '-r', '5'], '-r and --sessions cannot be given together: sessions have their own connections, so set --overall-rate'],
  [['--sessions', '-M', '4'], '-M and --sessions cannot be given together: --session-calls and --session-amount limit what is sent'],
  [['--session-calls', 'x'], /^--session-calls must be/],
  [['--session-log', '/nowhere/log'], "--session-log: '/nowhere/log' cannot be read: it does not exist"],
  [['--fail-on', '1'], "--fail-on must be a status such as 500, a class such as '5xx', or several, such as 404,5xx (final ones: 200 to 599); got '1'"],
  [['--har-timing'], /^--har-timing must be used with --har and --sessions: /],
  [['--stream', 'json'], "--stream must be 'sse', 'lines' or 'chunks'; got 'json'"],
  [['--stream-limit', '0'], '--stream-limit must be a whole number, 1 or more; got 0'],
  [['--stream-limit', '9s', '-t', '5'], /^seconds of --stream-limit must be less than the timeout \(5 seconds\)/],
  [['--stream-limit', '5', '-p', '2'], /^--stream-limit and -p cannot be given together/],
  [['--dashboard', 'x'], /^PORT of --dashboard must be/],
  [['--prometheus', 'x'], /^PORT of --prometheus must be/],
  [['--prometheus-linger', '5'], /^PORT of --prometheus must be/],
  [['--feed', 'users'], /^--feed must be a file whose name ends in .csv/],
  [['--feed', '/nowhere/users.csv'], "The rows of the feed cannot be read from '/nowhere/users.csv': it does not exist"],
  [['-m', 'GTE'], "-m must be the name of an HTTP method, and not CONNECT; got 'GTE': did you mean GET?"],
  [['-m', 'psot'], /got 'psot': did you mean POST\?$/],
  [['-m', 'DELET'], /did you mean DELETE\?$/],
  [['--threshold', 'latency < 50ms'], /choose one, such as latency\.p99$/],
  [['-m', 'CONNECT'], /^CONNECT HTTP method is not supported/],
  [['--cert', pem('client-cert.pem'), '--key', pem('server-key.pem')], /^--cert and --key must be .*key values mismatch/],
  [['-H', 'A: 1\nB: 2'], /^'A' of -H must be .*control characters/],
  [['--threshold', 'overallRate < 5'], /^The threshold 'overallRate < 5' cannot be checked/]
]

for (const [argv, sentence] of MESSAGES) {
  t.test(`${argv.join(' ')}: the error names the flag`, async (t) => {
    const options = parseArguments([...argv, URL])
    const error = await refusal(() => createPlan(options))
    t.match(wordingFor(options).messageOf(error), sentence)
  })
}

t.test('errors of studies name flags', async (t) => {
  for (const [argv, sentence] of [
    [['sweep', '--from', '5', '--rates', '5'], /^--rates and --from cannot be given together/],
    [['sweep', '--from', '10', '--to', '5', '--step', '1'], '--to must be at least --from, which is 10; got 5'],
    [['sweep', '--rates', '5,x'], /^part 2 of --rates must be/],
    [['sweep', '--rates', '5', '--stop-p99', 'x'], /^--stop-p99 must be/],
    [['capacity', '--max-duration', '1'], /^--max-duration must be at least \d+ seconds/],
    [['capacity', '--from', '5', '--to', '1'], '--to must be at least --from, which is 5; got 1'],
    [['jamming', '--payload', '5', '-b', 'x'], /^--payload and (-b|--body) cannot be given together/],
    [['jamming', '--max-rate', '1'], /^--max-rate must be at least 200, the first rate with 25 connections/],
    [['jamming', '-c', '5,x'], /^part 2 of -c must be a whole number/],
    [['jamming', '--limit', 'x'], /^--limit must be/],
    [['compare', '--max-regression', 'x', URL], /^--max-regression must be a share/],
    [['compare', '-c', 'x', URL], /^-c must be/],
    [['sweep', '--slowest', '5'], /^--slowest cannot be given here: it is about a single run$/],
    [['sweep', '--record=a.csv'], /^--record cannot be given here: each of its runs would overwrite the file; record a single run/],
    [['sweep', '--abort-on-fail'], /^--abort-on-fail cannot be given here: .*; --stop-error-rate or --stop-failure-rate or .* ends the sweep$/],
    [['jamming', '--expect', 'reply'], '--expect cannot be given here: each message of the study is a broadcast'],
    [['jamming', '--cookies'], '--cookies cannot be given here: each connection has one handshake: use a Cookie header'],
    [['capacity', '--on-port'], /^--on-port cannot be given here: a study measures servers that are already running/],
    [['capacity', '--threshold', 'p99 < 1s'], /^--threshold cannot be given here: use the setting --slo$/]
  ]) {
    const { command, words } = chooseCommand([...argv, URL])
    let options
    const error = await refusal(() => {
      options = readCommand(command, words)
      return begin[command.name](options)
    })
    t.match(options === undefined ? error.message : wordingFor(options).messageOf(error), sentence)
  }
})

// What each does with its options before it sends anything.
const begin = {
  sweep: ({ targets, study: { list, rates, ...settings } }) => sweep(targets, { ...settings, rates: list ?? rates }),
  capacity: ({ target, study }) => findCapacity(target, study),
  jamming: ({ target, study }) => findJamming(target, study),
  compare: ({ items, study }) => compare(items, study)
}

async function refusal (act) {
  try {
    await act()
  } catch (error) {
    return error
  }
  throw new Error('it was accepted')
}

// Through the whole command.
const IN_ONE_LINE = [
  [['-c', 'many', URL], /^-c must be .*'many'/],
  [['--verify-body', '/nowhere/hook.js', URL], /^--verify-body could not be loaded from '\/nowhere\/hook\.js': it does not exist$/],
  [['-w', '2', '-c', '2', '--setup-client', '/nowhere/hook.js', URL], /^--setup-client could not be loaded from '\/nowhere\/hook\.js': it does not exist$/],
  [['--verify-body', __dirname, URL], /^--verify-body could not be loaded from '.*': it is a folder$/],
  [['ftp://127.0.0.1', '-j'], /^the URL must start with http/],
  [['/only/a/path'], /^the URL must name a host: a path alone needs the environment variable PORT/],
  [[''], /^url or socketPath option required/],
  [['5'], /^the URL must name a host: port 5 of this machine is localhost:5; got '5'$/],
  [[' '], /^the URL must name a host; got ' '$/],
  [['http://'], /^the URL must name a host; got 'http:\/\/'$/],
  [['-T', 'bell\u0007', '--zzz\u001b[2J', URL], /^--zzz is unknown/],
  [['serve', '--prot', '5'], /^--prot is unknown: did you mean --port\?$/],
  [['serve', '--zzz'], /^--zzz is unknown: cannonade serve --help lists the options$/],
  [['serve', '8080'], /^cannonade serve takes only options; got '8080': set the port with --port PORT$/],
  [['serve', '--port', '99999'], /^--port must be a whole number from 0 to 65535/],
  [['serve', '--error-rate', '150%'], /^--error-rate must be/]
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

t.test('without a URL: usage and what is missing, on stderr', async (t) => {
  const { code, stdout, stderr } = await runCommand(t, ['-c', '10'])
  t.equal(code, 2)
  t.equal(stdout, '')
  t.match(stderr, /^Usage: cannonade \[options\] URL… /)
  t.match(stderr, /\ncannonade --help lists the options\.\n/)
  t.match(stderr, /\nurl or socketPath option required: give the URL of the server\n$/)
  t.ok(stderr.split('\n').length <= 6, 'and nothing else')
})

t.test('a word that resembles a command', async (t) => {
  t.intercept(dns, 'lookup', { value: async () => { throw new Error('ENOTFOUND') } })
  const { code, stdout, stderr } = await runCommand(t, ['seve', '--port', '80'])
  t.match({ code, stdout }, { code: 2, stdout: '' })
  t.match(stderr, /^'seve' is not a command or a known host: did you mean serve\?\n$/)
})

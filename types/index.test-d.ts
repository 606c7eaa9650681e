import { EventEmitter } from 'node:events'
import { createReadStream } from 'node:fs'
import { IncomingHttpHeaders } from 'node:http'
import { promisify } from 'node:util'
import { expectAssignable, expectError, expectNotAssignable, expectType } from 'tsd'
import cannonade, { run, track, printResult, toHTML, toTimelineCSV, startServer, launch, CannonadeError } from '.'
import * as namespace from '.'
import required = require('.')

// --- the ways to import it are one function

expectType<typeof cannonade>(run)
expectType<typeof cannonade>(required)
expectType<typeof cannonade>(required.run)
expectType<typeof cannonade>(required.default)
expectType<typeof cannonade>(namespace.run)

// --- the four styles of a run

const instance = run({ url: 'http://localhost:3000' })
expectType<cannonade.AwaitableInstance>(instance)
expectAssignable<EventEmitter>(instance)
expectAssignable<Promise<cannonade.Measured>>(instance)
expectType<cannonade.StartedInstance>(cannonade({ url: 'http://localhost:3000' }, (error, result) => {
  if (error) throw error
  expectType<cannonade.Measured>(result)
}))

expectNotAssignable<Promise<any>>(run({ url: 'http://localhost:3000' }, () => {}))
expectNotAssignable<Promise<any>>(run({ url: 'http://localhost:3000', forever: true }))

async function awaited (): Promise<cannonade.Measured> {
  const result = await run({ url: new URL('http://localhost:3000') })
  expectType<cannonade.Measured>(result)
  expectType<string>(result.url)
  const [first] = await Promise.all([run({ socketPath: '/tmp/server.sock' }), result])
  expectType<cannonade.Measured>(first)
  return cannonade({ url: 'localhost:3000' })
}
awaited().catch((error) => error).finally(() => {})

async function againstMany () {
  const result = await run({ url: ['http://localhost:3000', new URL('http://localhost:3001')] })
  expectType<string | string[]>(result.url)
  expectNotAssignable<cannonade.Result>(result)
  track(run({ url: ['http://localhost:3000'] }))
}
againstMany()

// --- events

expectType<cannonade.AwaitableInstance>(instance.on('start', () => {}))
instance.on('tick', (tick) => expectType<cannonade.Tick>(tick))
instance.on('dashboard', ({ url, host, port }) => expectType<[string, string, number]>([url, host, port]))
instance.on('prometheus', ({ url, host, port }) => expectType<[string, string, number]>([url, host, port]))
instance.on('linger', ({ seconds }) => expectType<number>(seconds))
expectError(cannonade({ url: 'localhost', prometheus: { host: '::1' } }))
expectAssignable<cannonade.RunOptions>({ prometheus: 9464 })
expectAssignable<cannonade.RunOptions>({ dashboard: { port: 0, host: '::1' } })
instance.once('done', (result) => expectType<cannonade.Measured>(result))
instance.addListener('reqMismatch', (body) => expectType<string>(body))
instance.on('reqError', (error: CannonadeError) => error.code)
instance.on('reqError', (error: NodeJS.ErrnoException) => error.code)
instance.prependListener('response', (client, statusCode, resBytes, responseTime) => {
  expectType<cannonade.Client>(client)
  expectType<number>(statusCode)
  expectType<number>(resBytes)
  expectType<number>(responseTime)
})
instance.on('of-somebody-else', (...args) => expectType<any[]>(args))
expectType<void>(instance.stop())
process.once('SIGINT', instance.stop)

expectType<number>(instance.opts.duration)
expectType<number>(instance.opts.connections)
expectType<string | string[]>(instance.opts.url)

// --- options

expectAssignable<cannonade.RunOptions>({
  url: 'localhost:3000',
  title: 'all of them',
  workers: 'auto',
  fleet: { redis: 'rediss://10.0.0.5', agents: 4, key: 'known to the fleet', wait: '30s', tls: { ca: 'PEM', servername: 'redis' } },
  method: 'QUERY',
  headers: { accept: ['text/html', 'text/plain'], 'content-length': 5, 'x-removed': null },
  body: new Uint8Array(5),
  idReplacement: true,
  traceparent: true,
  record: 'all.csv',
  initialContext: { user: 'john' },
  setupClient: '/full/path/to/setup-client.mjs',
  verifyBody: (body: string) => body.length > 0,
  expectBody: 'hello',
  connections: { from: 1, to: 100, over: '10s' },
  pipelining: 1,
  amount: 1000,
  duration: '1m 30s',
  timeout: 0.5,
  drain: 0,
  maxConnectionRequests: 10,
  maxOverallRequests: 100,
  reconnectRate: 5,
  bailout: 3,
  forever: false,
  warmup: { connections: 1, duration: 3 },
  signal: AbortSignal.timeout(1000),
  servername: 'example.com',
  tlsOptions: { rejectUnauthorized: true },
  sampleInt: 100,
  prometheus: { port: 0, host: '0.0.0.0', labels: { branch: 'main', build: 7 }, buckets: [0.1, 1], linger: '30s' },
  excludeErrorStats: true,
  debug: true
})
expectAssignable<cannonade.RunOptions>({ url: 'localhost', overallRate: 0.1, arrivals: 'poisson', seed: 1, pacing: 'sleep' })
expectAssignable<cannonade.RunOptions>({ url: 'localhost', connectionRate: 10, ignoreCoordinatedOmission: true })
expectAssignable<cannonade.RunOptions>({ url: 'localhost', stages: '10s:100, 30s:100..2000' })
expectAssignable<cannonade.RunOptions>({ url: 'localhost', stages: [{ duration: 1, rate: 5 }, { duration: '1m', rate: { from: 5, to: 50 } }] })
expectAssignable<cannonade.RunOptions>({ url: 'localhost', bursts: { size: 10, interval: 1 } })
expectAssignable<cannonade.RunOptions>({ url: 'localhost', scenarios: [{ name: 'a', weight: 2, requests: [{}, [{}, { path: '/b' }]], thinkTime: [1, 2], calls: 5 }, { name: 'b', requests: [{}] }] })
expectNotAssignable<cannonade.RunOptions>({ url: 'localhost', scenarios: [{ requests: [{}] }] })
expectAssignable<cannonade.RunOptions>({ url: 'localhost', thinkTime: [0.5, '2s'] })
expectAssignable<cannonade.RunOptions>({ url: 'localhost', requests: [{ path: '/', weight: 70 }, { path: '/buy' }] })
expectAssignable<cannonade.RunOptions>({ url: 'localhost', headers: new Map([['accept', 'text/html']]) })
expectAssignable<cannonade.RunOptions>({ url: 'localhost', headers: new Headers({ accept: 'text/html' }) })
expectAssignable<cannonade.RunOptions>({ url: 'localhost', headers: ['accept', 'text/html'] })
expectAssignable<cannonade.RunOptions>({ url: 'localhost', warmup: '3s' })
expectAssignable<cannonade.RunOptions>({ url: 'localhost', har: { log: { entries: [] } } })
expectAssignable<cannonade.RunOptions>({ url: 'localhost', form: '{"a":{"type":"text","value":"1"}}' })
const form: cannonade.Form = {
  text: { type: 'text', value: 5 },
  files: [{ type: 'file', path: 'a.png', options: { filename: 'b.png', contentType: 'image/png' } }, { type: 'file', path: 'c' }]
}
expectAssignable<cannonade.RunOptions>({ url: 'localhost', form })
expectNotAssignable<cannonade.Form>({ text: { type: 'text' } })
expectAssignable<cannonade.RunOptions>({ url: 'localhost', feed: 'users.csv' })
expectAssignable<cannonade.RunOptions>({ url: 'localhost', feed: [{ id: 1 }] })
expectAssignable<cannonade.RunOptions>({ url: 'localhost', feed: { file: new URL('file:///users.csv'), order: 'once' } })
expectAssignable<cannonade.RunOptions>({ url: 'localhost', feed: { array: [{ id: 1 }], order: 'random' } })
expectNotAssignable<cannonade.RunOptions>({ url: 'localhost', feed: { rows: [{ id: 1 }], order: 'twice' } })
expectAssignable<cannonade.RunOptions>({ url: 'localhost', body: () => createReadStream('large.bin') })
expectAssignable<cannonade.RunOptions>({ url: 'localhost', body: async function * () { yield 'a' } })
expectAssignable<cannonade.RunOptions>({ url: 'localhost', body: { stream: '/full/path/to/body.js' } })
expectAssignable<cannonade.RunOptions>({ url: 'localhost', requests: [{ body: (context: { name: string }) => [context.name] }] })
expectNotAssignable<cannonade.RunOptions>({ url: 'localhost', body: () => 5 })
expectAssignable<cannonade.SetupRequest>((request: cannonade.RequestDraft) => ({ ...request, path: `/${request.row.id}`, body: () => ['a'] }))
expectAssignable<cannonade.RunOptions>({ url: 'localhost', thresholds: 'p99 < 50ms', abortOnFail: true })
expectAssignable<cannonade.RunOptions>({
  url: 'localhost',
  thresholds: ['p99 < 50ms', { metric: 'errors', operator: '==', value: 0 }, { 'latency.p50': ['> 1ms', '< 5ms'], errors: 0 }]
})

expectError(run({ url: 5 }))
expectError(run({ url: 'localhost', connnections: 10 }))
expectError(run({ url: 'localhost', connections: 'many' }))
expectError(run({ url: 'localhost', arrivals: 'even' }))
expectError(run({ url: 'localhost', requests: [{ path: 1 }] }))
expectError(run())

// --- hooks

run({
  url: 'localhost:3000',
  setupClient (client) {
    expectType<cannonade.Client>(client)
    client.setHeaders({ authorization: 'Bearer 1' })
    client.setHeaders()
    client.setBody(Buffer.from('hello'))
    client.setHeadersAndBody(undefined, undefined)
    client.setRequest({ method: 'PATCH', path: '/there', headers: { 'content-length': 2 }, body: 'ok' })
    client.setRequests([{ path: '/one' }, { path: '/two', onResponse: (status) => expectType<number>(status) }])
    client.on('headers', (head) => {
      expectType<number>(head.statusCode)
      expectType<string[]>(head.headers)
    })
    client.once('body', (body) => expectType<Buffer>(body))
    client.on('response', (statusCode, resBytes, responseTime) => expectType<number[]>([statusCode, resBytes, responseTime]))
    client.on('reset', () => {})
    expectError(client.setBody(5))
  },
  verifyBody (body) {
    expectType<string>(body)
    return body.startsWith('{')
  },
  requests: [{
    title: 'log in',
    async setupRequest (request, context) {
      expectType<string>(request.path)
      expectType<IncomingHttpHeaders>(request.headers)
      context.attempts++
      return { ...request, headers: { ...request.headers, 'content-length': 2 } }
    },
    async onResponse (status, body, context, headers) {
      expectType<number>(status)
      expectType<IncomingHttpHeaders>(headers)
      context.token = JSON.parse(body).token
    }
  }, {
    setupRequest: (request, context) => context.token ? request : null,
    onResponse: new URL('file:///hooks/on-response.js')
  }]
})
expectError(run({ url: 'localhost', requests: [{ setupRequest: () => 5 }] }))

// --- result

async function read (result: cannonade.Measured) {
  expectType<number>(result.latency.p99_9)
  expectType<number>(result.latency.p95)
  expectType<number>(result.latency.totalCount)
  expectType<number>(result.requests.sent)
  expectType<number>(result['2xx'])
  expectType<Date>(result.start)
  expectType<number>(result.statusCodeStats['200'].count)
  expectType<number>(result.accounting.scheduled)
  expectType<cannonade.FleetAgent[] | undefined>(result.fleet?.agents)
  expectType<'completed' | 'stopped' | 'lost' | 'unused' | undefined>(result.fleet?.agents[0].outcome)
  expectType<number>(result.sendDelay.client.p99)
  expectType<number>(result.sendDelay.waiting.max)
  expectType<number>(result.connectTime.tls.mean)
  expectType<number>(result.timeToStatusLine.p99 + result.transferTime.mean)
  expectType<cannonade.ReplySize>(result.replySize)
  expectType<number[]>(result.replyRate.samples)
  expectType<number | undefined>(result.rate?.achieved)
  expectType<cannonade.ErrorPhase>(result.errorCodes.ECONNREFUSED.phase)
  expectType<number | undefined>(result.errorCodes.ECONNREFUSED.phases.connect)
  expectType<string | null>(result.errorCodes.ECONNREFUSED.examples[0].path)
  expectType<number>(result.slowest[0].latency)
  expectType<number | null>(result.slowest[0].stall)
  expectType<number[][]>(result.heat.counts)
  expectType<number>(result.connectionStats.peak)
  expectType<number>(result.connectionStats.burst)
  expectType<number>(result.endpoints[0].latency.p50)
  expectType<string | undefined>(result.endpoints[0].title)
  expectType<boolean>(result.generator.saturated)
  expectType<string>(result.warnings[0].message)
  expectType<number>(result.timeline[0].p99)
  expectType<string>(result.histograms.latency)
  expectType<boolean | undefined>(result.passed)
  expectType<number | boolean | null | undefined>(result.thresholds?.[0].actual)
  expectType<cannonade.Measured<cannonade.RunResult> | undefined>(result.warmup)
  expectType<cannonade.LatencyBounds>(result.latencyBounds)
  expectType<number | null>(result.latencyBounds.smallest)
  expectType<number>(result.endpoints[0].latencyBounds.share)
  expectType<string | undefined>(result.endpoints[0].histograms?.latencyBounds)
  expectType<string>(result.histograms.latencyBounds)
  expectType<{ count: number, smallest: number } | undefined>(result.timeline[0].latencyBounds)
  expectType<boolean | undefined>(result.thresholds?.[0].certain)
  expectType<{ count: number, of: number } | undefined>(result.thresholds?.[0].unanswered)
  expectType<number | undefined>(result.thresholds?.[0].atLeast)
  expectType<cannonade.MissingValues | undefined>(result.missing.eventGap)
  expectType<number | undefined>(result.endpoints[0].missing?.latency.smallest)
  expectType<string | undefined>(result.histograms.serviceTimeMissing)
  expectType<number>(result.latencyWithUnfinishedBounds.count)
  expectType<number | undefined>(result.unverified)
  expectError(result.missing.gap)
  expectType<cannonade.Environment | undefined>(result.environment)
  expectType<string | undefined>(result.environment?.version)
  expectType<number | undefined>(result.environment?.others?.[0].cores)
  expectType<Record<string, unknown> | undefined>(result.options)
  expectType<{ mean: number, p50: number, p90: number, p99: number } | undefined>(result.generator.late)
  expectType<{ count: number, total: number, longest: number } | undefined>(result.generator.stoodStill)
  expectType<number | undefined>(result.sendDelay.causes?.asleep)
  expectType<number | undefined>(result.warmup?.latency.p95)
  expectError(result.latency.p42)
}
run({ url: 'localhost' }).then(read)

// --- what a run returns has all fields; what a program builds itself needs those alone that @types/autocannon has

function built (result: cannonade.Result, histogram: cannonade.Histogram, stats: cannonade.Statistics) {
  expectType<number | undefined>(result.accounting?.sent)
  expectType<number | undefined>(result.latency.p95)
  expectType<number | undefined>(histogram.totalCount)
  expectNotAssignable<cannonade.Measured>(result)
  expectNotAssignable<cannonade.Statistics>(histogram)
  expectAssignable<cannonade.Histogram>(stats)
  expectAssignable<(measured: cannonade.Measured) => void>((given: cannonade.Result) => given)
  expectError<cannonade.Result>({ ...result, latency: 5 })
  expectType<string>(printResult(result))
}
expectType<typeof built>(built)

class StandIn extends EventEmitter implements cannonade.Instance { stop () {} }
expectType<StandIn>(track(new StandIn()))

// --- reports

expectType<cannonade.AwaitableInstance>(track(instance))
track(instance, {
  outputStream: process.stdout,
  renderProgressBar: false,
  renderResultsTable: true,
  renderLatencyTable: true,
  renderStatusCodes: true,
  progressBarString: ':bar :rate'
})
expectError(track(instance, { renderProgresBar: false }))
expectError(track({}))
expectType<string>(printResult(JSON.parse('{}')))
run({ url: 'localhost' }, (error, result) => error ?? printResult(result, { outputStream: process.stdout, verbose: false }))
expectError(printResult('no result'))
expectType<string>(toHTML(JSON.parse('{}')))
run({ url: 'localhost' }).then((result) => toHTML([result, result], { title: 'x', options: { url: 'localhost' } }))
expectError(toHTML('no result'))
run({ url: 'localhost' }).then((result) => expectType<string>(toTimelineCSV(result, { separator: ';' })))
expectError(toTimelineCSV({}, { separator: 7 }))
track(instance, { live: true, statusInterval: 10 })

// --- the server

async function serve () {
  const server = await startServer({ port: 0, workers: '2', delay: { from: 5, to: 20 }, errorRate: '10%' })
  expectType<cannonade.RunningServer>(server)
  expectType<string>(server.url)
  expectType<number>((await server.stats()).processes[0].pid)
  expectType<Promise<void>>(server.close())
  startServer((error, started) => expectType<string | undefined>(error?.code ?? started?.url))
  startServer({}, (error) => expectType<CannonadeError | null>(error))
  expectError(startServer({ prot: 0 }))
}
serve()

async function launched () {
  const server = await launch(['node', 'server.js'], { cwd: new URL('file:///app'), env: { PORT: 3000, OTHER: undefined }, url: '/items', patience: '1m', diagnose: true })
  expectType<cannonade.LaunchedServer>(server)
  expectType<string>(server.url)
  expectType<number>(server.pid)
  expectType<Promise<void>>(server.close())
  const result = await run({ url: server.url, diagnose: server })
  expectType<cannonade.Diagnosis | undefined>(result.diagnosis)
  expectType<number | undefined>(result.timeline[0].server?.utilization)
  run({ url: server.url, diagnose: { target: server, profile: 'server.cpuprofile' } })
  expectError(run({ url: server.url, diagnose: true }))
  expectError(launch('node server.js'))
  expectError(launch(['node'], { pateince: 1 }))
}
launched()

// --- several machines

async function several () {
  const results = await Promise.all([
    cannonade({ url: 'http://localhost', skipAggregateResult: true }),
    cannonade({ url: ['http://localhost:1', 'http://localhost:2'], skipAggregateResult: true })
  ])
  expectType<cannonade.Measured>(cannonade.aggregateResult(results, { url: 'http://localhost' }))
  expectType<cannonade.Measured>(cannonade.aggregateResult(JSON.parse(JSON.stringify(results))))
  expectType<number | undefined>(results[0].mergeable?.version)
  expectError(cannonade.aggregateResult(results[0]))
}
several()

// --- the command

const given = cannonade.parseArguments(['-c', '10', 'localhost:3000'])
expectType<cannonade.CommandOptions | undefined>(given)
expectType<cannonade.StartedInstance<cannonade.RunResult> | undefined>(cannonade.start(given))
expectType<boolean | undefined>(given?.json)
expectType<Promise<cannonade.Measured<cannonade.RunResult>>>(cannonade.start({ url: '/', onPort: true, spawn: ['node', 'server.js'] }))
expectType<readonly string[] | undefined>(given?.spawn)

// --- errors

const error = new CannonadeError('CANNONADE_BAD_OPTION', 'a sentence', { option: 'url' })
expectAssignable<Error>(error)
expectType<string | undefined>(error.option)
expectType<cannonade.Measured<cannonade.RunResult> | undefined>(error.result)
if (error.code === 'CANNONADE_HOOK_FAILED') expectType<unknown>(error.cause)

// --- a program written against @types/autocannon compiles as it stands: here under its own names

function written (autocannon: typeof cannonade) {
  const options: cannonade.Options = {
    url: 'http://localhost:3000',
    connections: 10,
    pipelining: 2,
    duration: '30s',
    method: 'POST',
    workers: 4,
    har: {},
    form: 'form.json',
    tlsOptions: {} as object,
    requests: [{
      setupRequest: (request: cannonade.Request, context: object): cannonade.Request => ({ ...request, headers: { ...request.headers, a: String(context) } }),
      onResponse (status: number, body: string, context: object, headers: cannonade.Request['headers']) { console.log(headers, context) }
    }, {
      setupRequest: '/full/path/to/setup-request.js'
    }],
    verifyBody: (body: cannonade.Request['body']): boolean => body === 'x'
  }
  expectType<number>(options.connections! * options.pipelining!)
  expectType<URL>(new URL(options.url))
  options.requests!.push({ path: '/x' })
  options.headers = { ...options.headers, 'x-a': 'b' }
  options.headers['x-b'] = 'c'
  expectType<string | undefined>(options.requests![0].headers?.authorization)

  const started: cannonade.Instance = autocannon(options, (err: Error, result: cannonade.Result) => {
    if (err) throw err
    expectType<URL>(new URL(result.url))
    if (result.statusCodeStats) expectType<number | undefined>(result.statusCodeStats['302'].count)
  })
  started.on('tick', () => {})
  started.on('error', (err) => console.error(err.message))
  started.on('response', (client) => {
    client.on('headers', (headers) => console.log(headers.authorization))
    client.on('headers', (headers: IncomingHttpHeaders) => console.log(headers.authorization))
  })
  autocannon.track(started, {} as cannonade.TrackingOptions)
  const promise: Promise<cannonade.Result> = autocannon(options)
  const text: Promise<string> = promise.then((result) => autocannon.printResult(result, {} as cannonade.PrintResultOptions))
  expectType<Promise<string>>(text)
}
written(cannonade)

// --- thresholds, and studies

async function studies (result: cannonade.Result) {
  expectType<cannonade.ThresholdVerdict[]>(cannonade.evaluateThresholds(result, ['p99 < 50ms', { errors: 0 }]))
  expectType<cannonade.ThresholdVerdict[]>(cannonade.assertResult(JSON.parse('{}'), 'p99 < 50ms'))

  const comparing = cannonade.compare([{ url: 'localhost:1' }, { url: 'localhost:2' }], { rounds: 5, duration: '2s', maxRegression: { p99: '5%' } })
  comparing.on('run', (result, { name, round }) => { expectType<cannonade.Measured<cannonade.RunResult>>(result); expectType<string>(name); expectType<number | undefined>(round) })
  expectType<number | undefined>(comparing.seconds)
  const { verdict, metrics, regression } = await comparing
  expectType<'faster' | 'slower' | 'mixed' | 'no difference shown'>(verdict)
  expectType<[number, number | null] | null>(metrics.p99.interval)
  expectType<boolean | undefined>(regression?.passed)
  await cannonade.compare([result, [result, result], JSON.parse('{}')])

  const sweeping = cannonade.sweep({ url: 'localhost:1' }, { rates: { from: 100, to: 200, step: 10 }, stopWhen: { p99: '200ms', failureRate: '5%' } })
  sweeping.on('row', (row, results) => { expectType<cannonade.SweepRow>(row); expectType<Array<cannonade.Measured<cannonade.RunResult>>>(results) })
  const { rows, knee } = await sweeping
  expectType<cannonade.Knee | null>(knee)
  const { knee: ofUsers, axis } = await cannonade.sweep({ url: 'localhost:1' }, { connections: { from: 1, to: 50 } })
  expectType<cannonade.KneeOfConnections | null>(ofUsers)
  expectType<'rates' | 'connections'>(axis)
  expectType<string>(cannonade.toCSV(rows, { separator: '\t', columns: 'autobench' }))
  const { knee: knees } = await cannonade.sweep([{ url: 'localhost:1' }, { url: 'localhost:2' }], { rates: [100, 200] })
  expectType<Array<cannonade.Knee | null>>(knees)

  const searching = cannonade.findCapacity({ url: 'localhost:1' }, { slo: ['p99 < 100ms', 'errors == 0'], precision: '2%', maxDuration: '2m' })
  searching.once('step', (step) => expectType<cannonade.CapacityStep>(step))
  const { capacity, interval, limitedBy } = await searching
  expectType<number>(capacity)
  expectType<[number, number | null]>(interval)
  expectType<'server' | 'generator' | 'connections' | 'maximum asked for' | null>(limitedBy)
  searching.stop()
  const { knee: kneeOfUsers, axis: searched } = await cannonade.findCapacity({ url: 'localhost:1' }, { of: 'connections', connections: { to: 500 }, slo: 'p99 < 100ms' })
  expectType<cannonade.KneeOfConnections | null>(kneeOfUsers)
  expectType<'rates' | 'connections'>(searched)

  const jamming = cannonade.findJamming({ url: 'ws://localhost:1' }, { connections: [25, 100], start: 10, step: (connections) => 1000 / connections, limit: '200ms', payload: [20, 1000] })
  jamming.on('point', (point, level) => { expectType<cannonade.JammingPoint>(point); expectType<cannonade.JammingLevel>(level) })
  const jam = await jamming
  expectType<cannonade.JammingThreshold | null>(jam.threshold)
  expectType<string>(cannonade.toCSV(jam, { separator: ';' }))
  expectType<string>(cannonade.toHTML(JSON.parse('{}'), { scale: 'log' }))
  expectError(cannonade.findJamming({ url: 'ws://localhost:1' }, { connections: 'all' }))
}
studies(JSON.parse('{}'))

expectType<string>(cannonade.toJUnit(JSON.parse('{}')))
expectType<string>(cannonade.toMarkdown(JSON.parse('{}')))
expectType<string>(cannonade.toHgrm(JSON.parse('{}'), { histogram: 'serviceTime' }))
expectType<string>(cannonade.formatHttperf(JSON.parse('{}')))
expectType<string>(cannonade.fromCurl('curl localhost').url)
cannonade({ ...cannonade.fromCurl('curl localhost'), connections: 3 })
expectAssignable<cannonade.Options>({ ...cannonade.fromCurl('curl localhost'), duration: 10 })
expectAssignable<cannonade.RunOptions>(cannonade.fromCurl('curl localhost'))

cannonade.defineConfig({ url: 'localhost:1', connections: 5, thresholds: ['p99 < 50ms'], html: 'report.html', baseline: 'before.json' })
cannonade.defineConfig({ run: { connections: 5 }, compare: { targets: [{ url: 'localhost:1' }, { url: 'localhost:2' }], rounds: 20 } })
cannonade.defineConfig({ sweep: { targets: { url: 'localhost:1' }, rates: [100, 200] }, capacity: { slo: 'p99 < 50ms', targets: { url: 'localhost:1' } }, jamming: { connections: [25] } })
cannonade.defineConfig(async () => ({ url: 'localhost:1' }))
expectError(cannonade.defineConfig({ run: { connections: true } }))
expectError(cannonade.defineConfig({ sweep: { rates: 'all' } }))
expectError(cannonade.defineConfig(5))

cannonade.toOpenTelemetry(cannonade({ url: 'localhost:1' }), { attributes: { branch: 'main' } }).stop()

async function openapi (): Promise<void> {
  const { url, requests } = await cannonade.fromOpenAPI('api.yaml', { paths: ['/pets'], url: new URL('http://localhost:1') })
  expectType<string | undefined>(url)
  await cannonade({ url: 'localhost:1', requests })
  await cannonade.fromOpenAPI({ openapi: '3.0.0' })
}
openapi()

async function sessions (): Promise<void> {
  const log = cannonade.parseSessionLog('/a\n  /b\n')
  expectType<cannonade.SessionSequence[]>(log)
  const page: cannonade.RunRequest = { path: '/', thinkTime: { mean: 1 } }
  const { sessions } = await cannonade({ url: 'localhost:1', overallRate: 20, sessions: { calls: 3, failOn: ['5xx', 404], log }, requests: [page, [page, page]] })
  expectType<cannonade.SessionsResult | undefined>(sessions)
  await cannonade({ url: 'localhost:1', sessions: true, thinkTime: [1, '2s'] })
}
sessions()
expectError(cannonade({ url: 'localhost:1', sessions: { call: 3 } }))
cannonade({ url: 'localhost:1', replay: 'access.log', localAddress: '127.0.0.2' })
cannonade({ url: 'localhost:1', replay: { file: 'access.log', format: 'combined', speed: 2, limit: 10 }, localAddress: ['127.0.0.2', '127.0.0.3'] })
expectError(cannonade({ url: 'localhost:1', replay: { speed: 2 } }))
expectError(cannonade({ url: 'localhost:1', replay: { file: 'access.log', format: 'clf' } }))
expectError(cannonade({ url: 'localhost:1', localAddress: 5 }))
expectType<number | undefined>((await cannonade({ url: 'localhost:1', monitor: [process.pid] })).monitor?.[0]?.cpu.p99)
expectError(cannonade({ url: 'localhost:1', monitor: true }))
expectType<number | undefined>((await cannonade({ url: 'localhost:1', monitor: [process.pid] })).monitor?.[0]?.processes)
expectType<number | null | undefined>((await cannonade.sweep({ url: 'localhost:1', monitor: 1 }, { rates: [1] })).rows[0]?.targets[0]?.monitor?.[0]?.cpu)

async function streams (): Promise<void> {
  const { stream, timeline } = await cannonade({
    url: 'localhost:1',
    stream: { events: 'lines', limit: { seconds: '5s' } },
    onEvent: (event, context) => expectType<cannonade.StreamEvent>(event),
    requests: [{ onEvent: './on-event.js' }]
  })
  expectType<cannonade.StreamResult | undefined>(stream)
  expectType<number | null | undefined>(timeline[0].stream?.gap.p99)
  await cannonade({ url: 'localhost:1', stream: true })
}
streams()
expectError(cannonade({ url: 'localhost:1', stream: { events: 'json' } }))

async function http2 (): Promise<void> {
  await cannonade({ url: 'https://localhost:1', http2: true, pipelining: 16 })
  const { grpcStatus, endpoints } = await cannonade({
    url: 'http://localhost:1',
    grpc: { proto: 'shop.proto', include: ['protos'], method: 'shop.Shop/Find', metadata: { 'x-tenant': 'a', 'x-key-bin': Buffer.of(1) }, message: { id: 5 } },
    requests: [{ grpc: { message: '{"id":6}' }, onResponse: (status, body, context, headers, call) => { expectType<cannonade.GrpcEnd>(call) } }]
  })
  expectType<cannonade.GrpcStatusCounts | undefined>(grpcStatus)
  expectType<number | undefined>(endpoints[0].grpcStatus?.UNAVAILABLE)
}
http2()
expectType<boolean | undefined>(({} as cannonade.RunOptions).http2)
expectError(cannonade({ url: 'localhost:1', http2: 'h2' }))
expectError(cannonade({ url: 'localhost:1', grpc: { method: 'shop.Shop/Find' } }))

async function webSocket (): Promise<void> {
  const { messages, broadcast, closeCodes, timeline } = await cannonade({
    url: 'ws://localhost:1',
    body: '{"id":"[<id>]"}',
    websocket: { expect: 'broadcast', protocols: ['chat'], compress: true, match: (text: string) => JSON.parse(text).id, maxMessage: 1000, pingInterval: '5s' },
    requests: [{ body: Buffer.of(1), onMessage: (message, context) => { context.last = message } }],
    setupClient: (client) => { client.on('message', (data, isBinary) => { expectType<string | Buffer>(data); expectType<boolean>(isBinary) }) }
  })
  expectType<cannonade.MessagesResult | undefined>(messages)
  expectType<cannonade.BroadcastResult | undefined>(broadcast)
  expectType<Record<string, number> | undefined>(closeCodes)
  expectType<cannonade.MessageSample | undefined>(timeline[0].messages)
  expectType<number | null | undefined>(timeline[0].messages?.lastCopy)
  await cannonade({ url: 'localhost:1', websocket: true })
}
webSocket()
expectError(cannonade({ url: 'ws://localhost:1', websocket: { expect: 'copies' } }))
cannonade({ url: 'localhost:1', socketio: { path: '/io/', namespace: '/chat', event: 'say', auth: { token: 'x' }, ack: false }, body: '["hello"]' })
cannonade({ url: 'localhost:1', socketio: true, setupClient: (client) => { client.on('message', (data, isBinary, event) => { expectType<string | null | undefined>(event) }) } })
expectError(cannonade({ url: 'localhost:1', socketio: { auth: 'x' } }))
expectError(cannonade.sweep({ url: 'localhost:1' }))
expectError(cannonade.sweep({ url: 'localhost:1' }, { rates: { from: 1, to: 2 } }))
expectError(cannonade.findCapacity([{ url: 'localhost:1' }]))

// --- users as code

async function users () {
  const { checks, sessions, endpoints } = await cannonade({
    url: 'http://localhost:1',
    overallRate: 20,
    user: async (user) => {
      const response = await user.post('/login', { json: { name: user.row.name }, headers: { a: 1 }, timeout: '5s', title: 'log in' })
      expectType<number>(response.status)
      expectType<boolean>(response.ok)
      expectType<string | string[] | undefined>(response.headers['x-id'])
      expectType<string>(response.json<{ token: string }>().token)
      await user.think([1, '2s'])
      expectType<boolean>(user.check('found', response.body))
      await user.request({ method: 'OPTIONS', path: new URL('http://localhost:1/'), body: Buffer.from('x') })
      expectType<number>(user.random() + user.index)
      expectType<string | null>(user.scenario)
      await fetch('http://localhost:2', { signal: user.signal })
    }
  })
  expectType<cannonade.Check[] | undefined>(checks)
  expectType<number | undefined>(sessions?.failures?.[0].count)
  expectType<string | null>(endpoints[0].method)
  const typed: cannonade.UserFunction<{ name: string }> = async ({ row }) => { expectType<string>(row.name) }
  await cannonade({ url: 'http://localhost:1', user: typed, workers: 1 })
  await cannonade({ url: 'http://localhost:1', user: './user.js' })
}
users()
expectError(cannonade({ url: 'localhost:1', user: 5 }))
expectError(cannonade({ url: 'localhost:1', user: async (user) => { await user.get('/', { hedaers: {} }) } }))
expectError(cannonade({ url: 'localhost:1', user: async (user) => { await user.think({ from: 1 }) } }))

// --- what is derived from the function, as with @types/autocannon

async function derived () {
  const promised = promisify(cannonade)
  expectType<cannonade.Measured>(await promised({ url: 'http://localhost' }))
  expectType<cannonade.Measured<cannonade.RunResult>>(await promised({ url: ['http://localhost:1', 'http://localhost:2'] }))
  expectError(await promised({ url: 'http://localhost', conections: 1 }))
  expectAssignable<(options: cannonade.Options) => Promise<cannonade.Result>>(promised)
  expectType<cannonade.Result>(await promisify<cannonade.Options, cannonade.Result>(cannonade)({ url: 'http://localhost' }))
  expectAssignable<Promise<cannonade.Result>>({} as ReturnType<typeof cannonade>)
  expectAssignable<Parameters<typeof cannonade>>([{ url: 'http://localhost' }])
}
derived()

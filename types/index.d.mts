import cannonade from './index.js'

export default cannonade
export import run = cannonade.run
export import track = cannonade.track
export import printResult = cannonade.printResult
export import aggregateResult = cannonade.aggregateResult
export import toHTML = cannonade.toHTML
export import toTimelineCSV = cannonade.toTimelineCSV
export import startServer = cannonade.startServer
export import launch = cannonade.launch
export import parseArguments = cannonade.parseArguments
export import start = cannonade.start
export import evaluateThresholds = cannonade.evaluateThresholds
export import assertResult = cannonade.assertResult
export import compare = cannonade.compare
export import sweep = cannonade.sweep
export import toCSV = cannonade.toCSV
export import fromCurl = cannonade.fromCurl
export import fromOpenAPI = cannonade.fromOpenAPI
export import toOpenTelemetry = cannonade.toOpenTelemetry
export import toJUnit = cannonade.toJUnit
export import toMarkdown = cannonade.toMarkdown
export import toHgrm = cannonade.toHgrm
export import defineConfig = cannonade.defineConfig
export import formatHttperf = cannonade.formatHttperf
export import parseSessionLog = cannonade.parseSessionLog
export import findCapacity = cannonade.findCapacity
export import findJamming = cannonade.findJamming
export import CannonadeError = cannonade.CannonadeError

export type * from './options.js'
export type * from './result.js'
export type * from './instance.js'
export type * from './report.js'
export type * from './server.js'
export type * from './study.js'
export type * from './config.js'
export type * from './user.js'
export type Callback<R extends cannonade.RunResult = cannonade.Result> = cannonade.Callback<R>
export type ErrorCode = cannonade.ErrorCode

import cannonade from './index.js'

export default cannonade
export const { run, track, printResult, aggregateResult, toHTML, toTimelineCSV, startServer, parseArguments, start, CannonadeError } = cannonade
export const { compare, sweep, toCSV, findCapacity, findJamming, evaluateThresholds, assertResult, parseSessionLog, fromCurl } = cannonade
export const { toJUnit, toMarkdown, toHgrm, formatHttperf, defineConfig, fromOpenAPI, toOpenTelemetry, launch } = cannonade

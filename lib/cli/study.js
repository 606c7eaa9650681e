'use strict'

const { isObject } = require('../values/kinds')
const jsonLine = require('../report/json')
const { unverifiedNote } = require('../report/certificates')
const { span } = require('../words/numbers')
const printResult = require('../report/print-result')
const { NOTHING_COMPARED, isEmpty } = require('../report/study/nothing-compared')
const { clean } = require('../report/text')
const { refusalsOf } = require('../study/refusals')
const { askFlags } = require('./ask-flags')
const { benchmarkFlags } = require('./benchmark-flags')
const { tellFailure } = require('./failure')
const { onInterrupt } = require('./shared/interrupt')
const { over } = require('./layers')
const { resultFileFlags, writeResultFiles } = require('./result-files')
const { resultStream } = require('./result-stream')
const { regressionCode } = require('./strict')

/*
 * What the commands `compare`, `sweep`, `capacity` and `jamming` have in common: they make many runs, tell on stderr how far they
 * are, and have one answer.
 */

// The study has a setting of this name, or starts no server.
const NOT_HERE = ['duration', 'warmup', 'onPort']

/**
 * The groups of flags that a study takes over from the benchmark, without those that set what the study decides.
 *
 * @param {string} study
 * @param {string[]} topics names of groups, see benchmark-flags.js
 * @param {string[]} [without] names of further flags that are left out
 */
function runFlags (study, topics, without = []) {
  const refused = refusalsOf(study)
  const isTaken = ({ name, option }) => !refused.has(option) && !NOT_HERE.includes(name) && !without.includes(name)
  return topics
    .map((topic) => benchmarkFlags.find(({ name }) => name === topic))
    .map(({ name, title, flags }) => ({ name, title: name === 'rate' ? 'Rate' : title, flags: flags.filter(isTaken) }))
}

/** The group of flags that say what is shown. `csv` only where there are rows to write. */
function outputFlags ({ csv = [] } = {}) {
  const isHere = new Set(['json', 'progress', 'verbose', 'excludeErrorStats', 'debug', 'sampleInt', 'dashboard', 'prometheus', 'opentelemetry'])
  const { name, title, flags } = benchmarkFlags.find(({ name }) => name === 'output')
  const [html] = resultFileFlags
  return { name, title, flags: [html, ...csv, ...flags.filter(({ name }) => isHere.has(name)), ...askFlags] }
}

/** A flag that is a setting of the study, and no option of its runs. */
function setting (flag) {
  const name = flag.option ?? flag.name
  return {
    ...flag,
    set: flag.set ?? ((options, value) => { options.study[name] = value })
  }
}

// What of the options is for the command, and not for the runs.
const OF_THE_COMMAND = ['study', 'json', 'html', 'csv', 'renderProgressBar', 'verbose', 'strict', 'outputStream', 'columns', 'separator', 'scale', 'opentelemetry']

/**
 * What flags say of a study, over what a config file says.
 *
 * @param {string} name of the command
 * @param {object} flags as the flags have set them; `study`: the settings
 * @param {Config|null} config
 * @returns {{ options: object, targets: object[] }} `options` of the command, and what all runs have in common; `targets`:
 *   the options of each run, where the file says whom to aim at
 */
function withConfig (name, flags, config) {
  if (config === null) return { options: flags, targets: [] }
  const { rates, stopWhen, ...settings } = config.settingsOf(name)
  const { study } = flags
  const own = {
    ...settings,
    ...study,
    ...(isObject(stopWhen) && { stopWhen: { ...stopWhen, ...study.stopWhen } }),
    ...(isObject(rates) && study.list === undefined && { rates: { ...rates, ...study.rates } }),
    // Other rates are no part of these.
    ...(Array.isArray(rates) && Object.keys(study.rates ?? {}).length === 0 && { list: study.list ?? rates })
  }
  return {
    options: { ...over(config.run, flags), study: own },
    targets: config.targetsOf(name).map((target) => without(over(over(config.run, target), flags), OF_THE_COMMAND))
  }
}

/**
 * The options of the runs, one for each URL; without URLs, for each target of the config file.
 *
 * @param {object} options as the flags have set them
 * @param {string[]} urls
 * @param {object[]} [targets] of `withConfig`
 */
function targetsOf (options, urls, targets = []) {
  if (urls.length === 0 && targets.length > 0) return targets
  // The only one has more to say than where it is.
  const opts = targets.length === 1 ? targets[0] : without(options, OF_THE_COMMAND)
  return urls.map((url) => ({ ...opts, url }))
}

function without (options, names) {
  return Object.fromEntries(Object.entries(options).filter(([name]) => !names.includes(name)))
}

/**
 * Shows a study to its end: progress on stderr, the answer as tables there, or on a stdout that is a file, or as a line of
 * JSON on stdout, and the files that were asked for. The first Ctrl-C, SIGTERM or SIGHUP ends it with what it has.
 *
 * @param {Study} study
 * @param {object} options `json`, `html`, `csv`, `renderProgressBar`, `verbose`
 * @param {object} about
 * @param {string} about.heading what is about to happen, in a sentence
 * @param {boolean} [about.isMost] the time announced is the most that it can take
 * @param {Object<string, function(...*): string>} about.lines for events of the study, what to say of them
 * @param {object} [about.csv] settings of `toCSV`
 * @param {object} [about.page] more settings of `toHTML`
 * @param {string[]} [about.decides] options of the runs that are the study's own affair
 */
async function showStudy (study, options, { heading, isMost = false, lines, csv, page, decides = [] }) {
  const say = (text) => process.stderr.write(`${text}\n`)
  let ofRuns
  study.once('begin', ({ opts }) => { ofRuns = without(opts, decides) })
  if (options.renderProgressBar !== false && !options.json) {
    study.once('start', ({ seconds }) => say(heading + howLong(seconds, isMost)))
    for (const [event, line] of Object.entries(lines)) study.on(event, (...args) => say(line(...args)))
  }
  if (options.renderProgressBar !== false) tellMetrics(study, say)
  if (options.opentelemetry) tellOpenTelemetry(study)
  const letGo = onInterrupt(study.stop)
  const reader = options.json ? process.stdout : resultStream()
  reader.once('error', study.stop)
  try {
    const answer = await study
    if (options.json) process.stdout.write(jsonLine(answer))
    else reader.write(shown(answer, options, reader, ofRuns))
    save(answer, options, { ...page, csv, options: ofRuns })
    process.exitCode ||= regressionCode(answer, options.strict)
    const reason = reasonForNoAnswer(answer)
    if (reason === null) return
    process.exitCode = 1
    if (options.json) say(clean(reason))
  } finally {
    letGo()
    reader.removeListener('error', study.stop)
    if (options.opentelemetry) await require('../watch/opentelemetry').flush()
  }
}

function shown (answer, { verbose }, outputStream, ofRuns) {
  const note = unverifiedNote(ofRuns)
  return printResult(answer, { outputStream, verbose }) + (note === '' ? '' : `${note}\n`)
}

// Why there is no answer, or not the whole of it; null where there is.
function reasonForNoAnswer ({ kind, sides, warnings }) {
  const told = warnings.find(({ code }) => code === 'NO_ANSWER' || code === 'SERVER_GONE' || code === 'AGENT_LOST')
  if (told !== undefined) return told.message
  return kind === 'comparison' && isEmpty(sides) ? NOTHING_COMPARED : null
}

// Saved results take none.
function howLong (seconds, isMost) {
  return seconds > 0 ? ` (${isMost ? 'at most ' : ''}${span(seconds < 10 ? seconds : Math.ceil(seconds))})` : ''
}

// A warm-up is no measurement.
function tellOpenTelemetry (study) {
  const toOpenTelemetry = require('../watch/opentelemetry')
  toOpenTelemetry.loadApi()
  study.on('begin', (instance, { name, isWarmup }) => { if (!isWarmup) toOpenTelemetry(instance, { attributes: { ...(name !== undefined && { target: name }) } }) })
}

// Each run serves its own metrics, most often at the same address.
function tellMetrics (study, say) {
  study.once('dashboard', ({ url }) => say(`Dashboard at ${url}`))
  let told
  study.on('begin', (instance) => instance.once('prometheus', ({ url }) => {
    if (url !== told) say(`Metrics at ${url}`)
    told = url
  }))
}

// The answer has been shown, whatever becomes of the files.
function save (answer, options, settings) {
  try {
    writeResultFiles(answer, options, settings)
  } catch (error) {
    process.exitCode = tellFailure(error)
  }
}

module.exports = { outputFlags, runFlags, setting, showStudy, targetsOf, withConfig }

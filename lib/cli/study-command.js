'use strict'

const { optionProblem } = require('../base/errors')
const { seconds } = require('../plan/options/notation')
const { isObject } = require('../values/kinds')
const jsonLine = require('../report/json')
const { unverifiedNote } = require('../report/summary')
const { span } = require('../words/numbers')
const printResult = require('../report/print-result')
const { NOTHING_COMPARED, isEmpty } = require('../report/study/nothing-compared')
const { clean } = require('../report/text')
const { refusalsOf } = require('../study/refusals')
const { askFlags } = require('./shared/version')
const { benchmarkFlags } = require('./benchmark-flags')
const { printFailure } = require('./failure')
const { kebab, spellings } = require('./shared/names')
const { onInterrupt } = require('./shared/interrupt')
const { warnOfIgnored, withCurl } = require('./curl-line')
const { over } = require('./layers')
const { applySettings } = require('./read-command')
const { checkResultFiles, resultFileFlags, writeResultFiles } = require('./result-files')
const { checkStdout, resultStream, watchedStreams } = require('./result-stream')
const { regressionCode } = require('./verdict')

/*
 * Shared by the commands `compare`, `sweep`, `capacity` and `jamming`: they execute many runs, report progress on stderr,
 * and produce one answer.
 */

// Flags that no study takes over, and why.
const BY_NONE = { onPort: 'a study measures servers that are already running, or that cannonade compare --command starts' }

// Groups whose flags are about one run's verdict and output.
const OF_ONE_RUN = ['verdict', 'output']
const OF_BENCHMARK = spellings(benchmarkFlags.flatMap(({ flags }) => flags))

/**
 * Returns the groups of flags that a study takes over from the benchmark: all of them, without flags for what the study
 * sets itself, or has as a setting.
 *
 * @param {string} study
 * @param {object[]} settings its own flags
 * @param {Object<string, string>} without why it does not take further flags, by name
 */
function runFlags (study, settings, without) {
  const refused = refusalsOf(study)
  const omitted = [...settings.map(({ name }) => name), ...Object.keys(without)]
  const isTaken = ({ name, option = name }) => !refused.has(option) && !omitted.includes(name)
  return benchmarkFlags
    .filter(({ name }) => !OF_ONE_RUN.includes(name))
    .map(({ name, title, flags }) => ({ name, title: name === 'rate' ? 'Rate' : title, flags: flags.filter(isTaken) }))
    .filter(({ flags }) => flags.length > 0)
}

// Why a study does not take a flag of the benchmark; null if that has no such flag.
function whyNot (study, settings, without, spelling) {
  const flag = OF_BENCHMARK.get(spelling)?.flag
  if (flag === undefined) return null
  const why = without[flag.name] ?? refusalsOf(study).get(flag.option ?? flag.name) ?? 'it is about a single run'
  return typeof why === 'string' ? why : why.say((name) => flagsFor(name, settings))
}

// A setting of the library may have several flags, one for each of its parts.
function flagsFor (setting, settings) {
  const parts = settings.filter(({ sets }) => [sets].flat().some((part) => part?.startsWith(setting + '.')))
  return parts.length === 0 ? `--${kebab(setting)}` : parts.map(({ name }) => `--${kebab(name)}`).join(' or ')
}

const OUTPUT = new Set(['json', 'progress', 'verbose', 'excludeErrorStats', 'debug', 'sampleInt', 'dashboard', 'monitor', 'prometheus', 'prometheusLinger', 'opentelemetry'])

function outputFlags (files) {
  const { name, title, flags } = benchmarkFlags.find(({ name }) => name === 'output')
  const [html] = resultFileFlags
  return { name, title, flags: [html, ...files, ...flags.filter(({ name }) => OUTPUT.has(name)), ...askFlags] }
}

// Files that only commands of single runs write. A config file may name them in the options that it sets for all commands.
function otherFiles (files) {
  const [, ...others] = resultFileFlags.map(({ name }) => name)
  return others.filter((name) => !files.some((file) => file.name === name))
}

/** The separator of --csv, for studies whose result is a table. */
const separatorFlag = { name: 'separator', argument: 'TEXT', read: (text) => text.replace(/^(\\t|tab)$/, '\t'), help: 'separator between the cells of --csv, or tab (default ,)' }

/**
 * Defines the command of a study.
 *
 * @param {string} name
 * @param {object} command `usage` (what follows the name), `summary`, `about`, `notes`, `examples`; `title` and `settings`: its own
 *   flags; `without`: why it does not take further flags of runs, by name; `files`: flags for further output files; `connections`:
 *   their default, if it is not that of runs
 * @param {function(object, object): object} [command.overFile] takes the settings of the config file, and those that flags set; returns
 *   both together
 * @param {function(object): string[]} [command.decidedBy] returns the options of runs that these settings decide
 * @param {function(object, string[], object[]): object} command.read takes the options (with `study`, the settings), the
 *   operands and the targets of the config file; returns the options for `run`, or throws
 * @param {function(object): *} command.run
 */
function studyCommand (name, { usage, title, settings, without: own = {}, files = [], connections, overFile = joined, decidedBy = () => [], read, ...command }) {
  const call = `cannonade ${name}`
  const reasons = { ...BY_NONE, ...own }
  return {
    name,
    call,
    usage: `${call} [options] ${usage}`,
    groups: [{ title, flags: settings }, ...runFlags(name, settings, reasons), outputFlags(files)],
    whyNot: (spelling) => whyNot(name, settings, reasons, spelling),
    defaultOf: ({ name }) => name === 'connections' ? connections : undefined,
    optionsFrom (given, operands, rest, config) {
      const set = { tlsOptions: {}, study: {} }
      applySettings(given, set)
      const flags = withCurl(set)
      const { options, targets } = withConfig(name, flags, config, { overFile, decidedBy })
      const written = without(options, otherFiles(files))
      const result = read(written, operands, targets)
      checkStdout(written)
      checkResultFiles(written)
      return result
    },
    ...command
  }
}

/** For studies of one server: returns the options for it. */
function targetOf (name, options, operands, targets) {
  const given = operands.length || targets.length
  if (given > 1 || (given === 0 && options.socketPath === undefined)) {
    throw optionProblem('url', `cannonade ${name} needs the URL of one server`, { isUsageNeeded: operands.length === 0 })
  }
  return targetsOf(options, given === 0 ? [undefined] : operands, targets)[0]
}

/**
 * Makes a flag a setting of the study instead of an option of its runs. `of`: the setting of which it is a part; `sets`: how messages
 * name it, if it may be a part of other settings.
 */
function setting ({ of, part = of, sets = `${of}.${part}`, ...flag }) {
  const { name, set = (options, value) => { options.study[name] = value } } = flag
  if (of === undefined) return { ...flag, set }
  return { ...flag, sets, set: (options, value) => { options.study[of] = { ...options.study[of], [part]: value } } }
}

/** Settings that most studies have, each with its own default in its help. */
const durationSetting = (help) => setting({ letter: 'd', name: 'duration', argument: 'SEC', read: seconds, help })
const pauseSetting = (help) => setting({ name: 'pause', argument: 'SEC', read: seconds, help })

// Options of the command that are not passed to runs.
const OF_THE_COMMAND = ['study', 'curl', 'commands', 'setups', 'isDiagnosed', 'json', 'html', 'csv', 'renderProgressBar', 'verbose', 'strict', 'outputStream', 'columns', 'separator', 'scale', 'opentelemetry']

/**
 * Merges the flags of a study with a config file; flags take precedence. What the study decides by its settings is not taken from options
 * that the file sets for all commands, nor from options of targets if the settings are flags.
 *
 * @param {string} name of the command
 * @param {object} flags the options that flags set; `study`: the settings
 * @param {Config|null} config
 * @param {object} command `overFile` and `decidedBy`, see studyCommand
 * @returns {{ options: object, targets: object[] }} `options`: those of the command, and those that all runs share;
 *   `targets`: the options of each run, if the file names targets
 */
function withConfig (name, flags, config, { overFile, decidedBy }) {
  const study = overFile(config?.settingsOf(name) ?? {}, flags.study)
  const { url, ...others } = flags
  const shared = without(config?.run ?? {}, decidedBy(study))
  const targetOver = (target) => over(over(shared, without(target, decidedBy(flags.study))), others)
  const named = config?.targetsOf(name) ?? []
  // A curl command line names the target, but not each of several.
  const targets = url === undefined || named.length > 1 ? named : [{ ...named[0], url }]
  return {
    options: { ...over(shared, others), study },
    targets: targets.map((target) => without(targetOver(target), OF_THE_COMMAND))
  }
}

/** Merges the settings of a config file with those that flags set: part by part, if a setting has parts. */
function joined (file, study) {
  const parts = Object.entries(study).map(([name, value]) => [name, isObject(value) && isObject(file[name]) ? { ...file[name], ...value } : value])
  return { ...file, ...Object.fromEntries(parts) }
}

/**
 * Returns the options of the runs, one per URL; without URLs, one per target of the config file.
 *
 * @param {object} options the options that flags set
 * @param {string[]} urls
 * @param {object[]} [targets] from `withConfig`
 */
function targetsOf (options, urls, targets = []) {
  if (urls.length === 0 && targets.length > 0) return targets
  // If the file has only one target, its other options apply to the given URLs.
  const opts = targets.length === 1 ? targets[0] : without(options, OF_THE_COMMAND)
  return urls.map((url) => ({ ...opts, url }))
}

function without (options, names) {
  return Object.fromEntries(Object.entries(options).filter(([name]) => !names.includes(name)))
}

/**
 * Displays a study until it ends: progress on stderr, and the answer as tables on stderr (on stdout if it is redirected
 * to a file or a pipe) or as a line of JSON on stdout. Also writes the requested files. The first Ctrl-C, SIGTERM or
 * SIGHUP ends the study with the results so far.
 *
 * @param {Study} study
 * @param {object} options `json`, `html`, `csv`, `renderProgressBar`, `verbose`
 * @param {object} about
 * @param {string} about.heading a sentence that announces the study
 * @param {boolean} [about.isMost] whether the announced time is the maximum
 * @param {Object<string, function(...*): string>} about.lines functions that return the line to print for an event of the
 *   study
 * @param {object} [about.csv] settings of `toCSV`
 * @param {object} [about.page] more settings of `toHTML`
 * @param {string[]} [about.decides] options of the runs that the study sets itself
 */
async function showStudy (study, options, { heading, isMost = false, lines, csv, page, decides = [] }) {
  const say = (text) => process.stderr.write(`${text}\n`)
  let ofRuns
  study.once('begin', ({ opts }) => { ofRuns = without(opts, decides) })
  if (options.renderProgressBar !== false && !options.json) {
    study.once('start', ({ seconds }) => say(heading + howLong(seconds, isMost)))
    for (const [event, line] of Object.entries(lines)) study.on(event, (...args) => say(line(...args)))
  }
  if (options.renderProgressBar !== false) reportMetrics(study, say)
  if (options.opentelemetry) exportToOpenTelemetry(study)
  warnOfIgnored(options)
  const letGo = onInterrupt(study.stop)
  const tables = resultStream(options)
  const watched = options.json ? [process.stdout] : watchedStreams(tables)
  for (const stream of watched) stream.once('error', study.stop)
  try {
    const answer = await study
    if (options.json) process.stdout.write(jsonLine(answer))
    else tables.write(shown(answer, options, tables, ofRuns))
    save(answer, options, { ...page, csv, options: ofRuns })
    process.exitCode ||= regressionCode(answer, options.strict)
    const reason = reasonForNoAnswer(answer)
    if (reason === null) return
    process.exitCode = 1
    if (options.json) say(clean(reason))
  } catch (error) {
    if (error?.soFar !== undefined) {
      if (options.json) process.stdout.write(jsonLine(error.soFar))
      else tables.write(shown(error.soFar, options, tables, ofRuns))
      save(error.soFar, options, { ...page, csv, options: ofRuns })
    }
    throw error
  } finally {
    letGo()
    for (const stream of watched) stream.removeListener('error', study.stop)
    if (options.opentelemetry) await require('../watch/opentelemetry').flush()
  }
}

function shown (answer, { verbose }, outputStream, ofRuns) {
  const note = unverifiedNote(ofRuns)
  return printResult(answer, { outputStream, verbose }) + (note === '' ? '' : `${note}\n`)
}

// Returns why there is no complete answer; null if there is one.
function reasonForNoAnswer ({ kind, sides, warnings }) {
  const told = warnings.find(({ code }) => code === 'NO_ANSWER' || code === 'SERVER_GONE' || code === 'AGENT_LOST')
  if (told !== undefined) return told.message
  return kind === 'comparison' && isEmpty(sides) ? NOTHING_COMPARED : null
}

// Empty for saved results, which take no time.
function howLong (seconds, isMost) {
  return seconds > 0 ? ` (${isMost ? 'at most ' : ''}${span(seconds < 10 ? seconds : Math.ceil(seconds))})` : ''
}

// Warm-ups are not exported, since they are not measurements.
function exportToOpenTelemetry (study) {
  const toOpenTelemetry = require('../watch/opentelemetry')
  toOpenTelemetry.loadApi()
  study.on('begin', (instance, { name, isWarmup }) => { if (!isWarmup) toOpenTelemetry(instance, { attributes: { ...(name !== undefined && { target: name }) } }) })
}

// Each run serves its own metrics, usually at the same address, so only a new address is printed.
function reportMetrics (study, say) {
  study.once('dashboard', ({ url }) => say(`Dashboard at ${url}`))
  let told
  study.on('begin', (instance) => instance.once('prometheus', ({ url }) => {
    if (url !== told) say(`Metrics at ${url}`)
    told = url
  }))
}

// A file that cannot be written does not fail the study: the answer has been displayed already.
function save (answer, options, settings) {
  try {
    writeResultFiles(answer, options, settings)
  } catch (error) {
    process.exitCode = printFailure(error)
  }
}

module.exports = { durationSetting, joined, pauseSetting, separatorFlag, setting, showStudy, studyCommand, targetOf, targetsOf }

'use strict'

const { optionProblem, show } = require('../../base/errors')
const { isObject } = require('../../values/kinds')
const { OPTIONS } = require('../../plan/options')
const { suggest } = require('../../base/suggest')
const { withCurl } = require('../curl-line')

const STUDIES = ['compare', 'sweep', 'capacity', 'jamming']
const PARTS = ['run', ...STUDIES]
const FORMS = 'the options of a run, or { run, compare, sweep, capacity, jamming }'

/**
 * The contents of a config file: the options of a run, or of several commands by name.
 *
 *     { url, connections, … }
 *     { run: { connections, … }, compare: { targets: [{ url }, { url }], rounds, … } }
 *
 * `run` holds the options that all runs share. A study has its settings, and the options of its runs as `targets` (an
 * object, or an array if there are several), which override the shared ones.
 */
class Config {
  /**
   * @param {*} exported
   * @param {string} file its name, for errors
   * @throws {CannonadeError} CANNONADE_BAD_OPTION
   */
  constructor (exported, file) {
    this.file = file
    this.parts = this.partsOf(exported)
  }

  partsOf (exported) {
    // The exports of an ES module have no prototype.
    if (!isObject(exported) || Object.keys(exported).length === 0) throw this.bad(`must export ${FORMS}; it exports ${isObject(exported) || exported === undefined ? 'nothing' : show(exported)}`)
    const names = Object.keys(exported)
    for (const name of names) this.checkName(name, names)
    if (!names.some((name) => PARTS.includes(name))) return { run: { ...exported } }
    for (const name of names) if (!isObject(exported[name])) throw this.bad(`must have an object as ${name}; got ${show(exported[name])}`)
    return { ...exported }
  }

  // Without this check, a typo in the name of a part would turn the whole file into the options of a run.
  checkName (name, names) {
    if (PARTS.includes(name)) return
    const meant = suggest(name, [...PARTS, ...OPTIONS.map((option) => option.name)])
    const beside = names.find((each) => PARTS.includes(each))
    if (beside === undefined && !PARTS.includes(meant)) return
    const advice = PARTS.includes(meant) ? `did you mean ${meant}?` : 'put what all runs share in run'
    throw this.bad(`has ${show(name)}${beside === undefined ? '' : ` in addition to ${beside}`}: ${advice}`)
  }

  /** The command to execute if the command line names none; undefined means a run. */
  get command () {
    if (this.parts.run !== undefined) return undefined
    const studies = Object.keys(this.parts)
    if (studies.length > 1) throw this.bad(`has ${studies.join(' and ')}: say which, as in ${this.calls[0]}`)
    return studies[0]
  }

  /** The command lines of the studies in this file, such as 'cannonade compare --config FILE'. */
  get calls () {
    return STUDIES.filter((name) => this.parts[name] !== undefined).map((name) => `cannonade ${name} --config ${this.file}`)
  }

  /** The options that all runs share. */
  get run () {
    return withCurl(this.parts.run ?? {})
  }

  /** The settings of a study. @param {string} name of the command */
  settingsOf (name) {
    const { targets, ...settings } = this.parts[name] ?? {}
    return settings
  }

  /** The options of each target of a study; empty if the file names no target. @param {string} name */
  targetsOf (name) {
    const targets = this.parts[name]?.targets
    if (targets === undefined) return this.run.url === undefined ? [] : [{}]
    const all = [targets].flat()
    if (all.length === 0 || !all.every(isObject)) throw this.bad(`must have the options of runs as ${name}.targets, an object or an array of them; got ${show(targets)}`)
    return all.map(withCurl)
  }

  bad (why) {
    return optionProblem('config', `the config file '${this.file}' ${why}`)
  }
}

/**
 * Returns the file that a command line names. It is found before the words are parsed, because the file may determine the
 * command, and the command determines the flags.
 */
function fileIn (argv) {
  const own = argv.slice(0, argv.includes('--') ? argv.indexOf('--') : undefined)
  const at = own.findLastIndex((word) => word === '--config' || word.startsWith('--config='))
  if (at === -1) return undefined
  return own[at] === '--config' ? own[at + 1] : own[at].slice('--config='.length)
}

/** @param {string[]} argv @returns {Promise<Config|null>} null if the command line names no file */
async function readConfig (argv) {
  const file = fileIn(argv)
  return file === undefined ? null : new Config(await require('./load').load(file), file)
}

/** Like `readConfig`, but synchronous. */
function readConfigNow (argv) {
  const file = fileIn(argv)
  return file === undefined ? null : new Config(require('./load').loadNow(file), file)
}

/** The flag of every command that executes runs. It sets nothing because the file is read before the flags are parsed. */
const configFlag = Object.freeze({
  name: 'config',
  argument: 'FILE',
  set: () => {},
  isCommon: true,
  help: 'options from a module or JSON; flags override it'
})

module.exports = { Config, configFlag, readConfig, readConfigNow }

'use strict'

const path = require('node:path')
const { HookCalls } = require('../../../../lib/script/hook-calls')
const current = require('../hook-modules/current')
const defectIn = require('./plant')

const FOLDER = path.join(__dirname, '../hook-modules')
const OF_RUN = ['setupClient', 'verifyBody']
const OF_REQUEST = ['setupRequest', 'onResponse']

/** Hooks of threads, which are the paths of modules. */
function draw (dice, drawn) {
  const { opts, threads, messages, calls, stream } = drawn
  if (threads === undefined || messages !== undefined || calls !== undefined || stream !== null || !dice.happens(0.5)) return
  const takes = () => dice.one({}, {}, { hold: dice.ms(0, 10) }, { sleep: dice.whole(1, 30) })
  for (const name of [...OF_RUN, ...OF_REQUEST]) if (dice.happens(0.5)) drawn.hooks[name] = takes()
  // With hooks, the order in which the requests of a session are sent would be unknown, and so would the cookies that they carry.
  if (opts.sessions?.connections > 1 || drawn.cookies !== undefined) opts.pipelining = 1
  // A body is verified by the hook or by the expectation.
  if (drawn.bodies !== undefined && drawn.hooks.verifyBody !== undefined) delete opts.expectBody
  drawn.hasHookModules = true
}

/** The paths for the functions of hooks, by name. */
function modulesOf (functions) {
  current.use(functions)
  return Object.fromEntries(Object.keys(functions).map((name) => [name, path.join(FOLDER, `${name}.js`)]))
}

/** Loads the modules, which takes no time of a world from then on. */
function loadModules () {
  return Promise.all([...OF_RUN, ...OF_REQUEST].map((name) => import(path.join(FOLDER, `${name}.js`))))
}

const defects = {
  'an answer that its hook does not hear of': defectIn(HookCalls, 'onResponse', (original) => function (...args) {
    this.heard = (this.heard ?? 0) + 1
    if (this.heard !== 3) original.apply(this, args)
  }, ({ bodies, hooks }) => bodies !== undefined && hooks.onResponse !== undefined),
  'a thread that forgets what is not as it should be': defectIn(HookCalls, 'checkBody', () => () => {}, ({ bodies, hooks }) => bodies !== undefined && hooks.verifyBody !== undefined)
}

module.exports = { name: 'hooks in threads', draw, isIn: ({ hasHookModules }) => hasHookModules === true, loadModules, modulesOf, defects }

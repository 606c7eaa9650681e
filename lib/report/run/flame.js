'use strict'

const { percent } = require('../../words/numbers')
const { placeInCode } = require('../../words/place')

// Rows of the table, and the least share of the busy time that makes one.
const MOST_ROWS = 40
const LEAST_SHARE = 0.01
// Calls in a row that only pass on are one row, but the program's own code always has one. Of a long one, the middle says the least.
const MOST_NAMES = 4
const PASSED_ON = 0.98

const KINDS = [
  { name: 'the program', color: 'program' },
  { name: 'packages', color: 'package' },
  { name: 'Node.js', color: 'node' },
  { name: 'native code and garbage collection', color: 'native' }
]
const [PROGRAM, PACKAGE, NODE, NATIVE] = KINDS.keys()

/** Shows where the server spent its busy time, as a flame graph and a table, for the page of one result. */
function flameGraph ({ diagnosis }) {
  const flame = diagnosis?.flame ?? null
  const calls = flame === null ? [] : callsOf(flame)
  const busy = calls.reduce((sum, { parent, time }) => parent === null ? sum + time : sum, 0)
  if (!(busy > 0)) return null
  const threads = new Set(calls.flatMap(({ parent, frame }) => parent === null ? frame : []))
  const rows = rowsOf(calls, busy)
  const [first] = rows.filter(({ depth }) => depth > 0)
  return {
    flame: {
      id: 'flame',
      title: 'Where the server spent its time: a flame graph',
      note: 'Each bar is a function, below the one that called it, and as wide as its share of the time in which the server was busy. Click a bar to zoom in.',
      summary: `Flame graph of the server's functions. ${first === undefined ? '' : `The heaviest call, ${first.names}, took ${percent(first.share)} of the busy time. `}The table has the heaviest stacks.`,
      tableTitle: 'The heaviest stacks',
      table: tableOf(rows),
      kinds: KINDS,
      frames: flame.frames.map((frame, index) => [frame.function, placeInCode(frame), threads.has(index) ? NODE : kindOf(frame)]),
      nodes: calls.map(({ parent, frame, time }) => [parent === null ? -1 : parent.index, frame, time])
    }
  }
}

// Calls with their callers. What does not fit together, in a file that was damaged, is left out.
function callsOf ({ frames, nodes }) {
  const byNode = new Map()
  const calls = []
  nodes.forEach(([above, frame, time], node) => {
    const parent = above === -1 ? null : byNode.get(above)
    if (parent === undefined || frames[frame] === undefined || !(time > 0)) return
    const call = { parent, frame, time, self: time, ...frames[frame], children: [], index: calls.length }
    if (parent !== null) {
      parent.children.push(call)
      parent.self -= time
    }
    byNode.set(node, call)
    calls.push(call)
  })
  return calls
}

function kindOf ({ file, package: name }) {
  if (!file) return NATIVE
  return name === 'node:' ? NODE : name ? PACKAGE : PROGRAM
}

// The heaviest calls, each below its caller. A caller has at least the time of what it calls, so it has a row as well.
function rowsOf (calls, busy) {
  const shown = new Set([...calls].filter(({ time }) => time >= busy * LEAST_SHARE).sort((a, b) => b.time - a.time || a.index - b.index).slice(0, MOST_ROWS))
  const rows = []
  const visit = (first, depth) => {
    const chain = [first]
    let last = first
    for (;;) {
      const [only, ...others] = last.children.filter((child) => shown.has(child))
      if (depth === 0 || only === undefined || others.length > 0 || only.time < last.time * PASSED_ON || isOwn(only) !== isOwn(last)) break
      chain.push(last = only)
    }
    rows.push({ depth, names: namesOf(chain), place: placeInCode(last), share: first.time / busy, self: Math.max(0, chain.reduce((sum, { self }) => sum + self, 0)) / busy })
    for (const child of heaviestFirst(last.children)) if (shown.has(child)) visit(child, depth + 1)
  }
  for (const root of heaviestFirst(calls.filter(({ parent }) => parent === null))) if (shown.has(root)) visit(root, 0)
  return rows
}

const isOwn = (call) => kindOf(call) === PROGRAM
const heaviestFirst = (calls) => [...calls].sort((a, b) => b.time - a.time)

function namesOf (chain) {
  const names = chain.map((call) => call.function)
  return (names.length <= MOST_NAMES ? names : [names[0], '…', ...names.slice(1 - MOST_NAMES)]).join(' › ')
}

const INDENT = '\u2003'

function tableOf (rows) {
  return {
    caption: 'The heaviest stacks: functions, each below the one that called it, with their shares of the time in which the server was busy',
    columns: [{ name: 'Function' }, { name: 'Place' }, { name: 'Total', of: 'percent' }, { name: 'Self', of: 'percent' }],
    rows: rows.map(({ depth, names, place, share, self }) => [
      { value: INDENT.repeat(depth) + names, className: 'long' }, { value: place, className: 'long' }, share, self
    ])
  }
}

module.exports = flameGraph

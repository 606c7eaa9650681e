'use strict'

// Mutants are small defects, tests that run the code detect them, and those that cannot be detected survive.

const fs = require('node:fs')
const path = require('node:path')
const acorn = require('acorn')
const t = require('tap')
const equivalents = require('./equivalent')
const { executedIn, isExecuted } = require('./executed')
const { draw, linesOf, main, mutantsOfRoom } = require('./mutate')
const { isAlive } = require('../support/processes')
const { until } = require('../support/wait')
const { mutantsOf, mutate } = require('./mutants')
const { play, playMutant, startNode } = require('./try')

const LIB = path.join(__dirname, '../../lib')

const changesOf = (source) => mutantsOf(source).map((mutant) => mutate(source, mutant))
const has = (t, source, ...changed) => { for (const each of changed) t.ok(changesOf(source).includes(each), `${source} => ${each}`) }

t.test('the operators plant defects of the kind that refactoring introduces', async (t) => {
  has(t, 'a < b', 'a <= b')
  has(t, 'a === b && c', 'a !== b && c', 'a === b || c', '(a === b)', '(c)')
  has(t, 'a - b', 'a + b', '(b) - (a)')
  has(t, 'x = ms * 1000', 'x = (ms)', 'x = ms / 1000')
  has(t, 'x = time / US_PER_MS', 'x = (time)')
  has(t, 'f(a, b)', 'f(b, a)', ';')
  has(t, 'Math.min(a, b)', 'Math.max(a, b)')
  has(t, 'if (!a) b()', 'if (true) b()', 'if (false) b()', 'if (a) b()', 'if (!a) ;')
  has(t, 'function f () { if (a) return 5; b() }', 'function f () { if (a) ; b() }')
  has(t, 'x += 1', 'x -= 1', 'x = 1', 'x += 2', 'x += 0')
  has(t, 'x++', 'x--')
  has(t, 'x = a ? b : c', 'x = a ? (c) : (b)')
  has(t, 'x = { a: b, c: d }', 'x = { ...{}, c: d }', 'x = { a: d, c: b }')
  has(t, 'x = a ?? b', 'x = (a)', 'x = (b)')
  has(t, 'x = list.some(f).filter(g)', 'x = list.every(f).filter(g)', 'x = list.some(f)')
  has(t, 'async function f () { await g() }', 'async function f () { (g()) }')
  has(t, 'class A { constructor () { this.a = 0; this.b = 0 } add () { this.a++ } }', 'class A { constructor () { this.a = 0; this.b = 0 } add () { this.b++ } }')
  t.same(changesOf("'use strict'\nconst a = require('a')\nmodule.exports = { a, b: 1 }"), [], 'a module that cannot be loaded is noticed anyway')
  t.same(changesOf('timer.unref()'), [])
})

t.test('each mutant is a valid program that differs from the original', async (t) => {
  for (const room of ['load', 'thresholds']) {
    const mutants = mutantsOfRoom(room, {})
    t.ok(mutants.length > 400, `${mutants.length} of ${room}`)
    for (const mutant of draw(mutants, 50, 1)) {
      const changed = mutate(mutant.source, mutant)
      if (changed === mutant.source) t.fail(`${mutant.file}:${mutant.line} ${mutant.operator} changes nothing`)
      acorn.parse(changed, { ecmaVersion: 'latest', allowReturnOutsideFunction: true })
    }
  }
})

t.test('the same seed draws the same mutants, each from a different line', async (t) => {
  const mutants = mutantsOfRoom('load', {})
  const drawn = (seed) => draw(mutants, 30, seed).map(({ file, line, operator, start }) => [file, line, operator, start])
  t.same(drawn(1), drawn(1))
  t.notSame(drawn(1), drawn(2))
  t.equal(new Set(drawn(1).map(([file, line]) => `${file}:${line}`)).size, 30)
  t.equal(draw(mutants, 0, 1).length, mutants.length)
  t.ok(mutantsOfRoom('load', { file: 'load/share.js', line: 36 }).every(({ file, line }) => file === 'load/share.js' && line === 36))
})

t.test('mutants listed as equivalent exist', async (t) => {
  const stale = equivalents.filter(({ file, before, after }) => {
    const source = fs.readFileSync(path.join(LIB, file), 'utf8')
    return !mutantsOf(source).map((mutant) => linesOf({ source, ...mutant })).some((lines) => lines.before === before && lines.after === after)
  })
  t.same(stale, [])
})

t.test('executed parts: the innermost range decides', async (t) => {
  const range = (startOffset, endOffset, count) => ({ startOffset, endOffset, count })
  const intervals = executedIn({ functions: [{ ranges: [range(0, 100, 1), range(20, 30, 0)] }, { ranges: [range(40, 60, 0)] }, { ranges: [range(50, 55, 2)] }] })
  t.same(intervals, [0, 20, 30, 40, 50, 55, 60, 100])
  t.same([0, 19, 20, 29, 30, 45, 52, 58, 99, 100].map((offset) => isExecuted(intervals, offset)), [true, true, false, false, true, false, true, false, true, false])
})

t.test('a defect is detected by a test or a world; one without effect is not; an endless loop is', async (t) => {
  const load = path.join(LIB, 'load/loads.js')
  const source = fs.readFileSync(load, 'utf8')
  const tried = (changed, steps = ['load/constant.test.js', 3], mostMs = 60_000, file = load) => {
    const MUTANT = path.join(t.testdir({ 'mutant.json': JSON.stringify({ file, source: changed }) }), 'mutant.json')
    return play(steps, { env: { MUTANT }, mostMs: () => mostMs })
  }
  const expectedBy = 'return this.rate * seconds'
  t.ok(source.includes(expectedBy))
  t.equal(await tried(source), null)
  t.match(await tried(source.replace(expectedBy, 'return this.rate / seconds')), /^load\/constant\.test\.js: not ok/)
  t.match(await tried(`throw new Error('broken')\n${source}`, [3]), /^world 3: not ok .*broken/)
  const result = path.join(LIB, 'metrics/result.js')
  const renamed = fs.readFileSync(result, 'utf8').replace('title: plan.title,', '$& name: plan.title ?? null,')
  t.match(await tried(renamed, [3], 60_000, result), /^world 3: not ok world 3: something that can be seen of it has changed/)
  t.match(await tried(source.replace(expectedBy, 'for (const end = Date.now() + 300_000; Date.now() < end;) ;'), ['load/constant.test.js'], 1500), /it takes too long$/)
})

t.test('whatever a step has started is ended with it, also what leads a group of its own and holds its output', async (t) => {
  const args = ['-e', 'setTimeout(() => {}, 300_000); console.log(process.pid)']
  const starts = `const child = require('child_process').spawn(process.execPath, ${JSON.stringify(args)}, { detached: true, stdio: ['ignore', 'inherit', 'inherit'] }); child.unref(); setTimeout(() => process.exit(7), 300)`
  let pid
  const { code } = await startNode(['-e', starts], { mostMs: () => 60_000, heard: (line) => { pid = Number(line); return null } })
  t.equal(code, 7)
  // Its output closes shortly before it has ended.
  if (pid !== undefined) await until(() => !isAlive(pid))
})

t.test('defects that somebody has written are tried like mutants, with what they change as their place', async (t) => {
  const folder = t.testdir({
    'edits.json': JSON.stringify([{ file: 'lib/load/loads.js', from: 'return this.rate * seconds', to: 'return this.rate * this.seconds' }]),
    'none.json': JSON.stringify([{ file: 'lib/load/loads.js', from: 'no such text', to: '' }])
  })
  const told = { stdout: '', stderr: '' }
  const streams = { stdout: { write: (text) => { told.stdout += text } }, stderr: { write: (text) => { told.stderr += text } } }
  t.equal(await main(['--list', '--edits', path.join(folder, 'edits.json')], streams), 0)
  t.match(told.stdout, /^lib\/load\/loads\.js:\d+ edit 1\n {2}- .*return this\.rate \* seconds\b.*\n {2}\+ .*return this\.rate \* this\.seconds\b/)
  t.equal(await main(['--list', '--edits', path.join(folder, 'none.json')], streams), 2)
  t.equal(told.stderr, '--edits: `from` of edit 1 must occur once in lib/load/loads.js\n')
})

t.test('a step that takes too long counts only if it is quick without the mutant; otherwise it gets more time', async (t) => {
  const env = { MUTANT: 'x' }
  // How long each step takes, with and without the mutant, on a machine that is this many times slower than usual.
  const tried = async (times, slower = 1) => {
    const asked = []
    const steps = times.map(([step]) => step)
    const outcome = await playMutant(steps, { env, mostMs: (what) => what === 'slow' ? 4000 : 400 }, async (some, how) => {
      asked.push([some.join(), how.env === env, how.mostMs('quick')])
      for (const step of some) {
        const name = typeof step === 'number' ? `world ${step}` : step
        const [, withIt, without, fails] = times.find(([each]) => each === step)
        if (slower * (how.env === env ? withIt : without) > how.mostMs(name)) return step === 'loading' ? 'loading: it takes too long' : `${name}: it takes too long`
        if (how.env === env && fails) return `${name}: not ok`
      }
      return null
    })
    return { outcome, asked }
  }
  t.same(await tried([['quick', 100, 100], ['slow', 1000, 1000]]), { outcome: null, asked: [['quick,slow', true, 400]] })
  t.same(await tried([['quick', 100, 100, true], ['slow', 1, 1]]), { outcome: 'quick: not ok', asked: [['quick,slow', true, 400]] })
  t.same(await tried([['quick', 100, 100], [7, Infinity, 50]]), { outcome: 'world 7: it takes too long', asked: [['quick,7', true, 400], ['7', false, 100]] }, 'an endless loop')
  // A busy machine: what it has done already is not done again.
  t.same(await tried([['slow', 100, 100], [7, 100, 100], ['quick', 100, 100, true]], 10), {
    outcome: 'quick: not ok', asked: [['slow,7,quick', true, 400], ['7', false, 100], ['7,quick', true, 1600]]
  })
  t.same((await tried([['quick', 100, 100], ['slow', 1000, 1000]], 100)).outcome, null)
  t.same((await tried([['quick', Infinity, 100], ['slow', 1000, 1000]], 100)).outcome, 'quick: it takes too long')
  t.same(await tried([['loading', Infinity, 10], ['quick', 1, 1]]), { outcome: 'loading: it takes too long', asked: [['loading,quick', true, 400], ['loading', false, 100]] }, 'a mutant with which a step cannot even be loaded')
})

t.test('errors in flags are reported', async (t) => {
  const told = async (...args) => {
    const texts = { stdout: '', stderr: '' }
    const code = await main(args, { stdout: { write: (text) => { texts.stdout += text } }, stderr: { write: (text) => { texts.stderr += text } } })
    return { code, ...texts }
  }
  for (const args of [['--room', 'kitchen'], ['--mutants', 'x'], ['--seed', '-1'], ['--floor', '1']]) {
    const { code, stdout, stderr } = await told(...args)
    t.same([code, stdout], [2, ''], args.join(' '))
    t.match(stderr, /^[^\n]+\n$/)
  }
  t.match(await told('--room', 'all', '--file', 'load/share.js', '--line', '36', '--mutants', '1', '--list'), { code: 0, stdout: /^lib\/load\/share\.js:36 / }, 'from all folders')
  t.match(await told('--help'), { code: 0, stdout: /--room NAME/ })
  const { code, stdout } = await told('--room', 'load', '--file', 'load/share.js', '--line', '36', '--mutants', '2', '--list')
  t.equal(code, 0)
  t.match(stdout, /^lib\/load\/share\.js:36 [^\n]+\n {2}- if [^\n]+\n {2}\+ /)
})

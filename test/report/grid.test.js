'use strict'

const t = require('tap')
const { grid } = require('../../lib/report/table-text')

const ROWS = [['Stat', 'Ähm', ''], ['a long one', '≥ 5', '日本'], ['b']]

t.test('each column is as wide as its widest cell, also with wide characters', async (t) => {
  t.equal(grid(ROWS), [
    '┌────────────┬─────┬──────┐',
    '│ Stat       │ Ähm │      │',
    '├────────────┼─────┼──────┤',
    '│ a long one │ ≥ 5 │ 日本 │',
    '├────────────┼─────┼──────┤',
    '│ b          │     │      │',
    '└────────────┴─────┴──────┘'
  ].join('\n'))
  t.equal(grid([['a', 'b'], ['1', '22']], { tight: true }), '┌──┬───┐\n│ a│ b │\n├──┼───┤\n│ 1│ 22│\n└──┴───┘')
})

t.test('colors take no space, and rules have their own', async (t) => {
  const red = (text) => `\u001b[31m${text}\u001b[39m`
  const painted = grid([[red('head'), 'x'], ['1', '2']], { paint: (line) => `<${line}>` })
  t.equal(painted, `<┌──────┬───┐>\n<│> ${red('head')} <│> x <│>\n<├──────┼───┤>\n<│> 1    <│> 2 <│>\n<└──────┴───┘>`)
})

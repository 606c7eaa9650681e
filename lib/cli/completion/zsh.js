'use strict'

/**
 * @param {CompletedCommand[]} commands see words.js
 * @returns {string} a script for zsh 5 or later, for a folder in its fpath or for `source`
 */
function zsh (commands) {
  const [benchmark, ...named] = commands
  return `#compdef cannonade
# Completion of cannonade for zsh. Written by: cannonade completion zsh
${commands.map(functionOf).join('\n')}
_cannonade() {
  local -a commands
  commands=(
${named.map(({ name, summary }) => `    ${quoted(`${name}:${summary}`)}`).join('\n')}
  )
  # After -- comes the command of a server.
  local end=\${words[(i)--]}
  if (( end < CURRENT )); then
    shift $end words; (( CURRENT -= end )); _normal; return
  fi
  if (( CURRENT > 2 )); then
    case $words[2] in
      ${named.map(({ name }) => name).join('|')})
        local command=$words[2]
        shift words; (( CURRENT-- )); _cannonade_$command; return ;;
    esac
  elif [[ $PREFIX != -* ]]; then
    _describe command commands; return
  fi
  _cannonade_${benchmark.name ?? 'run'}
}
if [[ $funcstack[1] == _cannonade ]]; then _cannonade "$@"; else compdef _cannonade cannonade; fi
`
}

function functionOf ({ name, flags, operands, takesFiles }) {
  const operand = operands.length > 0 && name !== null ? `:word:(${operands.join(' ')})` : takesFiles ? '*:file:_files' : '*:URL:_urls'
  return `_cannonade_${name ?? 'run'}() {
  _arguments -S \\
${[...flags.flatMap(specifications), operand].map((each) => `    ${quoted(each)}`).join(' \\\n')}
}`
}

function specifications ({ spellings, help, argument, kind, choices }) {
  const action = { file: '_files', folder: '_files -/', choice: `(${choices.join(' ')})`, other: ' ' }[kind]
  const value = kind === null ? '' : `:${argument.replace(/:/g, '\\:')}:${action}`
  return spellings.map((name) => `*${name}${kind !== null && name.startsWith('--') ? '=' : ''}[${help.replace(/[\\[\]:]/g, '\\$&')}]${value}`)
}

const quoted = (text) => `'${text.replace(/'/g, "'\\''")}'`

module.exports = { zsh }

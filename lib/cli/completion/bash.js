'use strict'

/**
 * @param {CompletedCommand[]} commands see words.js
 * @returns {string} a script for bash 3.2 or later; it works with and without the package bash-completion
 */
function bash (commands) {
  const [benchmark, ...named] = commands
  return `# Completion of cannonade for bash. Written by: cannonade completion bash
_cannonade() {
  local cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD-1]} command= word IFS=$' \\t\\n'
  # Bash splits --flag=value into three words.
  if [[ $cur == = ]]; then cur=; elif [[ $prev == = ]]; then prev=\${COMP_WORDS[COMP_CWORD-2]}; fi
  if ((COMP_CWORD > 1)); then
    case \${COMP_WORDS[1]} in
      ${named.map(({ name }) => name).join('|')}) command=\${COMP_WORDS[1]} ;;
    esac
  fi
  # After -- comes the command of a server.
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    if [[ $word == -- ]]; then COMPREPLY=($(compgen -A command -A file -- "$cur")); return; fi
  done
  local flags words= files=
  case $command in
${[...named, benchmark].map(branch).join('\n')}
  esac
  if [[ $cur == -* ]]; then words=$flags; files=; fi
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
  if [[ $files ]]; then IFS=$'\\n'; COMPREPLY+=($(compgen -f -- "$cur")); compopt -o filenames 2> /dev/null; fi
}
complete -o bashdefault -F _cannonade cannonade
`
}

function branch ({ name, flags, operands, takesFiles }) {
  const withArgument = flags.filter(({ kind }) => kind !== null)
  return `    ${name === null ? '*' : name})
      case $prev in
${withArgument.map(argument).join('\n')}
      esac
      flags='${flags.flatMap(({ spellings }) => spellings).join(' ')}'
      ${operands.length > 0 ? `((COMP_CWORD == ${name === null ? 1 : 2})) && words='${operands.join(' ')}'` : `files=${takesFiles ? 'yes' : ''}`}
      ;;`
}

function argument ({ spellings, kind, choices }) {
  const names = (action) => `IFS=$'\\n'; COMPREPLY=($(compgen ${action} -- "$cur")); compopt -o filenames 2> /dev/null; `
  const replies = { file: names('-f'), folder: names('-d'), choice: `COMPREPLY=($(compgen -W '${choices.join(' ')}' -- "$cur")); ` }
  return `        ${spellings.join('|')}) ${replies[kind] ?? ''}return ;;`
}

module.exports = { bash }

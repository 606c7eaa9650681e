'use strict'

const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const ts = require(require.resolve('@tsd/typescript', { paths: [require.resolve('tsd')] }))

const ROOT = path.join(__dirname, '../..')

// The compiler's own library and the types of Node.js, which all programs have in common: to parse them takes far longer
// than all that is looked at.
const parsed = new Map()

function hostFor (options) {
  const host = ts.createCompilerHost(options)
  host.jsDocParsingMode = ts.JSDocParsingMode.ParseNone // comments, half of what there is to read
  const parse = host.getSourceFile
  host.getSourceFile = (file, how, ...rest) => {
    if (!file.includes('/node_modules/')) return parse.call(host, file, how, ...rest)
    const key = `${file} ${how.languageVersion} ${how.impliedNodeFormat}`
    if (!parsed.has(key)) parsed.set(key, parse.call(host, file, how, ...rest))
    return parsed.get(key)
  }
  return host
}

/**
 * What the compiler says to a program that imports the package by its name, as users do, and to the types of the package with
 * it. Whatever else it has read is not looked at.
 *
 * @param {object} t
 * @param {Object<string, string>} files by their names
 * @param {object} options of the compiler, which is strict, and knows nothing of browsers: their types are more than all others
 *   together. With `lib: undefined` it does, as it does for those who say nothing
 * @returns {Array<{ file: string, text: string }>} one for each mistake
 */
function complaints (t, files, options) {
  const folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'cannonade-types-')))
  t.teardown(() => fs.rmSync(folder, { recursive: true }))
  fs.mkdirSync(path.join(folder, 'node_modules'))
  fs.symlinkSync(ROOT, path.join(folder, 'node_modules', 'cannonade'), 'dir')
  const names = Object.keys(files).map((name) => path.join(folder, name))
  for (const name of names) fs.writeFileSync(name, files[path.basename(name)])

  const settings = { target: ts.ScriptTarget.ES2022, strict: true, noEmit: true, types: ['node'], typeRoots: [path.join(ROOT, 'node_modules/@types')], lib: ['lib.es2022.d.ts'], ...options }
  const program = ts.createProgram(names, settings, hostFor(settings))
  const looked = program.getSourceFiles().filter(({ fileName }) => !fileName.includes('/node_modules/'))
  t.ok(looked.length > names.length, 'the types of the package are among what is looked at')
  return [
    ...program.getConfigFileParsingDiagnostics(), ...program.getOptionsDiagnostics(), ...program.getGlobalDiagnostics(),
    ...looked.flatMap((file) => [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)])
  ].map(({ file, messageText }) => ({ file: path.basename(file?.fileName ?? ''), text: ts.flattenDiagnosticMessageText(messageText, '\n') }))
}

module.exports = { complaints, ts }

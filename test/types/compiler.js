'use strict'

const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const ts = require(require.resolve('@tsd/typescript', { paths: [require.resolve('tsd')] }))

const ROOT = path.join(__dirname, '../..')

// The compiler's own library and the types of Node.js are used by all programs, and take far longer to parse than what is checked, so they
// are parsed once.
const parsed = new Map()

function hostFor (options) {
  const host = ts.createCompilerHost(options)
  host.jsDocParsingMode = ts.JSDocParsingMode.ParseNone // comments are half of the text to parse
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
 * The compiler's errors in a program that imports the package by its name, as users do, and in the package's types that it uses. Errors in
 * other files are ignored.
 *
 * @param {object} t
 * @param {Object<string, string>} files by their names
 * @param {object} options of the compiler. It is strict, and doesn't know browsers, because their types are larger than all others
 *   together; with `lib: undefined` it
 *   does, as by default
 * @returns {Array<{ file: string, text: string }>} one entry for each error
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
  t.ok(looked.length > names.length, 'the types of the package are checked as well')
  return [
    ...program.getConfigFileParsingDiagnostics(), ...program.getOptionsDiagnostics(), ...program.getGlobalDiagnostics(),
    ...looked.flatMap((file) => [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)])
  ].map(({ file, messageText }) => ({ file: path.basename(file?.fileName ?? ''), text: ts.flattenDiagnosticMessageText(messageText, '\n') }))
}

module.exports = { complaints, ts }

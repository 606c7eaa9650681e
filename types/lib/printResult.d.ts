import { printResult } from '..'

export = printResult

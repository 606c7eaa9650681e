import printResult = require('cannonade/lib/printResult')

export = printResult

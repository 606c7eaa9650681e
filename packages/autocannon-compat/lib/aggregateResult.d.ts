import aggregateResult = require('cannonade/lib/aggregateResult')

export = aggregateResult

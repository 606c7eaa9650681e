import histUtil = require('cannonade/lib/histUtil')

export = histUtil

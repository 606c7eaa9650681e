import run = require('cannonade/lib/run')

export = run

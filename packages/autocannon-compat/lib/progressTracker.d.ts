import progressTracker = require('cannonade/lib/progressTracker')

export = progressTracker

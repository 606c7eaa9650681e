import cannonade = require('cannonade')

export = cannonade

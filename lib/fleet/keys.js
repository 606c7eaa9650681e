'use strict'

const { QUEUE_EXPIRY_S } = require('./limits')

/*
 * What stands in Redis. All of it begins with `cannonade:`.
 *
 *     cannonade:fleet:*            the queue of BullMQ in which runs wait for agents: one job for each agent that a run wants
 *     cannonade:orders-RUN:events  what the leader of a run tells its agents      } streams of BullMQ's events
 *     cannonade:news-RUN:events    what they tell him                             }
 */
const PREFIX = 'cannonade'
const QUEUE = 'fleet'

// All that BullMQ may leave behind of a queue without an expiry, but for its jobs, which go when they are done.
const PARTS_OF_QUEUE = [
  'meta', 'id', 'events', 'marker', 'wait', 'active', 'paused', 'stalled', 'delayed', 'prioritized', 'pc',
  'completed', 'failed', 'limiter', 'repeat'
]

const ordersOf = (run) => `orders-${run}`
const newsOf = (run) => `news-${run}`
const streamKey = (name) => `${PREFIX}:${name}:events`

/**
 * Lets all of the queue expire, some time after the last one who has asked for that.
 *
 * @param {object} client
 * @param {string[]} [jobs] ids of jobs that wait or are at work
 */
async function tidy (client, jobs = []) {
  const pipeline = client.pipeline()
  for (const part of [...PARTS_OF_QUEUE, ...jobs]) pipeline.expire(`${PREFIX}:${QUEUE}:${part}`, QUEUE_EXPIRY_S)
  await pipeline.exec()
}

module.exports = { PREFIX, QUEUE, ordersOf, newsOf, streamKey, tidy }

'use strict'

const { QUEUE_EXPIRY_S } = require('./limits')

/*
 * The keys in Redis. All of them begin with `cannonade:`.
 *
 *     cannonade:fleet:*            the BullMQ queue in which runs wait for agents: one job for each agent that a run needs
 *     cannonade:orders-RUN:events  messages from the leader of a run to its agents    } streams of BullMQ's events
 *     cannonade:news-RUN:events    messages from the agents to the leader             }
 */
const PREFIX = 'cannonade'
const QUEUE = 'fleet'

// All keys that BullMQ may leave in Redis without an expiry, except for jobs, which are removed when they are done.
const PARTS_OF_QUEUE = [
  'meta', 'id', 'events', 'marker', 'wait', 'active', 'paused', 'stalled', 'delayed', 'prioritized', 'pc',
  'completed', 'failed', 'limiter', 'repeat'
]

const ordersOf = (run) => `orders-${run}`
const newsOf = (run) => `news-${run}`
const streamKey = (name) => `${PREFIX}:${name}:events`

/**
 * Makes all keys of the queue expire, some time after the last call.
 *
 * @param {object} client
 * @param {string[]} [jobs] ids of jobs that are waiting or active
 */
async function tidy (client, jobs = []) {
  const pipeline = client.pipeline()
  for (const part of [...PARTS_OF_QUEUE, ...jobs]) pipeline.expire(`${PREFIX}:${QUEUE}:${part}`, QUEUE_EXPIRY_S)
  await pipeline.exec()
}

module.exports = { PREFIX, QUEUE, ordersOf, newsOf, streamKey, tidy }

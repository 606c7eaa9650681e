'use strict'

const { each, from, group, leaf, STATISTICS } = require('../fields')
const { definePart } = require('./part')

const entryOf = (monitor, pid) => Array.isArray(monitor) ? monitor.find((entry) => entry?.pid === pid) : undefined
// The result may come from a file, so accept only integers.
const pidsIn = ({ monitor }) => Array.isArray(monitor) ? monitor.map((entry) => entry?.pid).filter(Number.isSafeInteger) : []

const byProcess = (name, help, pick) => ({
  name, type: 'gauge', help, values: (counted, { processes }) => processes.map((process) => ({ labels: { pid: process.pid }, value: pick(process) }))
})

/** Other processes that are monitored. Nothing is counted in a recorder: see lib/watch/processes.js. */
const monitor = definePart({
  name: 'monitor',
  isIn: ({ monitor }) => monitor !== null,
  condition: 'with monitor, which names the processes to watch',
  of: () => null,
  complaint ([, index], { monitor: { length } }) {
    if (index < length) return null
    return `there is no monitor[${index}]: ${length === 1 ? 'one process is watched, monitor[0]' : `${length} processes are watched, up to monitor[${length - 1}]`}`
  },
  columns: (result) => pidsIn(result).flatMap((pid) => ['cpu', 'memory'].map((name) => [`${name} ${pid}`, (sample) => entryOf(sample?.monitor, pid)?.[name]])),
  fields: {
    monitor: {
      example: '[0]',
      entry: group('cpu.mean', {
        cpu: group('mean', { ...each(STATISTICS, from('values', leaf('percent'))), total: leaf('percent'), totalCount: leaf('count') }),
        memory: group('max', { ...each(STATISTICS, from('values', leaf('bytes'))), total: leaf('bytes'), totalCount: leaf('count') })
      }),
      complaint: () => null,
      inBrackets: true
    }
  },
  series: [
    byProcess('cannonade_monitored_cpu_cores', 'CPU usage of a monitored process, in cores, in the last sample.', ({ cpu }) => cpu / 100),
    byProcess('cannonade_monitored_memory_bytes', 'Memory of a monitored process.', ({ memory }) => memory)
  ]
})

module.exports = { monitor }

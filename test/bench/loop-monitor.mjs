// Preloaded into a gateway that is measured. `read` is answered with the loop's delays since the last one, in milliseconds,
// and, after `turns`, with the most processor time that one turn of the loop took: other processes do not count there.
import { existsSync, openSync, readSync } from 'node:fs'
import { monitorEventLoopDelay } from 'node:perf_hooks'

const monitor = monitorEventLoopDelay({ resolution: 1 })
monitor.enable()

/** Linux only: nanoseconds that the main thread has run. */
const path = `/proc/self/task/${process.pid}/schedstat`
const file = existsSync(path) ? openSync(path, 'r') : undefined
const line = Buffer.alloc(64)
const ran = () =>
  file === undefined
    ? Number.NaN
    : Number.parseInt(line.toString('latin1', 0, readSync(file, line, 0, 64, 0)), 10) / 1e6

let watching = false
let longest = 0
function watch(before) {
  const now = ran()
  longest = Math.max(longest, now - before)
  if (watching) setImmediate(watch, now)
}

process.on('message', asked => {
  if (asked === 'turns') {
    watching = true
    longest = 0
    watch(ran())
    return
  }
  watching = false
  process.send?.({ p99: monitor.percentile(99) / 1e6, max: monitor.max / 1e6, longest })
  monitor.reset()
})
process.channel?.unref()

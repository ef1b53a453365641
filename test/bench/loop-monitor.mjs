// Preloaded into a gateway that is measured: every message from its parent is answered with the loop's delays since the
// last one, in milliseconds.
import { monitorEventLoopDelay } from 'node:perf_hooks'

const monitor = monitorEventLoopDelay({ resolution: 1 })
monitor.enable()
process.on('message', () => {
  process.send?.({ p99: monitor.percentile(99) / 1e6, max: monitor.max / 1e6 })
  monitor.reset()
})
process.channel?.unref()

import { defineSurface, sendJson } from 'deflector'
import { native } from 'deflector/formats/native'
import { z } from 'zod'
import { LoopDelay } from './loop-delay.ts'

/** How the process is that the gateway runs in. */
export default defineSurface({
  name: 'process',
  needsFlow: true,
  summary: 'GET /api/admin/process: memory of the process, and how long its event loop keeps others waiting',
  options: z.strictObject({}),
  apply(host) {
    const { clock } = host
    const started = host.keep('health:started', () => clock.now())
    const delay = host.keep(
      'process:loop-delay',
      () => new LoopDelay(clock),
      delay => delay.stop(),
    )
    host.route(
      'GET',
      '/api/admin/process',
      call => {
        const { rss, heapUsed } = process.memoryUsage()
        const body = {
          uptime_secs: Math.floor((clock.now() - started) / 1000),
          generation: host.status().generation,
          memory_bytes: rss,
          heap_used_bytes: heapUsed,
          loop_delay_ms: delay.look() ?? null,
        }
        sendJson(call, body, { headers: { 'cache-control': 'no-store' } })
      },
      { format: native, admin: true },
    )
  },
})

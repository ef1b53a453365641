import { createRequire } from 'node:module'
import { type Call, defineSurface, sendJson } from 'deflector'
import { type HealthStatus, health, statusByLabel } from 'deflector/facets/health'
import { z } from 'zod'

const { version } = z.object({ version: z.string() }).parse(createRequire(import.meta.url)('deflector/package.json'))

/** Every layer that a gateway may have: one that the pipeline leaves out is reported as disabled. */
const DISABLED: Readonly<Record<string, HealthStatus>> = Object.fromEntries(
  ['l0', 'l0_5', 'l1a', 'l1b', 'l2', 'l2_5', 'l3'].map(label => [label, 'disabled'] as const),
)

export default defineSurface({
  name: 'health',
  summary: 'GET /health, /healthz and /readyz, open to everybody',
  options: z.strictObject({
    demo_mode: z.boolean().default(false).describe('whether the built-in demo provider answers'),
  }),
  apply(host, { demo_mode }) {
    const processStart = host.keep('health:started', () => host.clock.now())
    const offered = host.offers(health, 'layer')

    host.route('GET', '/healthz', call => reply(call, { status: 'ok' }))

    host.route('GET', '/readyz', call => {
      const { ready } = host.status()
      reply(call, { status: ready ? 'ready' : 'not_ready' }, ready ? 200 : 503)
    })

    host.route('GET', '/health', call => {
      const { layers: labels, pipeline, generation, ready } = host.status()
      const layers = { ...DISABLED, ...statusByLabel(labels, offered) }
      const ill = Object.values(layers).some(status => status === 'degraded' || status === 'no_credential')
      reply(call, {
        status: ready ? (ill ? 'degraded' : 'ok') : 'draining',
        version,
        layers,
        uptime_seconds: Math.floor((host.clock.now() - processStart) / 1000),
        demo_mode,
        pipeline,
        generation,
      })
    })
  },
})

const reply = (call: Call, body: object, status = 200): void =>
  sendJson(call, body, { status, headers: { 'cache-control': 'no-store' } })

import { defineSurface } from 'deflector'
import { metricSnapshot } from 'deflector/facets/metrics'
import { native } from 'deflector/formats/native'
import { z } from 'zod'
import { prometheusText } from './prometheus.ts'

const CONTENT_TYPE = 'text/plain; version=0.0.4; charset=utf-8'

export default defineSurface({
  name: 'metrics',
  needsFlow: true,
  summary: 'GET /metrics: what the metrics observer measured, as Prometheus reads it',
  options: z.strictObject({
    enabled: z.boolean().default(false).describe('Serve /metrics, to those who may administer.'),
  }),
  apply(host, { enabled }) {
    if (!enabled) return
    const offered = host.offers(metricSnapshot)
    host.route(
      'GET',
      '/metrics',
      call => {
        const metrics = [...offered.values()].flatMap(read => read().metrics)
        call.send(200, { 'content-type': CONTENT_TYPE }, prometheusText(metrics))
      },
      { format: native, admin: true },
    )
  },
})

import { type Call, defineSurface, sendJson } from 'deflector'
import { type TrafficStats, trafficStats } from 'deflector/facets/traffic-stats'
import { checked } from 'deflector/formats/body'
import { native } from 'deflector/formats/native'
import { z } from 'zod'

const query = z.object({
  limit: z.coerce.number('must be a number').int('must be whole').min(0, 'must not be negative').max(1000).default(100),
})

export default defineSurface({
  name: 'stats',
  needsFlow: true,
  summary: 'GET /debug/stats/prompts, /agents and /layers, /debug/proxy/recent: requests since the start',
  options: z.strictObject({}),
  apply(host) {
    const options = { format: native, admin: true }
    const offered = host.offers(trafficStats)
    const stats = (): TrafficStats | undefined => [...offered.values()][0]
    const limitOf = (call: Call): number => checked(query, Object.fromEntries(call.query)).limit

    /** In the order of the pipeline; without layers that a reload took out. */
    const layers = () => {
      const counted = new Map(
        stats()
          ?.layers()
          .map(layer => [layer.name, layer]),
      )
      return [...host.status().layers].flatMap(([name, label]) => {
        const layer = counted.get(name)
        return layer ? [{ ...layer, label }] : []
      })
    }

    host.route(
      'GET',
      '/debug/stats/prompts',
      call => {
        const limit = limitOf(call)
        sendJson(call, { ...(stats()?.totals() ?? NO_TOTALS), recent: stats()?.recent(limit) ?? [] })
      },
      options,
    )
    host.route('GET', '/debug/stats/agents', call => sendJson(call, { agents: stats()?.agents() ?? {} }), options)
    host.route('GET', '/debug/stats/layers', call => sendJson(call, { layers: layers() }), options)
    host.route(
      'GET',
      '/debug/proxy/recent',
      call => sendJson(call, { entries: stats()?.proxied(limitOf(call)) ?? [] }),
      options,
    )
  },
})

const NO_TOTALS = {
  total_prompts: 0,
  total_deflected_prompts: 0,
  by_layer: {},
  by_surface: {},
  by_client: {},
  by_tool: {},
}

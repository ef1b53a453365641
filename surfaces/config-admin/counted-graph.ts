import type { FlowTraffic } from 'deflector/facets/flow-traffic'
import type { PipelineGraph } from 'deflector/facets/running-pipeline'

/** An edge, and what went along it. */
type CountedEdge = PipelineGraph['edges'][number] & {
  /** Requests; towards a provider, calls. `null` where nobody counts. */
  readonly count: number | null
  /** Those of the calls that ended without an answer. */
  readonly failed: number | null
}

/** An instance, and what of the traffic ended there. */
type CountedNode = PipelineGraph['nodes'][number] & {
  /** Requests that a layer answered; `null` of what is no layer, and where nobody counts. */
  readonly answered: number | null
  /** Requests that failed at a layer. */
  readonly failed: number | null
}

/** The nodes of a graph with the requests that ended there, since the gateway began. */
export function countedNodes({ nodes }: PipelineGraph, traffic: FlowTraffic | undefined): CountedNode[] {
  const passages = traffic?.passages()
  return nodes.map(node => {
    if (node.role !== 'layer' || !passages) return { ...node, answered: null, failed: null }
    const own = passages.filter(({ flow, ended }) => flow === node.flow && ended === node.name)
    const failed = own.reduce((sum, one) => sum + one.failed, 0)
    return { ...node, answered: own.reduce((sum, one) => sum + one.requests, 0) - failed, failed }
  })
}

/** The edges of a graph with the traffic since the gateway began. */
export function countedEdges({ nodes, flows, edges }: PipelineGraph, traffic: FlowTraffic | undefined): CountedEdge[] {
  if (!traffic) return edges.map(edge => ({ ...edge, count: null, failed: null }))
  const byId = new Map(nodes.map(node => [node.id, node]))
  const counts = new Map<string, number>()
  const failures = new Map<string, number>()
  const add = (to: Map<string, number>, id: string, count: number): void => void to.set(id, (to.get(id) ?? 0) + count)

  for (const { surface, flow, reached, requests } of traffic.passages()) {
    const ids = flows.find(({ name }) => name === flow)?.ids ?? []
    const from = nodes.find(({ role, name }) => role === 'surface' && name === surface)?.id
    if (from !== undefined && ids[0] !== undefined) add(counts, edgeId(from, ids[0]), requests)
    const end = ids.findIndex(id => byId.get(id)?.name === reached)
    for (const [at, id] of ids.slice(0, Math.max(0, end)).entries())
      add(counts, edgeId(id, ids[at + 1] ?? ''), requests)
  }
  for (const { flow, layer, provider, calls, failed } of traffic.providers()) {
    const from = nodes.find(one => one.role === 'layer' && one.flow === flow && one.name === layer)?.id
    const to = nodes.find(({ role, name }) => role === 'provider' && name === provider)?.id
    if (from === undefined || to === undefined) continue
    add(counts, edgeId(from, to), calls)
    add(failures, edgeId(from, to), failed)
  }
  return edges.map(edge => {
    const id = edgeId(edge.from, edge.to)
    const called = byId.get(edge.to)?.role === 'provider' && byId.get(edge.from)?.role === 'layer'
    // Stores and models are asked at every turn: nobody counts that.
    const counted = !edge.asks || called
    return {
      ...edge,
      count: counted ? (counts.get(id) ?? 0) : null,
      failed: called ? (failures.get(id) ?? 0) : null,
    }
  })
}

const edgeId = (from: string, to: string): string => `${from} ${to}`

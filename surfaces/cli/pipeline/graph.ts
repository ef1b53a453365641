import type { GraphNode, PipelineGraph, RunningPipeline } from 'deflector/facets/running-pipeline'
import type { Generation } from '../../../core/generation.ts'
import type { Instance, Pipeline } from '../../../core/pipeline/types.ts'
import type { Role } from '../../../core/role.ts'

type Named = Pick<Instance, 'role' | 'name'>

/** What the graph needs to know of a pipeline that was wired. */
interface Drawn {
  readonly asks: readonly { readonly by: Named; readonly role: Role; readonly name: string }[]
  readonly offered: readonly { readonly by: Named; readonly facet: string }[]
}

export const FORMATS = ['mermaid', 'dot', 'json'] as const

export function graphText(pipeline: Pipeline, drawn: Drawn, format: (typeof FORMATS)[number]): string {
  const graph = graphOf(pipeline, drawn)
  if (format === 'json') return JSON.stringify(graph, null, 2)
  return format === 'dot' ? dot(graph) : mermaid(graph)
}

/** The graph of a generation, as it was wired. */
export function runningGraph({
  pipeline,
  asks,
  facets,
  around,
}: Pick<Generation, 'pipeline' | 'asks' | 'facets' | 'around'>): RunningPipeline {
  const asked = [...asks].flatMap(([by, instances]) => [...instances].map(({ role, name }) => ({ by, role, name })))
  const graph = graphOf(pipeline, { asks: asked, offered: facets.list() })
  return { file: pipeline.file, generation: around.number, ...graph }
}

const idOf = (...parts: string[]): string => parts.join('__').replaceAll(/[^A-Za-z0-9]/g, '_')

function graphOf({ instances, flows }: Pipeline, { asks, offered }: Drawn): PipelineGraph {
  const nodes: GraphNode[] = []
  const edges: PipelineGraph['edges'][number][] = []
  const add = (role: Role, name: string, id = idOf(role, name), flow: string | null = null): string => {
    const facets = offered.filter(({ by }) => by.role === role && by.name === name).map(({ facet }) => facet)
    const plugin = instances[role].get(name)?.plugin.name ?? name
    if (!nodes.some(node => node.id === id)) nodes.push({ id, role, name, plugin, flow, facets })
    return id
  }
  const groups = [...flows].map(([flow, layers]) => {
    const ids = layers.map(layer => add('layer', layer, idOf('flow', flow, layer), flow))
    for (const [at, to] of ids.entries()) {
      const from = ids[at - 1]
      if (from !== undefined) edges.push({ from, to, asks: false })
    }
    return { name: flow, ids }
  })
  for (const { name, flow } of instances.surface.values()) {
    const from = add('surface', name, undefined, flow ?? null)
    const to = groups.find(group => group.name === flow)?.ids[0]
    if (to !== undefined) edges.push({ from, to, asks: false })
  }
  for (const { name } of instances.observer.values()) add('observer', name)
  for (const { by, role, name } of asks) {
    const to = add(role, name)
    const askers =
      by.role === 'layer'
        ? [...flows].filter(([, layers]) => layers.includes(by.name)).map(([flow]) => idOf('flow', flow, by.name))
        : [add(by.role, by.name)]
    for (const from of askers) {
      if (!edges.some(edge => edge.from === from && edge.to === to)) edges.push({ from, to, asks: true })
    }
  }
  return { nodes, flows: groups, edges }
}

/** Stores are drums and surfaces are rounded, in both notations. */
const MERMAID: Partial<Record<Role, readonly [string, string]>> = { surface: ['([', '])'], store: ['[(', ')]'] }
const DOT: Partial<Record<Role, string>> = { surface: 'oval', store: 'cylinder' }

function mermaid({ nodes, flows, edges }: PipelineGraph): string {
  const box = ({ id, name, role, facets }: GraphNode): string => {
    const [open, close] = MERMAID[role] ?? ['[', ']']
    return `${id}${open}"${[name, ...facets].join('<br>')}"${close}`
  }
  const inFlow = new Set(flows.flatMap(({ ids }) => ids))
  return [
    'flowchart LR',
    ...nodes.filter(({ role }) => role === 'surface').map(one => `  ${box(one)}`),
    ...flows.flatMap(({ name, ids }) => [
      `  subgraph ${idOf('flow', name)}["${name}"]`,
      '    direction LR',
      ...nodes.filter(({ id }) => ids.includes(id)).map(one => `    ${box(one)}`),
      '  end',
    ]),
    ...nodes.filter(({ id, role }) => role !== 'surface' && !inFlow.has(id)).map(one => `  ${box(one)}`),
    ...edges.map(({ from, to, asks }) => `  ${from} ${asks ? '-.->' : '-->'} ${to}`),
  ].join('\n')
}

function dot({ nodes, flows, edges }: PipelineGraph): string {
  const box = ({ id, name, role, facets }: GraphNode): string =>
    `${id} [label="${[name, ...facets].join('\\n')}", shape=${DOT[role] ?? 'box'}];`
  const inFlow = new Set(flows.flatMap(({ ids }) => ids))
  return [
    'digraph pipeline {',
    '  rankdir=LR;',
    ...flows.flatMap(({ name, ids }) => [
      `  subgraph cluster_${idOf(name)} {`,
      `    label="${name}";`,
      ...nodes.filter(({ id }) => ids.includes(id)).map(one => `    ${box(one)}`),
      '  }',
    ]),
    ...nodes.filter(({ id }) => !inFlow.has(id)).map(one => `  ${box(one)}`),
    ...edges.map(({ from, to, asks }) => `  ${from} -> ${to}${asks ? ' [style=dashed]' : ''};`),
    '}',
  ].join('\n')
}

import type { Pipeline } from '../../../core/pipeline/types.ts'
import type { Role } from '../../../core/role.ts'
import type { Wired } from './wired.ts'

/** A pipeline as boxes and arrows: surfaces, then each flow's layers in order, then what those ask for. */
interface Graph {
  readonly boxes: readonly Box[]
  readonly flows: readonly { readonly name: string; readonly ids: readonly string[] }[]
  readonly arrows: readonly { readonly from: string; readonly to: string; readonly asks: boolean }[]
}

interface Box {
  readonly id: string
  readonly label: string
  readonly role: Role
  /** Names of the facets under which the instance offers something to others. */
  readonly facets: readonly string[]
}

/** What the graph needs to know of a pipeline that was wired. */
type Drawn = Pick<Wired, 'asks' | 'offered'>

export const FORMATS = ['mermaid', 'dot'] as const

export function graphText(pipeline: Pipeline, drawn: Drawn, format: (typeof FORMATS)[number]): string {
  const graph = graphOf(pipeline, drawn)
  return format === 'dot' ? dot(graph) : mermaid(graph)
}

const idOf = (...parts: string[]): string => parts.join('__').replaceAll(/[^A-Za-z0-9]/g, '_')

function graphOf({ instances, flows }: Pipeline, { asks, offered }: Drawn): Graph {
  const boxes: Box[] = []
  const arrows: Graph['arrows'][number][] = []
  const add = (role: Role, label: string, id: string): string => {
    const facets = offered.filter(({ by }) => by.role === role && by.name === label).map(({ facet }) => facet)
    if (!boxes.some(box => box.id === id)) boxes.push({ id, label, role, facets })
    return id
  }
  const groups = [...flows].map(([flow, layers]) => {
    const ids = layers.map(layer => add('layer', layer, idOf('flow', flow, layer)))
    for (const [at, to] of ids.entries()) {
      const from = ids[at - 1]
      if (from !== undefined) arrows.push({ from, to, asks: false })
    }
    return { name: flow, ids }
  })
  for (const { name, flow } of instances.surface.values()) {
    const from = add('surface', name, idOf('surface', name))
    const to = groups.find(group => group.name === flow)?.ids[0]
    if (to !== undefined) arrows.push({ from, to, asks: false })
  }
  for (const { by } of offered) if (by.role === 'observer') add(by.role, by.name, idOf(by.role, by.name))
  for (const { by, role, name } of asks) {
    const to = add(role, name, idOf(role, name))
    const askers =
      by.role === 'layer'
        ? [...flows].filter(([, layers]) => layers.includes(by.name)).map(([flow]) => idOf('flow', flow, by.name))
        : [add(by.role, by.name, idOf(by.role, by.name))]
    for (const from of askers) {
      if (!arrows.some(arrow => arrow.from === from && arrow.to === to)) arrows.push({ from, to, asks: true })
    }
  }
  return { boxes, flows: groups, arrows }
}

/** Stores are drums and surfaces are rounded, in both notations. */
const MERMAID: Partial<Record<Role, readonly [string, string]>> = { surface: ['([', '])'], store: ['[(', ')]'] }
const DOT: Partial<Record<Role, string>> = { surface: 'oval', store: 'cylinder' }

function mermaid({ boxes, flows, arrows }: Graph): string {
  const box = ({ id, label, role, facets }: Box): string => {
    const [open, close] = MERMAID[role] ?? ['[', ']']
    return `${id}${open}"${[label, ...facets].join('<br>')}"${close}`
  }
  const inFlow = new Set(flows.flatMap(({ ids }) => ids))
  return [
    'flowchart LR',
    ...boxes.filter(({ role }) => role === 'surface').map(one => `  ${box(one)}`),
    ...flows.flatMap(({ name, ids }) => [
      `  subgraph ${idOf('flow', name)}["${name}"]`,
      '    direction LR',
      ...boxes.filter(({ id }) => ids.includes(id)).map(one => `    ${box(one)}`),
      '  end',
    ]),
    ...boxes.filter(({ id, role }) => role !== 'surface' && !inFlow.has(id)).map(one => `  ${box(one)}`),
    ...arrows.map(({ from, to, asks }) => `  ${from} ${asks ? '-.->' : '-->'} ${to}`),
  ].join('\n')
}

function dot({ boxes, flows, arrows }: Graph): string {
  const box = ({ id, label, role, facets }: Box): string =>
    `${id} [label="${[label, ...facets].join('\\n')}", shape=${DOT[role] ?? 'box'}];`
  const inFlow = new Set(flows.flatMap(({ ids }) => ids))
  return [
    'digraph pipeline {',
    '  rankdir=LR;',
    ...flows.flatMap(({ name, ids }) => [
      `  subgraph cluster_${idOf(name)} {`,
      `    label="${name}";`,
      ...boxes.filter(({ id }) => ids.includes(id)).map(one => `    ${box(one)}`),
      '  }',
    ]),
    ...boxes.filter(({ id }) => !inFlow.has(id)).map(one => `  ${box(one)}`),
    ...arrows.map(({ from, to, asks }) => `  ${from} -> ${to}${asks ? ' [style=dashed]' : ''};`),
    '}',
  ].join('\n')
}

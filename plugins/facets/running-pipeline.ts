import { facet, type Role } from 'deflector'

/** An instance of the pipeline; a layer is there once for each flow that lists it. */
export interface GraphNode {
  readonly id: string
  readonly role: Role
  /** Instance name. */
  readonly name: string
  /** Name of its plugin. */
  readonly plugin: string
  /** Of a layer, the flow it is drawn in; of a surface, the one that it feeds. */
  readonly flow: string | null
  /** Names of the facets under which the instance offers something to others. */
  readonly facets: readonly string[]
}

/** A pipeline as boxes and arrows: surfaces, then each flow's layers in order, then what those ask for. */
export interface PipelineGraph {
  readonly nodes: readonly GraphNode[]
  /** Nodes of each flow, in order. */
  readonly flows: readonly { readonly name: string; readonly ids: readonly string[] }[]
  /** A request goes along an edge, or, where it `asks`, the one node needs the other. */
  readonly edges: readonly { readonly from: string; readonly to: string; readonly asks: boolean }[]
}

/** The pipeline that serves. */
export interface RunningPipeline extends PipelineGraph {
  readonly file: string
  /** Counts up with every reload. */
  readonly generation: number
}

/** Offered by the process, not by a plugin of the pipeline; absent where something else runs the gateway. */
export const runningPipeline = facet<() => RunningPipeline>('running-pipeline')

import { isMap, isSeq, type Node } from 'yaml'
import type { Declared } from './sections.ts'
import { didYouMean } from './suggest.ts'
import type { PipelineText } from './text.ts'

/** A layer as a flow lists it. */
export interface Listed {
  readonly name: string
  readonly node: Node
}

/** The flows, each a list of layer names. */
export function readFlows(text: PipelineText, section: Node | undefined): Map<string, Listed[]> {
  const flows = new Map<string, Listed[]>()
  for (const { key, keyNode, value } of text.mapping(section, '"flows"')) {
    const list = text.value(value)
    flows.set(key, [])
    if (!Array.isArray(list) || !list.every(name => typeof name === 'string')) {
      text.report('wrong_shape', value ?? keyNode, `flow "${key}" must be a list of layer names`)
      continue
    }
    const at = (index: number): Node => (isSeq(value) ? text.follow(value.items[index]) : value) ?? keyNode
    const listed: Listed[] = []
    for (const [index, name] of list.entries()) {
      if (listed.some(other => other.name === name)) {
        text.report('duplicate_layer', at(index), `flow "${key}" lists layer "${name}" twice`)
      } else listed.push({ name, node: at(index) })
    }
    flows.set(key, listed)
  }
  return flows
}

/** A surface's flow exists, and what is declared is also used. */
export function checkFlows(
  text: PipelineText,
  declared: readonly Declared[],
  flows: ReadonlyMap<string, Listed[]>,
): void {
  const fed = new Set<string>()
  for (const { name, flow, flowNode, keyNode } of declared) {
    if (flow === undefined) continue
    fed.add(flow)
    if (flows.has(flow)) continue
    const hint = didYouMean(flow, flows.keys())
    text.report(
      'unknown_flow',
      flowNode ?? keyNode,
      `surface "${name}" feeds flow "${flow}", which is not under "flows"${hint}`,
    )
  }
  const section = isMap(text.root) ? text.entries(text.root).find(({ key }) => key === 'flows')?.value : undefined
  for (const { key, keyNode } of isMap(section) ? text.entries(section) : []) {
    if (!fed.has(key)) text.report('unused_flow', keyNode, `no surface feeds flow "${key}"`)
  }
  const listed = new Set([...flows.values()].flat().map(({ name }) => name))
  for (const { role, name, keyNode, implicit } of declared) {
    if (role !== 'layer' || implicit || listed.has(name)) continue
    text.report('unused_instance', keyNode, `no flow lists layer "${name}"`)
  }
}

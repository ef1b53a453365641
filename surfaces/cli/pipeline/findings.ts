import { cacheControls } from 'deflector/facets/cache-controls'
import { listener } from 'deflector/facets/listener'
import type { Problem } from '../../../core/pipeline/types.ts'
import { finding, type Wired } from './wired.ts'

/** What only the whole of a wired pipeline shows. */
export const findings = (wired: Wired): Problem[] => [
  ...duplicateRoutes(wired),
  ...unheard(wired),
  ...unserved(wired),
  ...lateCaches(wired),
  ...unsupportedOperations(wired),
]

const duplicateRoutes = ({ pipeline, routing }: Wired): Problem[] =>
  routing.shadowed.map(({ offer: { by, route }, behind }) => {
    const rest = `surface "${behind.by.name}" takes them all`
    const message = `surface "${by.name}" never gets a ${route.method} ${route.path}; ${rest}`
    return finding(pipeline, 'duplicate_route', by.at, message)
  })

function unheard({ pipeline, offered }: Wired): Problem[] {
  if (offered.some(({ facet }) => facet === listener.name)) return []
  const message = 'no surface listens, and `deflector up` refuses such a file; add one under "surfaces", such as http'
  return [finding(pipeline, 'no_listener', { line: 1, column: 1 }, message)]
}

const unserved = ({ pipeline, routing }: Wired): Problem[] =>
  routing.unserved.map(({ name, at }) => {
    const message = `no listener serves surface "${name}"; add it to the option "serves" of one`
    return finding(pipeline, 'unserved_surface', at, message)
  })

/** A layer that keeps answers and is asked only after a vendor was. */
function lateCaches({ pipeline, flows, asks, offered }: Wired): Problem[] {
  const layers = pipeline.instances.layer
  const isAsker = (layer: string): boolean => asks.some(({ by, role }) => role === 'provider' && isLayer(by, layer))
  const isCache = (layer: string): boolean =>
    offered.some(({ by, facet }) => facet === cacheControls.name && isLayer(by, layer))
  return [...flows].flatMap(([flow, { hooks }]) => {
    // A layer may ask for a provider to read its model: those that answer are meant.
    const names = hooks.answer.taps.map(tap => tap.name)
    const first = names.findIndex(isAsker)
    if (first < 0) return []
    return names.slice(first + 1).flatMap(name => {
      const at = layers.get(name)?.at
      if (!at || !isCache(name)) return []
      const what = `layer "${name}" keeps answers, and in flow "${flow}" it comes after "${names[first]}", which asks vendors`
      return [finding(pipeline, 'late_cache', at, `${what}: list it first`)]
    })
  })
}

const isLayer = ({ role, name }: { readonly role: string; readonly name: string }, layer: string): boolean =>
  role === 'layer' && name === layer

/** A surface lets in an operation that none of its flow's layers answers, or none of the providers behind them serves. */
function unsupportedOperations(wired: Wired): Problem[] {
  const { pipeline, flows } = wired
  return [...pipeline.instances.surface.values()].flatMap(({ name, plugin, flow, at }) => {
    const laid = flow === undefined ? undefined : flows.get(flow)
    if (!laid) return []
    const answering = new Set([...laid.hooks.answer.taps, ...laid.hooks.recover.taps].map(tap => tap.name))
    return plugin.operations.flatMap(operation => {
      const why = whyUnsupported(wired, [...answering], operation)
      if (why === undefined) return []
      const message = `surface "${name}" takes "${operation}", and in flow "${flow}" ${why}`
      return [finding(pipeline, 'unsupported_operation', at, message)]
    })
  })
}

function whyUnsupported(
  { pipeline, asks, operationsOf }: Wired,
  layers: readonly string[],
  operation: string,
): string | undefined {
  const understand = layers.filter(name => {
    const operations = pipeline.instances.layer.get(name)?.plugin.operations ?? []
    return operations.includes(operation) || operations.includes('*')
  })
  if (understand.length === 0) return 'no layer answers that: list one that does'
  const asked = asks.filter(({ by, role }) => role === 'provider' && understand.some(layer => isLayer(by, layer)))
  if (asked.length === 0 || asked.some(({ name }) => operationsOf(name).includes(operation))) return undefined
  const served = [...new Set(asked.map(({ name }) => name))].map(name => `${name} (${operationsOf(name).join(', ')})`)
  return `no provider serves that: there are ${served.join(', ')}; add one that does`
}

import { fault } from 'deflector/facets/fault'
import { Generation } from '../../../core/generation.ts'
import type { Instance, Pipeline } from '../../../core/pipeline/types.ts'
import { aroundUnserved } from '../unserved.ts'
import type { Checked } from './outside.ts'

const NONE: ReadonlyMap<string, Instance> = new Map()

/** Starts these layers of a pipeline, each by itself with its models, and asks what is wrong with what they were given. */
export const checkLayers = (pipeline: Pipeline, names: readonly string[]): Promise<readonly Checked[]> =>
  Promise.all(names.map(name => checkLayer(pipeline, name)))

async function checkLayer(pipeline: Pipeline, name: string): Promise<Checked> {
  const row = (result: Checked['result'], detail: string): Checked => ({ check: 'layer', name, result, detail })
  const { layer, model, store } = pipeline.instances
  const alone = new Map([...layer].filter(([other]) => other === name))
  const instances = { layer: alone, model, store, provider: NONE, surface: NONE, observer: NONE }
  const flows = new Map([['check', [name]]])
  const generation = await Generation.build({ ...pipeline, instances, flows }, aroundUnserved('check'))
  try {
    await generation.start()
    const wrong = generation.facets.offers(fault, 'layer').get(name)?.()
    return wrong === undefined ? row('ok', '') : row('warning', wrong)
  } catch (error) {
    return row('failed', error instanceof Error ? error.message : String(error))
  } finally {
    await generation.dispose()
  }
}

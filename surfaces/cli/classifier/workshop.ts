import { fingerprintOf } from 'deflector/heads'
import { z } from 'zod'
import { Generation } from '../../../core/generation.ts'
import type { LayerHost, SurfaceHost } from '../../../core/host.ts'
import type { EmbedderHandle } from '../../../core/model.ts'
import type { Instance, Pipeline } from '../../../core/pipeline/types.ts'
import { defineLayer, defineSurface, type Plugin } from '../../../core/plugin.ts'
import { CommandError } from '../failure.ts'
import { ownPipeline } from '../own-pipeline.ts'
import { aroundUnserved } from '../unserved.ts'

/** The gateway's embedder and its classifier, started without a gateway. */
export interface Workshop {
  readonly embedder: EmbedderHandle
  /** What an artifact calls that embedder. */
  readonly fingerprint: string
  readonly surface: SurfaceHost
  readonly generation: Generation
  /** Name of the classifier layer; absent where the pipeline has none. */
  readonly classifier: string | undefined
}

const FLOW = 'classifier'
const NONE: ReadonlyMap<string, Instance> = new Map()
const optionsSchema = z.looseObject({ enabled: z.boolean(), model: z.string() })

/**
 * Starts the embedder of the current settings, and the classifier layer as if it were on where `classifying` is set.
 * All is closed when `use` has ended.
 */
export async function inWorkshop<T>(
  { classifying, artifact }: { readonly classifying: boolean; readonly artifact?: string },
  use: (workshop: Workshop) => Promise<T>,
): Promise<T> {
  const pipeline = await ownPipeline()
  const found = [...pipeline.instances.layer.values()].find(({ plugin }) => plugin.name === 'classifier')
  const options = found && optionsSchema.parse(found.options)
  const model = options?.model ?? 'embedder'
  if (!pipeline.instances.model.has(model)) throw new CommandError(`${pipeline.file}: there is no model "${model}"`)
  let embedder: LayerHost['model'] extends (name: string) => infer M ? M | undefined : never
  let surface: SurfaceHost | undefined
  const asks = defineLayer({
    name: 'asks-embedder',
    options: z.unknown(),
    apply: host => {
      embedder = host.model(model)
    },
  })
  const asking = defineSurface({
    name: 'asks-classifier',
    options: z.unknown(),
    needsFlow: true,
    apply: host => {
      surface = host
    },
  })
  const on =
    classifying && found && options
      ? [changed(found, { ...options, enabled: true, ...(artifact !== undefined && { artifact }) })]
      : []
  const layers = [...on, instanceOf(asks)]
  const instances: Pipeline['instances'] = {
    provider: NONE,
    store: NONE,
    observer: NONE,
    model: pipeline.instances.model,
    layer: new Map(layers.map(one => [one.name, one])),
    surface: new Map([[asking.name, { ...instanceOf(asking), flow: FLOW }]]),
  }
  const flows = new Map([[FLOW, layers.map(({ name }) => name)]])
  const generation = await Generation.build({ ...pipeline, instances, flows }, aroundUnserved('cli'))
  try {
    await generation.start()
    generation.serve()
    if (!embedder || !('embedFor' in embedder) || !surface)
      throw new CommandError(`the model "${model}" does not embed`)
    return await use({ embedder, fingerprint: fingerprintOf(embedder), surface, generation, classifier: on[0]?.name })
  } finally {
    await generation.dispose()
  }
}

const instanceOf = (plugin: Plugin): Instance => ({
  role: plugin.role,
  name: plugin.name,
  plugin,
  options: {},
  at: { line: 1, column: 1 },
})

/** The schema looks at the changed options too: rules that an artifact does not know are told as at the start. */
function changed(instance: Instance, options: object): Instance {
  const checked = instance.plugin.options.safeParse(options)
  if (!checked.success)
    throw new CommandError(...checked.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`))
  return { ...instance, options: checked.data }
}

import type { Entry } from './entry.ts'
import type { SettingValues } from './schema.ts'

/** A setting with the address of a model server. */
type ServerSetting = 'slm_router.remote_url' | 'layer2.sidecar_url' | 'local_slm_url'

/** The models of the small-model layer, and the names by which the pipeline finds them. */
export interface SmallModels {
  readonly entries: Readonly<Record<string, Entry>>
  readonly writer: string | undefined
  /** Classifies; absent where a trained file does. */
  readonly intent: string | undefined
  /** Where their servers are set. */
  readonly servers: readonly ServerSetting[]
}

/** Writes the answers, and classifies where nothing else does. */
const WRITER = 'small-model'
/** Classifies on a server of its own. */
const INTENT = 'intent-model'

const NONE: SmallModels = { entries: {}, writer: undefined, intent: undefined, servers: [] }

/**
 * What classifies and what writes: one vLLM server for both, one model in a process beside the gateway for both, or a
 * server for each.
 */
export function smallModelsOf({
  values,
  modelCacheDir,
}: {
  readonly values: SettingValues
  readonly modelCacheDir?: string | undefined
}): SmallModels {
  if (!values.enable_slm_router) return NONE
  const asksModel = values['slm_router.classifier'] === 'model'
  const key = values['slm_router.api_key']
  const server = (setting: ServerSetting, model: string): Entry => ({
    use: 'chat-server',
    options: {
      url: values[setting],
      model,
      timeout_secs: values['layer2.timeout_seconds'],
      ...(key !== undefined && { api_key: key }),
    },
  })
  const both = (entry: Entry, ...servers: ServerSetting[]): SmallModels => ({
    entries: { [WRITER]: entry },
    writer: WRITER,
    intent: asksModel ? WRITER : undefined,
    servers,
  })
  if (values['slm_router.provider'] === 'vllm')
    return both(server('slm_router.remote_url', values['slm_router.model']), 'slm_router.remote_url')
  const path = values['slm_router.model_path']
  if (path !== undefined)
    return both({
      use: 'text-generation',
      options: { model: path, ...(modelCacheDir !== undefined && { cache_dir: modelCacheDir }) },
    })
  const writer = server('layer2.sidecar_url', values['layer2.model_name'])
  const intent = server('local_slm_url', values.local_slm_model)
  return {
    entries: { [WRITER]: writer, ...(asksModel && { [INTENT]: intent }) },
    writer: WRITER,
    intent: asksModel ? INTENT : undefined,
    servers: ['layer2.sidecar_url', ...(asksModel ? (['local_slm_url'] as const) : [])],
  }
}

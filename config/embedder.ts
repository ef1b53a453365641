import type { Entry } from './entry.ts'
import type { LoadedSettings } from './load.ts'

/** Names of the model in the package. They exist in settings only: the plugin takes a folder, or nothing. */
const BUILT_IN: ReadonlySet<string> = new Set(['static', 'deflector-static-384'])

/**
 * The model that embeds prompts. `candle` means locally: the built-in model in this process, any other one through the
 * transformers library in a child process, whose crash does not end the gateway.
 */
export function embedderOf({ values, modelCacheDir }: LoadedSettings): Entry {
  const model = values.embedding_model
  switch (values['semantic_cache.provider']) {
    case 'tei':
      return { use: 'tei', options: { url: values['semantic_cache.remote_url'] } }
    case 'sidecar': {
      const { 'embedding_sidecar.sidecar_url': url, 'embedding_sidecar.model_name': name } = values
      const options = { url, model: name, timeout_secs: values['embedding_sidecar.timeout_seconds'] }
      return { use: 'sidecar', options }
    }
    case 'candle':
      if (BUILT_IN.has(model)) return { use: 'static', options: {} }
      return { use: 'transformers', options: { model, ...(modelCacheDir && { cache_dir: modelCacheDir }) } }
  }
}

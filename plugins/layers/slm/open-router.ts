import type { EmbedderHandle, LayerHost, Writer } from 'deflector'
import type { Classifier } from './classifier.ts'
import { intentModel } from './intent-model.ts'
import { LocalModel } from './local-model.ts'
import type { SlmModels } from './models.ts'
import type { SlmOptions } from './options.ts'
import { SmallModelRouter } from './router.ts'

/** Puts a router together; loaded only where the layer is enabled. */
export async function openRouter(
  host: LayerHost,
  options: SlmOptions,
  { writer, intent }: SlmModels,
): Promise<SmallModelRouter> {
  const { clock, log } = host
  const timeoutMs = options.timeout_secs * 1000
  const writing = new LocalModel(writer, { clock, log, timeoutMs })
  const classifier = 'embed' in intent ? await byHeads(intent) : byModel(intent)
  return new SmallModelRouter({ host, options, classifier, writer, local: writing })

  async function byHeads(embedder: EmbedderHandle): Promise<Classifier> {
    const { intentHeads } = await import('./intent-heads.ts')
    return intentHeads(embedder, options)
  }

  /** One model for both is away for both. */
  function byModel(model: Writer): Classifier {
    const asked = model === writer ? writing : new LocalModel(model, { clock, log, timeoutMs })
    return intentModel(model, asked, options.mode)
  }
}

import { type ContextPreview, contextPreview } from 'deflector/facets/context-preview'
import type { Prompt } from '../../../core/chat/format.ts'
import { Generation } from '../../../core/generation.ts'
import { CommandError } from '../failure.ts'
import { ownPipeline } from '../own-pipeline.ts'
import { aroundUnserved } from '../unserved.ts'

/** What the pipeline of this place would make of a prompt. It is wired and not started: nothing is opened, nothing is sent. */
export async function previewOf(prompt: Prompt, flag: string | undefined): Promise<ContextPreview> {
  const pipeline = await ownPipeline(flag)
  const generation = await Generation.build(pipeline, aroundUnserved('preview'))
  try {
    const [preview] = generation.facets.offers(contextPreview, 'layer').values()
    if (!preview)
      throw new CommandError(
        `${pipeline.file} has no context optimiser, or it is off`,
        'set enable_context_optimizer = true (SERVICE__ENABLE_CONTEXT_OPTIMIZER), or list the layer in a flow',
      )
    return await preview(prompt)
  } finally {
    await generation.dispose()
  }
}

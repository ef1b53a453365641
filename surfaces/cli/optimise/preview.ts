import { readFile } from 'node:fs/promises'
import { type ContextPreview, contextPreview } from 'deflector/facets/context-preview'
import { loadSettings } from '../../../config/load.ts'
import { sourcesOf } from '../../../config/origins.ts'
import { pipelineSettings } from '../../../config/providers.ts'
import type { Prompt } from '../../../core/chat/format.ts'
import { systemClock } from '../../../core/clock.ts'
import { problemLine } from '../../../core/gateway.ts'
import { Generation } from '../../../core/generation.ts'
import type { Log } from '../../../core/host.ts'
import { hostLog } from '../../../core/host-log.ts'
import { Keep } from '../../../core/keep.ts'
import { createLoader } from '../../../core/pipeline/loader.ts'
import { readPipeline } from '../../../core/pipeline/read.ts'
import { CommandError } from '../failure.ts'
import { pipelineFile } from '../pipeline-file.ts'

const quiet: Log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} }

/** What the pipeline of this place would make of a prompt. It is wired and not started: nothing is opened, nothing is sent. */
export async function previewOf(prompt: Prompt, flag: string | undefined): Promise<ContextPreview> {
  const loaded = loadSettings({ cwd: process.cwd(), env: process.env })
  const file = pipelineFile(loaded, { cwd: process.cwd(), flag })
  const { pipeline, problems } = await readPipeline({
    file,
    text: await readFile(file, 'utf8'),
    settings: pipelineSettings(loaded, process.env),
    loader: createLoader(),
    sourceOf: sourcesOf(loaded),
  })
  if (!pipeline) throw new CommandError(...problems.filter(({ severity }) => severity === 'error').map(problemLine))
  const around = {
    log: hostLog(quiet, systemClock),
    clock: systemClock,
    keep: new Keep(),
    gateway: 'preview',
    number: 0,
  }
  const generation = await Generation.build(pipeline, around)
  try {
    const [preview] = generation.facets.offers(contextPreview, 'layer').values()
    if (!preview)
      throw new CommandError(
        `${file} has no context optimiser, or it is off`,
        'set enable_context_optimizer = true (SERVICE__ENABLE_CONTEXT_OPTIMIZER), or list the layer in a flow',
      )
    return await preview(prompt)
  } finally {
    await generation.dispose()
  }
}

import { readFile } from 'node:fs/promises'
import { loadSettings } from '../../config/load.ts'
import { sourcesOf } from '../../config/origins.ts'
import { pipelineSettings } from '../../config/providers.ts'
import { problemLine } from '../../core/gateway.ts'
import { createLoader } from '../../core/pipeline/loader.ts'
import { readPipeline } from '../../core/pipeline/read.ts'
import type { Pipeline } from '../../core/pipeline/types.ts'
import { CommandError } from './failure.ts'
import { pipelineFile } from './pipeline-file.ts'

/**
 * The pipeline that a gateway started here would have; `flag` is what `--pipeline` names. Throws a `CommandError` with all
 * that is wrong with it.
 */
export async function ownPipeline(flag?: string): Promise<Pipeline> {
  const cwd = process.cwd()
  const loaded = loadSettings({ cwd, env: process.env })
  const file = pipelineFile(loaded, { cwd, flag })
  const settings = pipelineSettings(loaded, process.env)
  const text = await readFile(file, 'utf8')
  const sourceOf = sourcesOf(loaded)
  const { pipeline, problems } = await readPipeline({ file, text, settings, loader: createLoader(), sourceOf })
  if (pipeline) return pipeline
  throw new CommandError(...problems.filter(({ severity }) => severity === 'error').map(problemLine))
}

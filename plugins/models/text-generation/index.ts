import { basename, join } from 'node:path'
import { defineModel, type Writer } from 'deflector'
import { health } from 'deflector/facets/health'
import { cacheFolder, placeOf, startError } from 'deflector/model-process'
import { z } from 'zod'
import { WritingProcess } from './writing-process.ts'

/** The library's name for a decoder with its cache of keys and values. */
const WEIGHTS = join('onnx', 'decoder_model_merged_quantized.onnx')

/** Writes with any causal language model that the transformers library can run, in a child process. Always the likeliest word. */
export default defineModel({
  name: 'text-generation',
  summary: 'writes with a transformers language model in a process of its own',
  options: z.strictObject({
    model: z.string().min(1).describe('A folder or a hub id (`Xenova/Qwen1.5-0.5B-Chat`).'),
    cache_dir: z
      .string()
      .min(1)
      .optional()
      .describe('Folder for downloads. Default: the hub cache, `~/.cache/huggingface`.'),
    max_queue: z.number().int().positive().default(8).describe('Most texts that may wait; more are refused.'),
    stall_timeout_ms: z
      .number()
      .int()
      .positive()
      .default(30_000)
      .describe('Milliseconds without a new token, after which the child process is replaced, at most once a minute.'),
  }),
  apply({ keep, onStart, offer, clock, log }, options): Writer {
    const cacheDir = cacheFolder(options.cache_dir)
    const { model, max_queue: maxQueue, stall_timeout_ms: stallMs } = options
    const kept = keep(
      `text-generation:${model}:${cacheDir}:${maxQueue}:${stallMs}`,
      (): { writing?: WritingProcess } => ({}),
      ({ writing }) => writing?.close(),
    )
    onStart(async () => {
      if (kept.writing) return
      try {
        const writing = new WritingProcess({ place: placeOf(model, cacheDir, WEIGHTS), maxQueue, stallMs, clock, log })
        await writing.start()
        kept.writing = writing
      } catch (error) {
        throw startError(
          {
            model: `language model "${model}"`,
            cacheDir,
            weights: WEIGHTS,
            memory: 'memory of twice the size of its weights',
            instead: 'set slm_router.provider to "vllm", enable_slm_router to false, or no slm_router.model_path',
          },
          error,
        )
      }
    })
    offer(health, () => (kept.writing?.up === false ? 'degraded' : 'active'))
    return {
      model: basename(model),
      write: async (task, cancellation) => {
        if (!kept.writing) throw new Error('the language model was used before it was started')
        return kept.writing.write(task, cancellation)
      },
    }
  },
})

/**
 * The embedding child: a process of its own, because the library's native part can crash, and does when a worker thread
 * loads it a second time. It loads one model, then turns texts into vectors, a batch at a time.
 */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { FromChild, Place, ToChild } from './messages.ts'
import { pooled } from './pooled.ts'

type Library = typeof import('@xenova/transformers')
type Embed = (texts: readonly string[]) => Promise<{ vectors: Float32Array; dimensions: number }>

let embed: Embed | undefined

const say = (message: FromChild): void => void process.send?.(message)
/** With what is behind it: that a fetch failed says little, that the host is unknown says all. */
function reason(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const message = error.message.replace(/\.+$/, '')
  return error.cause instanceof Error && error.cause.message ? `${message}: ${reason(error.cause)}` : message
}

process.on('message', (message: ToChild) => {
  if (message.type === 'load') void load(message.place, message.maxTokens)
  else void answer(message.batch, message.texts)
})
// Without its parent there is nobody to embed for.
process.on('disconnect', () => process.exit(0))

async function load(place: Place, maxTokens: number): Promise<void> {
  let library: Library
  try {
    library = await import('@xenova/transformers')
  } catch (error) {
    const missing = error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND'
    return say({ type: 'unready', why: missing ? 'missing_library' : 'broken_library', message: reason(error) })
  }
  try {
    embed = await withPrinted(() => openModel(library, place, maxTokens))
    const { dimensions } = await embed(['a first text, to see that it works'])
    say({ type: 'ready', dimensions, fingerprint: fingerprint(place) })
  } catch (error) {
    say({ type: 'unready', why: 'no_model', message: reason(error) })
  }
}

/** The library prints why a model does not load, and throws something that says nothing. */
async function withPrinted<T>(run: () => Promise<T>): Promise<T> {
  const { error: toError, warn: toWarn } = console
  const printed: string[] = []
  console.error = console.warn = (first: unknown): void => void printed.push(reason(first))
  try {
    return await run()
  } catch (error) {
    throw new Error([reason(error), ...printed.slice(0, 1)].join(': '))
  } finally {
    console.error = toError
    console.warn = toWarn
  }
}

async function openModel(library: Library, place: Place, maxTokens: number): Promise<Embed> {
  const { env, AutoTokenizer, AutoModel } = library
  env.allowRemoteModels = place.parent === undefined
  env.allowLocalModels = place.parent !== undefined
  if (place.parent !== undefined) env.localModelPath = place.parent
  env.useFSCache = place.parent === undefined
  env.cacheDir = place.cacheDir
  const progress_callback = (event: { status: string; file?: string; progress?: number }): void => {
    // Files of a local model report their reading too.
    if (place.parent === undefined && event.status === 'progress')
      say({ type: 'progress', file: event.file ?? '', percent: event.progress ?? 0 })
  }
  const options = { quantized: true, progress_callback }
  const tokenizer = await AutoTokenizer.from_pretrained(place.model, options)
  // As an option of the call it would be what every text is filled up to.
  tokenizer.model_max_length = Math.min(tokenizer.model_max_length ?? maxTokens, maxTokens)
  const model = await AutoModel.from_pretrained(place.model, options)
  return async texts => {
    const inputs = await tokenizer([...texts], { padding: true, truncation: true })
    const output = await model(inputs)
    const hidden = output.last_hidden_state ?? output.token_embeddings
    if (!hidden) throw new Error('the model gives no vector for each token')
    const [, tokens, dimensions] = hidden.dims
    return { vectors: pooled(hidden.data, inputs.attention_mask.data, texts.length, tokens, dimensions), dimensions }
  }
}

async function answer(batch: number, texts: readonly string[]): Promise<void> {
  try {
    if (!embed) throw new Error('no model is loaded')
    const { vectors } = await embed(texts)
    say({ type: 'vectors', batch, vectors })
  } catch (error) {
    say({ type: 'failed', batch, message: reason(error) })
  }
}

/** SHA-256 over tokenizer and weights, 16 hex digits: the same files have the same, whoever loads them. */
function fingerprint({ parent, model, cacheDir }: Place): string {
  const hash = createHash('sha256')
  for (const file of ['tokenizer.json', 'onnx/model_quantized.onnx'])
    hash.update(readFileSync(join(parent ?? cacheDir, model, file)))
  return hash.digest('hex').slice(0, 16)
}

/**
 * The embedding child: a process of its own, because the library's native part can crash, and does so when a worker
 * thread loads it a second time. It loads one model, then embeds one batch of texts at a time.
 */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { FromChild, Place, ToChild } from './messages.ts'
import { pooled } from './pooled.ts'

type Library = typeof import('@xenova/transformers')
type Embed = (texts: readonly string[]) => Promise<{ vectors: Float32Array; dimensions: number }>

let embed: Embed | undefined

const send = (message: FromChild): void => void process.send?.(message)
/** The message with its causes: "fetch failed" alone does not say that the host is unknown. */
function reason(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const message = error.message.replace(/\.+$/, '')
  return error.cause instanceof Error && error.cause.message ? `${message}: ${reason(error.cause)}` : message
}

process.on('message', (message: ToChild) => {
  if (message.type === 'load') void load(message.place, message.maxTokens)
  else void answer(message.batch, message.texts)
})
// Ends with its parent.
process.on('disconnect', () => process.exit(0))

async function load(place: Place, maxTokens: number): Promise<void> {
  let library: Library
  try {
    library = await import('@xenova/transformers')
  } catch (error) {
    const missing = error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND'
    return send({ type: 'unready', why: missing ? 'missing_library' : 'broken_library', message: reason(error) })
  }
  try {
    embed = await withPrinted(() => openModel(library, place, maxTokens))
    const { dimensions } = await embed(['a first text, to see that it works'])
    send({ type: 'ready', dimensions, fingerprint: fingerprint(place) })
  } catch (error) {
    send({ type: 'unready', why: 'no_model', message: reason(error) })
  }
}

/** Adds what the library prints to its error, which does not say why a model fails to load. */
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
    // A local model reports progress as well, for reading its files.
    if (place.parent === undefined && event.status === 'progress')
      send({ type: 'progress', file: event.file ?? '', percent: event.progress ?? 0 })
  }
  const options = { quantized: true, progress_callback }
  const tokenizer = await AutoTokenizer.from_pretrained(place.model, options)
  // Set here, because as an option of the call it would be the length to which every text is padded.
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
    send({ type: 'vectors', batch, vectors })
  } catch (error) {
    send({ type: 'failed', batch, message: reason(error) })
  }
}

/** SHA-256 over tokenizer and weights, 16 hex digits: equal files have equal fingerprints. */
function fingerprint({ parent, model, cacheDir }: Place): string {
  const hash = createHash('sha256')
  for (const file of ['tokenizer.json', 'onnx/model_quantized.onnx'])
    hash.update(readFileSync(join(parent ?? cacheDir, model, file)))
  return hash.digest('hex').slice(0, 16)
}

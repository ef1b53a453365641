/**
 * The embedding child: a process of its own, because the library's native part can crash, and does so when a worker
 * thread loads it a second time. It loads one model, then embeds one batch of texts at a time.
 */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Loading, load, type Place, reason } from 'deflector/model-process'
import type { Embed, Embedded, Load, Ready } from './messages.ts'
import { pooled } from './pooled.ts'

type Embedding = (texts: readonly string[]) => Promise<{ vectors: Float32Array; dimensions: number }>

let embed: Embedding | undefined

const send = (message: Embedded | Loading<Ready>): void => void process.send?.(message)

process.on('message', (message: Load | Embed) => {
  if (message.type === 'load') void open(message)
  else void answer(message.batch, message.texts)
})
// Ends with its parent.
process.on('disconnect', () => process.exit(0))

const open = ({ place, maxTokens }: Load): Promise<void> =>
  load<Ready>(place, send, async ({ AutoTokenizer, AutoModel }, options) => {
    const tokenizer = await AutoTokenizer.from_pretrained(place.model, options)
    // Set here, because as an option of the call it would be the length to which every text is padded.
    tokenizer.model_max_length = Math.min(tokenizer.model_max_length ?? maxTokens, maxTokens)
    const model = await AutoModel.from_pretrained(place.model, options)
    embed = async texts => {
      const inputs = await tokenizer([...texts], { padding: true, truncation: true })
      const output = await model(inputs)
      const hidden = output.last_hidden_state ?? output.token_embeddings
      if (!hidden) throw new Error('the model gives no vector for each token')
      const [, tokens, dimensions] = hidden.dims
      return { vectors: pooled(hidden.data, inputs.attention_mask.data, texts.length, tokens, dimensions), dimensions }
    }
    const { dimensions } = await embed(['a first text, to see that it works'])
    return { dimensions, fingerprint: fingerprint(place) }
  })

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

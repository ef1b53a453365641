import type { Cancellation } from './cancellation.ts'
import type { Exchange } from './exchange.ts'
import type { Embedder, EmbedderHandle, Model, Portable } from './model.ts'
import { Memo } from './open-exchange.ts'

export const isEmbedder = (model: Model): model is Embedder => 'embed' in model

/** The vectors of one exchange, by text. */
type Vectors = Map<string, Promise<Float32Array>>

/** An embedder that several layers share: it is asked once for each text of an exchange. */
export class SharedEmbedder implements EmbedderHandle {
  readonly #embedder: Embedder
  readonly #vectors = new Memo<Vectors>()

  constructor(embedder: Embedder) {
    this.#embedder = embedder
  }

  get dimensions(): number {
    return this.#embedder.dimensions
  }

  /** Known once the model was started. */
  get fingerprint(): string | undefined {
    return this.#embedder.fingerprint
  }

  get portable(): Portable | undefined {
    return this.#embedder.portable
  }

  embed(texts: readonly string[], cancellation?: Cancellation): Promise<Float32Array[]> {
    return this.#embedder.embed(texts, cancellation)
  }

  embedFor(exchange: Exchange, text: string, cancellation?: Cancellation): Promise<Float32Array> {
    const known = this.#vectors.of(exchange) ?? new Map()
    this.#vectors.set(exchange, known)
    const vector = known.get(text) ?? this.#embedOne(text, cancellation)
    known.set(text, vector)
    // A layer that gave up must not leave its cancellation to the next one that asks.
    vector.catch(() => known.get(text) === vector && known.delete(text))
    return vector
  }

  async #embedOne(text: string, cancellation: Cancellation | undefined): Promise<Float32Array> {
    const [vector] = await this.#embedder.embed([text], cancellation)
    if (!vector) throw new Error('the embedder gave no vector')
    return vector
  }
}

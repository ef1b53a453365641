import type { Cancellation } from './cancellation.ts'
import type { Exchange } from './exchange.ts'
import type { Embedder, EmbedderHandle, Model, Portable } from './model.ts'
import { Memo } from './open-exchange.ts'

export const isEmbedder = (model: Model): model is Embedder => 'embed' in model

/** The vectors of one exchange, by text: awaited, and made. */
interface Vectors {
  readonly awaited: Map<string, Promise<Float32Array>>
  readonly made: Map<string, Float32Array>
}

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
    const { awaited, made } = this.#vectors.of(exchange) ?? { awaited: new Map(), made: new Map() }
    this.#vectors.set(exchange, { awaited, made })
    const known = awaited.get(text)
    if (known) return known
    const vector = this.#embedOne(text, cancellation)
    awaited.set(text, vector)
    vector.then(
      ready => made.set(text, ready),
      // A layer that gave up must not leave its cancellation to the next one that asks.
      () => awaited.delete(text),
    )
    return vector
  }

  knownFor(exchange: Exchange, text: string): Float32Array | undefined {
    return this.#vectors.of(exchange)?.made.get(text)
  }

  async #embedOne(text: string, cancellation: Cancellation | undefined): Promise<Float32Array> {
    const [vector] = await this.#embedder.embed([text], cancellation)
    if (!vector) throw new Error('the embedder gave no vector')
    return vector
  }
}

import type { Cancellation } from './cancellation.ts'
import type { Exchange } from './exchange.ts'

/** Sentences to vectors of unit length, one for each text, in order. */
export interface Embedder {
  readonly dimensions: number
  /**
   * Names the weights, once started: vectors of two embedders may be compared when theirs are equal. It is part of
   * every key under which vectors are shared.
   */
  readonly fingerprint?: string | undefined
  /**
   * `cancellation` says that the result is not awaited any more, so that work not yet begun can be dropped. Its reason is called
   * `TimeoutError` where the model was too slow. Ask for its `signal` only where one is needed: that costs more.
   */
  embed(texts: readonly string[], cancellation?: Cancellation): Promise<Float32Array[]>
}

/** A small local model that writes text. */
export interface Writer {
  write(
    prompt: { readonly system?: string; readonly user: string; readonly maxTokens: number },
    signal: AbortSignal,
  ): Promise<string>
}

/** What a model plugin gives. */
export type Model = Embedder | Writer

/** An embedder as layers are handed it: layers that compare the same prompt share its vector. */
export interface EmbedderHandle extends Embedder {
  /**
   * The vector of `text`, computed once per exchange, whichever layers ask.
   * Rejects as `embed` does.
   */
  embedFor(exchange: Exchange, text: string, cancellation?: Cancellation): Promise<Float32Array>
}

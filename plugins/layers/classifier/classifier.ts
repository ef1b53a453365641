import { type EmbedderHandle, type Exchange, inTime, type LayerHost } from 'deflector'
import { type Classification, fingerprintOf, type Heads, openHeads } from 'deflector/heads'
import { artifactFile } from './artifact-file.ts'
import type { ClassifierOptions } from './options.ts'
import { lastWords } from './prompt-text.ts'
import { HEADS } from './rules.ts'

/** Why a request was not classified; the trail has it. */
export type Unclassified = 'no_artifact' | 'no_text' | 'no_vector'

/** Milliseconds that the embedder may take for its first text. */
const FIRST_MS = 5000
const WARM_UP = 'is it ready?'

/** Scores requests by the artifact of one generation. */
export class Classifier {
  readonly #host: Pick<LayerHost, 'log' | 'clock'>
  readonly #embedder: EmbedderHandle
  readonly #options: ClassifierOptions
  #heads: Heads | undefined
  #fault: string | undefined
  #failing = false

  constructor(host: Pick<LayerHost, 'log' | 'clock'>, embedder: EmbedderHandle, options: ClassifierOptions) {
    this.#host = host
    this.#embedder = embedder
    this.#options = options
  }

  /** Reads the artifact. One that is of no use is a warning: requests then go the way of `fallback`. */
  async start(): Promise<void> {
    const file = artifactFile(this.#options.artifact)
    try {
      this.#heads = await this.#headsOf(file)
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      this.#fault = `${file} is of no use: ${reason}`
      this.#host.log.warn('classifier routing has no artifact and routes nothing', { file, reason })
      return
    }
    // What runs for the first time is slow, and the first request should not wait for it.
    const limit = { ms: FIRST_MS, clock: this.#host.clock, what: 'no vector' }
    await inTime(limit, work => this.#embedder.embed([WARM_UP], work)).catch(() => {})
  }

  get degraded(): boolean {
    return !this.#heads || this.#failing
  }

  /** What is wrong with the artifact, with its file. */
  get fault(): string | undefined {
    return this.#fault
  }

  async classify(exchange: Exchange): Promise<Classification | Unclassified> {
    const heads = this.#heads
    if (!heads) return 'no_artifact'
    const text = await textOf(exchange)
    if (text === undefined) return 'no_text'
    const vector = await this.#vectorOf(exchange, text)
    return vector ? heads.classify(vector, text) : 'no_vector'
  }

  async #headsOf(file: string): Promise<Heads> {
    const opened = await openHeads(file)
    const embedder = fingerprintOf(this.#embedder)
    if (opened.embedder !== embedder)
      throw new Error(
        `it was made for the embedder ${opened.embedder}, and this one is ${embedder}; ` +
          'train one with "deflector classifier train", or use the embedder it was made for',
      )
    const missing = HEADS.filter(head => !Object.hasOwn(opened.heads.labels, head))
    if (missing.length > 0) throw new Error(`it lacks the heads ${missing.join(', ')}`)
    return opened.heads
  }

  async #vectorOf(exchange: Exchange, text: string): Promise<Float32Array | undefined> {
    const { log, clock } = this.#host
    const limit = { ms: this.#options.wait_ms, clock, what: 'no vector', parent: exchange.cancellation }
    try {
      const vector = await inTime(limit, work => this.#embedder.embedFor(exchange, text, work))
      if (this.#failing) log.recovered('embedder', 'prompts are classified again')
      this.#failing = false
      return vector
    } catch (error) {
      // The client has left, which says nothing about the embedder.
      if (exchange.cancellation.cancelled) return undefined
      this.#failing = true
      const reason = error instanceof Error ? error.message : String(error)
      log.degraded('embedder', 'prompts cannot be classified', { reason })
      return undefined
    }
  }
}

/** What cannot be read here may still be what its vendor understands. */
async function textOf(exchange: Exchange): Promise<string | undefined> {
  try {
    return await lastWords(exchange.prompt)
  } catch {
    return undefined
  }
}

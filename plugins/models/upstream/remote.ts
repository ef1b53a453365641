import { type Cancellation, CircuitBreaker, type Embedder, type Host } from 'deflector'
import { health } from 'deflector/facets/health'
import { Agent } from 'undici'
import { fingerprintOf, sameModel, traitsOf } from './identity.ts'
import { jsonCall, Refusal } from './json-call.ts'

/** What every vector of the gateway has (specification, "Limits"). */
const DIMENSIONS = 384
/** Texts that one call may carry; servers refuse more than about this. */
const BATCH = 32
/** Characters of a text that are sent: more than 512 tokens ever need, and no server must read a whole file. */
const MAX_CHARS = 16_384
/** A model shows what it is in the vector of this. A change empties every semantic cache. */
const PROBE = 'a first text, to see that it works'

/** An embedding server, and how to talk to it. */
export interface Remote {
  /** Whole address of the call. */
  readonly url: string
  readonly timeoutSecs: number
  /** Where the server says which weights it runs, and their name as it says it; `undefined` when it says too little. */
  readonly info?: { readonly url: string; weights(reply: unknown): unknown }
  /** Which setting to look at when the server cannot be had. */
  readonly setting: string
  body(texts: readonly string[]): unknown
  /** The vectors in the order of the texts; `undefined` when the reply is another one. */
  vectors(reply: unknown): readonly (readonly number[])[] | undefined
}

/**
 * An embedder behind HTTP. It is asked once at the start, so that a wrong address or model never serves, and again
 * whenever it comes back, so that another model that took its place does not either.
 */
export function remoteEmbedder({ onStart, onDispose, offer, clock, log }: Host, remote: Remote): Embedder {
  const agent = new Agent({ connections: 8 })
  const limitMs = remote.timeoutSecs * 1000
  let first: Float32Array | undefined
  let fingerprint = ''

  async function call(texts: readonly string[], cancellation?: Cancellation): Promise<Float32Array[]> {
    const body = remote.body(texts.map(text => text.slice(0, MAX_CHARS)))
    const vectors = remote.vectors(await jsonCall(agent, clock, { url: remote.url, body, limitMs, cancellation }))
    if (!vectors) throw new Error('the embedding server answers something else than vectors')
    if (vectors.length !== texts.length)
      throw new Error(`the embedding server gave ${vectors.length} vectors for ${texts.length} texts`)
    return vectors.map(unit)
  }

  async function probe(): Promise<Float32Array> {
    const [vector] = await call([PROBE])
    if (!vector) throw new Error('the embedding server gave no vector')
    if (first && !sameModel(first, vector))
      throw new Error('the embedding server has another model now; a reload takes it, and empties the semantic cache')
    return vector
  }

  async function weights(): Promise<unknown> {
    if (!remote.info) return undefined
    try {
      return remote.info.weights(await jsonCall(agent, clock, { url: remote.info.url, limitMs }))
    } catch {
      return undefined // not every server that speaks the format says what it runs
    }
  }

  const breaker = new CircuitBreaker({
    what: 'the embedding server',
    where: new URL(remote.url).host,
    probe,
    clock,
    log,
  })
  onDispose(async () => {
    breaker.dispose()
    await agent.destroy()
  })
  offer(health, () => (breaker.open ? 'degraded' : 'active'))
  onStart(async () => {
    try {
      first = await probe()
      fingerprint = fingerprintOf((await weights()) ?? traitsOf(first), DIMENSIONS)
    } catch (error) {
      throw new Error(
        `the embedding server cannot be used: ${error instanceof Error ? error.message : error}. Check ${remote.setting}, ` +
          'set semantic_cache.provider to "candle" for the built-in model, or cache_mode to "exact", which needs none',
        { cause: error },
      )
    }
  })
  return {
    dimensions: DIMENSIONS,
    get fingerprint() {
      return fingerprint
    },
    async embed(texts, cancellation) {
      if (breaker.open) throw new Error('the embedding server is out of reach')
      const parts: Promise<Float32Array[]>[] = []
      for (let i = 0; i < texts.length; i += BATCH) parts.push(call(texts.slice(i, i + BATCH), cancellation))
      try {
        const vectors = (await Promise.all(parts)).flat()
        breaker.succeeded()
        return vectors
      } catch (error) {
        if (!(error instanceof Refusal) && !hasLeft(cancellation)) breaker.failed(error)
        throw error
      }
    },
  }
}

/** Who waited is gone, which says nothing of the server; unless it is gone because the server took too long. */
const hasLeft = (cancellation: Cancellation | undefined): boolean =>
  cancellation?.cancelled === true &&
  !(cancellation.reason instanceof Error && cancellation.reason.name === 'TimeoutError')

function unit(values: readonly number[]): Float32Array {
  if (values.length !== DIMENSIONS)
    throw new Error(`the embedding server's model has ${values.length} dimensions, not ${DIMENSIONS}`)
  const length = Math.hypot(...values)
  if (!Number.isFinite(length) || length === 0) throw new Error('the embedding server gave a vector without a length')
  return Float32Array.from(values, value => value / length)
}

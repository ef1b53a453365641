import { type Cancellation, CircuitBreaker, type Embedder, type Host } from 'deflector'
import { health } from 'deflector/facets/health'
import { Agent } from 'undici'
import { fingerprintOf, sameModel, traitsOf } from './identity.ts'
import { jsonCall, Refusal } from './json-call.ts'

/** In messages. */
const WHAT = 'the embedding server'
/** Dimensions of every vector of the gateway (specification, "Limits"). */
const DIMENSIONS = 384
/** Most texts of one call; servers refuse larger calls. */
const BATCH = 32
/** Most characters of a text that are sent: more than 512 tokens need. */
const MAX_CHARS = 16_384
/** The text whose vector identifies the model. Changing it empties every semantic cache. */
const PROBE = 'a first text, to see that it works'

/** An embedding server, and how to talk to it. */
export interface Remote {
  /** Full address of the call. */
  readonly url: string
  readonly timeoutSecs: number
  /** Endpoint that describes the weights, and their name from its reply; `undefined` when it does not identify them. */
  readonly info?: { readonly url: string; weights(reply: unknown): unknown }
  /** The setting that an error message names when the server cannot be used. */
  readonly setting: string
  body(texts: readonly string[]): unknown
  /** The vectors in the order of the texts; `undefined` when the reply has another shape. */
  vectors(reply: unknown): readonly (readonly number[])[] | undefined
}

/**
 * An embedder over HTTP. A probe at the start refuses a wrong address or model. A probe after each outage refuses
 * another model that took its place.
 */
export function remoteEmbedder({ onStart, onDispose, offer, clock, log }: Host, remote: Remote): Embedder {
  const agent = new Agent({ connections: 8 })
  const limitMs = remote.timeoutSecs * 1000
  let first: Float32Array | undefined
  let fingerprint = ''

  async function call(texts: readonly string[], cancellation?: Cancellation): Promise<Float32Array[]> {
    const body = remote.body(texts.map(text => text.slice(0, MAX_CHARS)))
    const vectors = remote.vectors(
      await jsonCall(agent, clock, { what: WHAT, url: remote.url, body, limitMs, cancellation }),
    )
    if (!vectors) throw new Error('the embedding server answered something that is not vectors')
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
      return remote.info.weights(await jsonCall(agent, clock, { what: WHAT, url: remote.info.url, limitMs }))
    } catch {
      return undefined // not every server with this format describes its weights
    }
  }

  const breaker = new CircuitBreaker({
    what: WHAT,
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

/** Has the client left? That says nothing about the server, unless it left because the server took too long. */
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

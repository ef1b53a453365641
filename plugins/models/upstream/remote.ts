import type { Embedder, Host } from 'deflector'
import { Agent } from 'undici'

/** What every vector of the gateway has (specification, "Limits"). */
const DIMENSIONS = 384
/** Texts that one call may carry; servers refuse more than about this. */
const BATCH = 32
/** Characters of a text that are sent: more than 512 tokens ever need, and no server must read a whole file. */
const MAX_CHARS = 16_384
const MAX_REPLY_BYTES = 16 << 20

/** An embedding server, and how to talk to it. */
export interface Remote {
  /** Whole address of the call. */
  readonly url: string
  readonly timeoutSecs: number
  /** Weights that the server runs, as far as we are told; what its first vector shows is added. */
  readonly fingerprint: string
  /** Which setting to look at when the server cannot be had. */
  readonly setting: string
  body(texts: readonly string[]): unknown
  /** The vectors in the order of the texts. Throws when the reply is another one. */
  vectors(reply: unknown): readonly (readonly number[])[]
}

/** An embedder behind HTTP. It is asked once at the start, so that a wrong address or model never serves. */
export function remoteEmbedder({ onStart, onDispose }: Host, remote: Remote): Embedder {
  const agent = new Agent({ connections: 8 })
  onDispose(() => agent.destroy())

  async function call(texts: readonly string[], signal: AbortSignal | undefined): Promise<Float32Array[]> {
    const limit = AbortSignal.timeout(remote.timeoutSecs * 1000)
    const { origin, pathname, search } = new URL(remote.url)
    const reply = await agent.request({
      origin,
      path: pathname + search,
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(remote.body(texts.map(text => text.slice(0, MAX_CHARS)))),
      signal: signal ? AbortSignal.any([signal, limit]) : limit,
    })
    if (reply.statusCode !== 200) {
      await reply.body.dump()
      throw new Error(`the embedding server answered ${reply.statusCode}`)
    }
    const vectors = remote.vectors(await jsonOf(reply.body)).map(unit)
    if (vectors.length !== texts.length)
      throw new Error(`the embedding server gave ${vectors.length} vectors for ${texts.length} texts`)
    const odd = vectors.find(vector => vector.length !== DIMENSIONS)
    if (odd) throw new Error(`the embedding server's model has ${odd.length} dimensions, not ${DIMENSIONS}`)
    return vectors
  }

  let fingerprint = remote.fingerprint
  onStart(async () => {
    try {
      const [first] = await call(['a first text, to see that it works'], undefined)
      if (first) fingerprint = `${remote.fingerprint}#${traitsOf(first)}`
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
    async embed(texts, signal) {
      const parts: Promise<Float32Array[]>[] = []
      for (let i = 0; i < texts.length; i += BATCH) parts.push(call(texts.slice(i, i + BATCH), signal))
      return (await Promise.all(parts)).flat()
    },
  }
}

async function jsonOf(body: AsyncIterable<Uint8Array>): Promise<unknown> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of body) {
    bytes += chunk.length
    if (bytes > MAX_REPLY_BYTES) throw new Error('the embedding server answers without end')
    chunks.push(chunk)
  }
  return JSON.parse(Buffer.concat(chunks).toString('utf8'))
}

/** Directions that tell models apart: enough that no two share them, few enough that rounding does not change them. */
const TRAITS = 4

/** An address says little of the weights behind it: every replica may have a server of its own at the same one. */
const traitsOf = (vector: Float32Array): string =>
  [...vector.entries()]
    .sort(([, a], [, b]) => Math.abs(b) - Math.abs(a))
    .slice(0, TRAITS)
    .map(([place, value]) => (value < 0 ? -place - 1 : place + 1))
    .join()

function unit(values: readonly number[]): Float32Array {
  const length = Math.hypot(...values)
  return Float32Array.from(values, value => (length > 0 ? value / length : 0))
}

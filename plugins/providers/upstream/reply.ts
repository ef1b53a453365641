import { type Cancellation, joinInTurns, ProviderError } from 'deflector'
import { decoded } from './decode.ts'
import { joined, type ReplyHeaders } from './headers.ts'
import type { Head, Incoming } from './incoming.ts'
import { transportFailure } from './transport-failure.ts'

/** Bytes that an answer may have, decompressed. */
export const ANSWER_LIMIT = 64 << 20
/** Of an error body only the beginning is read. */
const ERROR_LIMIT = 256 << 10
/** Milliseconds to wait for it: the next attempt is waiting, too. */
const ERROR_TIMEOUT = 2_000
/** How long a vendor may take to end a reply of which we have all we want. */
const RELEASE_TIMEOUT = 1_000

/** A reply as those see it who read it piece by piece. */
export type ReplyStream = Pick<Reply, 'chunks' | 'cancel' | 'release' | 'framed'>

/** A reply whose head is in. Its body is read once, in one of the two ways. */
export class Reply {
  readonly status: number
  readonly headers: ReplyHeaders
  readonly #incoming: Incoming
  readonly #cancellation: Cancellation
  #seen: { readonly chunks: readonly Uint8Array[]; readonly rest: AsyncGenerator<Uint8Array> } | undefined

  constructor({ status, headers }: Head, incoming: Incoming, cancellation: Cancellation) {
    this.status = status
    this.headers = joined(headers)
    this.#incoming = incoming
    this.#cancellation = cancellation
  }

  /** Decompressed. What goes wrong on the way is thrown as a `ProviderError`. */
  async *chunks(): AsyncGenerator<Uint8Array> {
    const seen = this.#seen
    if (seen) {
      this.#seen = undefined
      yield* seen.chunks
      yield* seen.rest
      return
    }
    const encoding = this.#encoding
    try {
      yield* encoding === undefined ? this.#incoming : decoded(this.#incoming, encoding)
    } catch (error) {
      throw transportFailure(error, this.#cancellation)
    }
  }

  /**
   * The beginning of the body, decompressed, as far as it takes until it is `enough` or the body ends. Reads nothing away:
   * who reads the body gets it from its first byte. Throws `ProviderError`.
   */
  async beginning(enough: (begun: Buffer) => boolean): Promise<Buffer> {
    const rest = this.chunks()
    const chunks: Uint8Array[] = []
    let begun = Buffer.alloc(0)
    while (!enough(begun)) {
      const { value, done } = await rest.next()
      if (done) break
      chunks.push(value)
      begun = Buffer.concat([begun, value])
    }
    this.#seen = { chunks, rest }
    return begun
  }

  /** The same bytes all at once. Throws `ProviderError('protocol')` for more than 64 MiB. */
  bytes(): Promise<Buffer> {
    return this.#encoding === undefined && !this.#seen ? this.#plain() : this.#gathered()
  }

  /** Does the transport mark the end of the body? Without it a broken line looks like the end. */
  get framed(): boolean {
    const { 'content-length': length, 'transfer-encoding': transfer = '' } = this.headers
    return length !== undefined || /(?:^|,)\s*chunked\s*$/i.test(transfer)
  }

  get #encoding(): string | undefined {
    const encoding = this.headers['content-encoding']
    return encoding === 'identity' ? undefined : encoding
  }

  /** Most answers come unencoded and in one piece. */
  async #plain(): Promise<Buffer> {
    const incoming = this.#incoming
    const read: Buffer[] = []
    let size = 0
    try {
      for (;;) {
        const chunks = incoming.take()
        for (const chunk of chunks) size += chunk.length
        if (size > ANSWER_LIMIT) throw tooLarge()
        read.push(...chunks)
        if (chunks.length > 0) continue
        if (incoming.ended) break
        await incoming.more()
      }
    } catch (error) {
      const failure = transportFailure(error, this.#cancellation)
      this.cancel(failure)
      throw failure
    }
    return read.length === 1 && read[0] ? read[0] : joinInTurns(read)
  }

  async #gathered(): Promise<Buffer> {
    const read: Uint8Array[] = []
    let size = 0
    for await (const chunk of this.chunks()) {
      size += chunk.length
      if (size > ANSWER_LIMIT) {
        this.cancel(tooLarge())
        throw tooLarge()
      }
      read.push(chunk)
    }
    return joinInTurns(read)
  }

  /** Ends the call; who reads gets `reason`. */
  cancel(reason: ProviderError): void {
    this.#incoming.cancel(reason)
  }

  /** Lets what is left run out, so that the connection can be used again. */
  release(): void {
    if (this.#incoming.ended) return
    this.#incoming.drop()
    setTimeout(() => this.cancel(new ProviderError('timeout', 'the reply did not end')), RELEASE_TIMEOUT).unref()
  }
}

const tooLarge = (): ProviderError => new ProviderError('protocol', 'the answer is larger than 64 MiB')

/** The body of a failure, as far as it can be had: the status alone already says enough. */
export async function readError(reply: ReplyStream): Promise<string> {
  const chunks: Uint8Array[] = []
  let size = 0
  const timer = setTimeout(
    () => reply.cancel(new ProviderError('timeout', 'the error body took too long')),
    ERROR_TIMEOUT,
  )
  try {
    for await (const chunk of reply.chunks()) {
      chunks.push(chunk)
      size += chunk.length
      if (size > ERROR_LIMIT) break
    }
    reply.release()
  } catch {
    reply.cancel(new ProviderError('network', 'the error body broke off'))
  } finally {
    clearTimeout(timer)
  }
  return Buffer.concat(chunks)
    .toString('utf8')
    .replace(/^\ufeff/, '')
}

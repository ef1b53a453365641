import type { JsonObject } from '../json/object.ts'
import type { ReplyFacts } from './reply-facts.ts'

/** What of a prompt says which events its client wants. */
export interface Asked {
  readonly body: JsonObject
}

/**
 * How the answers of one format are kept as streams, so that a cached one loses nothing that the canonical shape has no
 * place for. `text` is server-sent events, with texts that came in pieces put together. Ids and times are the vendor's.
 */
export interface StreamForm {
  record(): StreamRecord
  /**
   * The events for the client that sent `asked`: an id and a time of their own, what they repeat of a request as `asked`
   * says it, long texts in pieces again.
   */
  send(text: string, asked: Asked, reply: ReplyFacts): Iterable<string>
  /** The bytes of the whole answer that a stream amounts to; `undefined` where only a stream can say all of it. */
  toWhole(text: string): Uint8Array | undefined
  /** The stream that a whole answer amounts to. `body` is `bytes` parsed. */
  fromWhole(body: JsonObject, bytes: Uint8Array): string
}

/** Gathers one stream on its way. */
export interface StreamRecord {
  /** The next event, as `Frame.wire` has it. */
  add(wire: string): void
  /** The stream is in doubt and not to be kept. */
  drop(): void
  /** `undefined`: it was dropped, or is too large to be kept. */
  text(): string | undefined
}

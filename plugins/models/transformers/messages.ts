/** Messages between the gateway and its embedding process. Advanced serialization keeps typed arrays as they are. */
import type { LoadMessage } from 'deflector/model-process'

export interface Load extends LoadMessage {
  readonly maxTokens: number
}

export interface Embed {
  readonly type: 'embed'
  readonly batch: number
  readonly texts: readonly string[]
}

/** What the process found out about its model. */
export interface Ready {
  readonly dimensions: number
  readonly fingerprint: string
}

export type Embedded =
  /** All vectors of a batch in sequence, each of unit length. */
  | { readonly type: 'vectors'; readonly batch: number; readonly vectors: Float32Array }
  | { readonly type: 'failed'; readonly batch: number; readonly message: string }

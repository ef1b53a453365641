/** Messages between the gateway and its embedding child. Advanced serialization keeps typed arrays as they are. */

/** Where the library finds the model's files. */
export interface Place {
  /** Folder name below `parent`, or a hub id. */
  readonly model: string
  /** Parent of the model's folder; absent for a hub id. */
  readonly parent?: string
  /** Folder for downloads. */
  readonly cacheDir: string
}

export type ToChild =
  | { readonly type: 'load'; readonly place: Place; readonly maxTokens: number }
  | { readonly type: 'embed'; readonly batch: number; readonly texts: readonly string[] }

export type FromChild =
  | { readonly type: 'progress'; readonly file: string; readonly percent: number }
  | { readonly type: 'ready'; readonly dimensions: number; readonly fingerprint: string }
  | {
      readonly type: 'unready'
      readonly why: 'missing_library' | 'broken_library' | 'no_model'
      readonly message: string
    }
  /** All vectors of a batch in sequence, each of unit length. */
  | { readonly type: 'vectors'; readonly batch: number; readonly vectors: Float32Array }
  | { readonly type: 'failed'; readonly batch: number; readonly message: string }

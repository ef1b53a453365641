/** Edits of a body, see `ChatFormat.foreign`. */
export interface Foreign {
  /** Members and items to take out. */
  readonly parts: readonly JsonPath[]
  /** Values to put other JSON text in place of. */
  readonly replaced?: readonly { readonly path: JsonPath; readonly text: string }[]
}

/** Names and places on the way to a value in a body. */
export type JsonPath = readonly (string | number)[]

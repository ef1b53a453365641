/** Edits of a body, see `ChatFormat.foreign`. */
export interface Foreign {
  /** Members and items to take out. */
  readonly parts: readonly JsonPath[]
  /** Values to put other JSON text in place of. */
  readonly replaced?: readonly { readonly path: JsonPath; readonly text: string }[]
}

/** Edits of a body, see `ChatFormat.forModel`. */
export interface Fitting extends Foreign {
  /** Members of the body to set to this JSON text, or to take out (`undefined`). */
  readonly fields?: Readonly<Record<string, string | undefined>>
  /** Fields, as paths, that asked for something and are gone. */
  readonly omitted: readonly string[]
}

/** Names and places on the way to a value in a body. */
export type JsonPath = readonly (string | number)[]

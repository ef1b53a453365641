/** Edits of a body, see `ChatFormat.foreign`. */
export interface Foreign {
  /** Members and items to take out. */
  readonly parts: readonly JsonPath[]
  /** Members of the body to set to this JSON text, or to take out. */
  readonly members?: Readonly<Record<string, string | undefined>>
}

/** Names and places on the way to a value in a body. */
export type JsonPath = readonly (string | number)[]

/** What one coding agent writes into its requests anew with each run. Plain facts: `run-facts.ts` acts on them. */
export interface Agent {
  readonly name: string
  /** Headers by which it is known, in lower case. All of them have to match. */
  readonly headers: Readonly<Record<string, RegExp>>
  /** Headers with an id that is another one for each run. */
  readonly sessions?: readonly string[]
  readonly wrappers?: readonly Wrapper[]
}

/** A text of the agent's own around what its user wrote. */
export interface Wrapper {
  /** Whose texts it stands in: `tool` is what a tool gave back. */
  readonly in: 'system' | 'user' | 'tool'
  /**
   * Matches what changes, and nothing else: the wrapper stands in a look-behind and a look-ahead. Of a time only what
   * follows the day may match, because an answer may be another one tomorrow.
   */
  readonly changes: RegExp
}

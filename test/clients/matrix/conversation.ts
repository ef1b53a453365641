/** What the cases say and what the clients answer, in words of no dialect. */

export interface Tool {
  readonly name: string
  readonly description: string
  readonly parameters: Readonly<Record<string, unknown>>
}

export interface Call {
  readonly id: string
  readonly name: string
  readonly arguments: unknown
}

export type Turn =
  | { readonly user: string; readonly png?: string }
  | { readonly assistant: string }
  /** What the client got, in its own shape, as it wants it back. */
  | { readonly native: unknown; readonly calls: readonly Call[] }
  | { readonly results: readonly (Call & { readonly text: string })[] }

export interface Question {
  readonly system?: string
  readonly turns: readonly Turn[]
  readonly tools?: readonly Tool[]
  /** The answer is JSON of this schema. */
  readonly schema?: Readonly<Record<string, unknown>>
  /** The model is asked to reason, and to show it. */
  readonly reasoning?: boolean
}

export interface Answer {
  readonly text: string
  /** They wait for their results. */
  readonly calls: readonly Call[]
  /** Calls whose tools the client ran itself, on its way to this answer. */
  readonly ran?: readonly Call[]
  /** `undefined` where the client shows none. */
  readonly reasoning?: string | undefined
  readonly tokens: { readonly input?: number | undefined; readonly output?: number | undefined }
  readonly native: unknown
}

/** What a client was told when there is no answer. */
export interface Refusal {
  readonly status: number | undefined
  readonly message: string
}

export interface Session {
  /** @param result what a tool says, for clients that run tools themselves */
  ask(question: Question, stream: boolean, result: (tool: string) => string): Promise<Answer>
  close?(): void
}

export interface Client {
  readonly name: string
  /** Of its package; it stands in the table. */
  readonly version: string
  /** The format that it speaks to the gateway. */
  readonly dialect: 'chat-completions' | 'messages' | 'generate-content' | 'responses'
  /** What it cannot do itself; such cells are left out, with these words. */
  readonly lacks?: Readonly<Record<string, string>>
  /** Why the reasoning of an answer cannot be read from it. */
  readonly hides?: string
  /** What it makes of the counts of a stream, where that is not what the last event says. */
  readonly miscounts?: string
  /**
   * Does it ask again by itself after a 429 or a failure of the server? `unless told` heeds `x-should-retry`, `always` sees
   * only the status.
   */
  readonly retries: 'never' | 'unless told' | 'always'
  open(url: string): Promise<Session>
}

export const MODEL = 'stub-model'
export const MAX_TOKENS = 4000

import { facet, type JsonPath, type Prompt } from 'deflector'

/** One text of a request, and what it would be sent as. */
export interface TextChange {
  readonly path: JsonPath
  readonly before: string
  readonly after: string
  /** What changed it. */
  readonly stages: readonly string[]
}

/** What a layer would make of a request before it goes to a vendor. */
export interface ContextPreview {
  /** What changed something, or why nothing would change. */
  readonly strategy: string
  readonly changes: readonly TextChange[]
  /** The prompt as it would be sent; absent where it would be sent as it came. */
  readonly rewritten?: Prompt
  readonly savedBytes: number
}

/** Offered by layers that shorten requests. Remembers nothing of what it is asked. */
export const contextPreview = facet<(prompt: Prompt) => Promise<ContextPreview>>('context-preview')

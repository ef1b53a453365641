import type { JsonPath } from './foreign.ts'

/** A text of a body, and where it is. */
export interface PlacedText {
  readonly path: JsonPath
  readonly text: string
}

/** A text that tells the model how to behave: of the system, of a developer. See `ChatFormat.instructions`. */
export interface Instruction extends PlacedText {
  /** It is a user's prompt, which may hold instructions. */
  readonly fromUser?: boolean
  /** The client has its vendor cache the prompt up to this text, or to a place after it. */
  readonly cached?: boolean
  /** The vendor forgets it with this request, or may drop it before the model reads it: no place to refer to. */
  readonly passing?: boolean
}

/** What a tool gave back. See `ChatFormat.toolResults`. */
export interface ToolResultText extends PlacedText {
  /** Id of the call that it answers. */
  readonly call: string
  /** Name of the tool, where the body says it. */
  readonly tool?: string | undefined
  readonly cached?: boolean
}

/** A change of one place of a body, in its bytes and in what was parsed of them. */
export interface BodyEdit {
  /** The value whose place in the bytes is changed. */
  readonly path: JsonPath
  /** What stands there afterwards; default: `value` as JSON. */
  readonly text?: string
  /** Where `value` is in the parsed body; default: `path`. They differ where a member joins the one at `path`. */
  readonly place?: JsonPath
  readonly value: unknown
}

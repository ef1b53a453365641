import type { Chat, JsonObject } from './chat.ts'
import type { Prompt } from './exchange.ts'
import type { Format } from './format.ts'

/** A prompt whose canonical form is decoded when somebody asks for it. */
export const promptOf = (format: Format, bytes: Uint8Array, parsed: unknown): Prompt =>
  new ReadPrompt(format, bytes, parsed)

/**
 * A class, because V8 makes a new shape for each object literal with a getter in it, and those shapes hold what the
 * getter closes over until the next full collection.
 */
class ReadPrompt implements Prompt {
  readonly body: JsonObject
  readonly model: string | undefined
  readonly stream: boolean
  readonly session: string | number | undefined
  #chat: Chat | undefined

  constructor(
    readonly format: Format,
    readonly bytes: Uint8Array,
    parsed: unknown,
  ) {
    const { body, model, stream, session } = format.readHead(parsed)
    this.body = body
    this.model = model
    this.stream = stream
    this.session = session
  }

  get chat(): Chat {
    this.#chat ??= this.format.decodePrompt(this.body)
    return this.#chat
  }
}

import type { JsonObject } from 'deflector'

/** A body with `messages` whose last one is the beginning of the answer. */
export const withBeginning = (body: JsonObject, text: string): JsonObject => ({
  ...body,
  messages: [...(Array.isArray(body.messages) ? body.messages : []), { role: 'assistant', content: text }],
})

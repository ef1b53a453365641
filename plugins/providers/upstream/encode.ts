import { type Format, isGatewayError, type JsonObject, type Prompt, ProviderError } from 'deflector'

/** The prompt in another format. What that format cannot say is a refusal, as if the vendor had made it. */
export function encoded(
  format: Format,
  prompt: Prompt,
  target: { readonly model: string; readonly stream: boolean },
): JsonObject {
  try {
    return format.encodePrompt(prompt.chat, target)
  } catch (error) {
    const message = isGatewayError(error) ? error.message : `this prompt cannot be written in the ${format.name} format`
    throw new ProviderError('bad_request', message, { status: 400, cause: error })
  }
}

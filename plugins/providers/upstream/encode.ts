import { isGatewayError, type JsonObject, type Prompt, ProviderError } from 'deflector'
import { type Patches, patched } from './patches.ts'
import type { VendorFormat } from './vendor-format.ts'

/**
 * The prompt as a body in another format, with what has to be changed in it. What that format cannot say, or what is
 * nested too deep to be written, is a refusal as if the vendor had made it: another attempt would fail like this one.
 */
export function encoded(
  format: VendorFormat,
  prompt: Prompt,
  target: { readonly model: string; readonly stream: boolean },
  patchesFor: (body: JsonObject) => Patches,
): Uint8Array {
  try {
    const body = format.encodePrompt(prompt.chat, target)
    return Buffer.from(JSON.stringify(patched(body, patchesFor(body))))
  } catch (error) {
    const message = isGatewayError(error) ? error.message : `this prompt cannot be written in the ${format.name} format`
    throw new ProviderError('bad_request', message, { status: 400, cause: error })
  }
}

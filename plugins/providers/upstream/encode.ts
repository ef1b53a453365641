import {
  type Chat,
  type ChatFormat,
  GatewayError,
  inTurns,
  isGatewayError,
  isProviderError,
  type JsonObject,
  nextTurn,
  type Prompt,
  ProviderError,
} from 'deflector'
import { exactJson, exactJsonInTurns } from 'deflector/formats/exact-json'
import type { IsOthers } from 'deflector/formats/signature'
import { type Hosting, withoutHosted } from './hosted-tools.ts'
import { LARGE_BODY, type Patches, patched } from './patches.ts'
import { withOrigins } from './signers.ts'
import { withToldSteps } from './told-steps.ts'
import type { ToolNames } from './tool-names.ts'
import type { VendorFormat } from './vendor-format.ts'

/** How a prompt is written for one vendor. */
export interface Writing {
  readonly model: string
  readonly stream: boolean
  readonly hosted: Pick<Hosting, 'mode' | 'search'>
  readonly names: ToolNames
  /** Known where other vendors have made proofs of reasoning. */
  readonly isOthers: IsOthers | undefined
  /** See `EncodeTarget`. */
  note(field: string): void
}

/**
 * The prompt as a body in another format, with what has to be changed in it. What that format cannot say, or what is
 * nested too deep to be written, is `unsayable`: another provider may have the words.
 */
export async function encoded(
  format: VendorFormat,
  prompt: Prompt,
  writing: Writing,
  patchesFor: (body: JsonObject) => Patches,
): Promise<Uint8Array> {
  const isLarge = prompt.bytes.length > LARGE_BODY
  try {
    // A large one is read, translated and written in many turns of the event loop.
    if (isLarge) await prompt.chatInTurns()
    refuseVendorOnly(prompt, format)
    const chat = chatFor(format, prompt, writing)
    if (!isLarge) {
      const body = format.encodePrompt(chat, writing)
      return Buffer.from(exactJson(patched(body, patchesFor(body))))
    }
    await nextTurn()
    const body = await inTurns(format.encodePrompt, chat, writing)
    return await exactJsonInTurns(patched(body, patchesFor(body)))
  } catch (error) {
    throw refusal(error, prompt.format, format)
  }
}

function chatFor({ name }: VendorFormat, prompt: Prompt, { hosted, names, isOthers, note, model }: Writing): Chat {
  const runnable = withoutHosted(prompt.chat, { ...hosted, format: name, model })
  if (runnable !== prompt.chat) note('tools')
  const chat = names.taken(withToldSteps(runnable, note))
  return isOthers ? withOrigins(chat, name, isOthers) : chat
}

/** A field's name in the client's dialect: the whole path, or what it begins with. */
export function ownName({ fieldNames = {} }: Pick<ChatFormat, 'fieldNames'>, field: string): string {
  const known = fieldNames[field]
  if (known !== undefined) return known
  const head = /^\w+/.exec(field)?.[0] ?? ''
  return (fieldNames[head] ?? head) + field.slice(head.length)
}

/** Why the prompt cannot be written, by the name that its client has for the field. */
export function refusal(error: unknown, client: ChatFormat, { name }: VendorFormat): ProviderError {
  if (isProviderError(error) && error.reason !== 'unsayable') return error
  if (!isProviderError(error) && !isGatewayError(error))
    return new ProviderError('unsayable', `this prompt cannot be written in the ${name} format`, { cause: error })
  const { message, param } = error
  if (param === undefined) return new ProviderError('unsayable', message, { cause: error })
  const own = ownName(client, param)
  const told = message.startsWith(`${param}:`) ? own + message.slice(param.length) : message
  return new ProviderError('unsayable', told, { param: own, cause: error })
}

/** What is the business of one vendor: state that another one does not have, items of its own dialect. */
function refuseVendorOnly(prompt: Prompt, { name }: VendorFormat): void {
  const { state, dialect } = prompt
  const needed = state && (state.refers.length > 0 || state.essential) ? state.field : undefined
  const field = needed ?? prompt.chat.vendorOnly?.[0]
  if (field === undefined) return
  const message = `${field}: only a vendor of the ${dialect.name} format can answer this, not one of ${name}`
  throw new GatewayError('bad_request', message, { param: field })
}

import {
  type Fitting,
  type Foreign,
  type JsonObject,
  nextTurn,
  type Prompt,
  parseLargeJson,
  withoutParts,
} from 'deflector'
import type { IsOthers } from 'deflector/formats/signature'
import { refusal } from './encode.ts'
import { LARGE_BODY } from './patches.ts'
import type { VendorFormat } from './vendor-format.ts'

type Body = Pick<Prompt, 'bytes' | 'body'>

interface Accepted extends Body {
  /** See `ChatFormat.forModel`: what is still to be set in `body`. */
  readonly fields?: Fitting['fields']
  readonly omitted?: Fitting['omitted']
}

/**
 * A body in the vendor's own format without what the vendor would refuse because another one made it, or because it was
 * written for another model. Most bodies hold nothing of the kind and are given back as they came; of all others every
 * other byte stays as it is.
 */
export async function accepted(
  prompt: Pick<Prompt, 'bytes' | 'body' | 'model' | 'format'>,
  format: VendorFormat,
  isOthers: IsOthers | undefined,
  model: string | undefined,
): Promise<Accepted> {
  const { bytes, body } = prompt
  const own = await without({ bytes, body }, format.foreign?.(body, isOthers))
  if (model === undefined || isNamed(model, prompt.model)) return own
  const fitting = fittingFor(own.body, model, prompt, format)
  if (!fitting) return own
  const { fields, omitted } = fitting
  return { ...(await without(own, fitting)), ...(fields && { fields }), omitted }
}

function fittingFor(
  body: JsonObject,
  model: string,
  { format: client }: Pick<Prompt, 'format'>,
  format: VendorFormat,
): Fitting | undefined {
  try {
    return format.forModel?.(body, model)
  } catch (error) {
    throw refusal(error, client, format)
  }
}

/** Did the client name this very model, perhaps with its provider in front? */
const isNamed = (model: string, named: string | undefined): boolean =>
  named === model || named?.endsWith(`/${model}`) === true

function without(given: Body, edits: Foreign | undefined): Body | Promise<Body> {
  if (!edits || (edits.parts.length === 0 && !edits.replaced?.length)) return given
  const kept = withoutParts(given.bytes, edits.parts, edits.replaced)
  // Patches are made from what is left.
  return kept.length > LARGE_BODY ? readInTurns(kept) : { bytes: kept, body: read(kept) }
}

async function readInTurns(bytes: Uint8Array): Promise<Body> {
  await nextTurn()
  return { bytes, body: (await parseLargeJson(bytes, { repeats: 'last' })) as JsonObject }
}

const read = (bytes: Uint8Array): JsonObject =>
  JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8'))

import { type JsonObject, spliceJson, spliceLargeJson } from 'deflector'
import { exactJson, exactJsonInTurns, parseExact } from 'deflector/formats/exact-json'
import { SESSION_FIELDS } from 'deflector/formats/session-id'

/** Body fields to set (to this JSON text, or to a value) or to take out (`undefined`). */
export type Patches = Record<string, string | Rewritten | undefined>

/** A value that may be as large as the body: it is written in turns of the event loop then. */
interface Rewritten {
  readonly value: unknown
}

/** What one call asks of the vendor. */
export interface Target {
  readonly model: string | undefined
  readonly stream: boolean
  /** Told which fields of the body are taken out though they asked for something. */
  readonly note?: (field: string) => void
}

/** What is changed in any body of any format: the model, whether it streams, and our own session ids. */
export function basicPatches(body: JsonObject, target: Target): Patches {
  const patches: Patches = {}
  if (target.model !== undefined && body.model !== target.model) patches.model = JSON.stringify(target.model)
  if ((body.stream === true) !== target.stream) patches.stream = target.stream ? 'true' : undefined
  // They name our session scope; the vendor has no use for them.
  for (const field of SESSION_FIELDS) if (field in body) patches[field] = undefined
  return patches
}

/** The same patches on an object of our own making. */
export function patched(body: JsonObject, patches: Patches): JsonObject {
  const out: JsonObject = { ...body }
  for (const [field, text] of Object.entries(patches)) {
    if (text === undefined) delete out[field]
    else out[field] = typeof text === 'string' ? parseExact(text) : text.value
  }
  return out
}

/** Bytes above which a body is written in turns. */
export const LARGE_BODY = 128 << 10

/** The same patches on the client's own bytes, of which every other one stays as it is. `body`: them, parsed. */
export const spliced = (bytes: Uint8Array, patches: Patches, body?: JsonObject): Uint8Array | Promise<Uint8Array> =>
  bytes.length > LARGE_BODY
    ? splicedInTurns(bytes, patches, body)
    : spliceJson(bytes, areTexts(patches) ? patches : withTexts(patches, exactJson), body)

async function splicedInTurns(bytes: Uint8Array, patches: Patches, body?: JsonObject): Promise<Uint8Array> {
  const written = new Map<unknown, Uint8Array>()
  for (const patch of Object.values(patches))
    if (typeof patch === 'object') written.set(patch.value, await exactJsonInTurns(patch.value))
  const edits = withTexts(patches, value => written.get(value))
  return spliceLargeJson(bytes, edits, body)
}

function areTexts(patches: Patches): patches is Record<string, string | undefined> {
  for (const field in patches) if (typeof patches[field] === 'object') return false
  return true
}

/** The patches with JSON text for each value. */
function withTexts<T>(patches: Patches, write: (value: unknown) => T): Record<string, string | T | undefined> {
  const out: Record<string, string | T | undefined> = {}
  for (const [field, patch] of Object.entries(patches))
    out[field] = typeof patch === 'object' ? write(patch.value) : patch
  return out
}

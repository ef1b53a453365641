import type { JsonObject } from 'deflector'
import { parseExact } from 'deflector/formats/exact-json'
import { SESSION_FIELDS } from 'deflector/formats/session-id'

/** Body fields to set (to this JSON text) or to take out (`undefined`). */
export type Patches = Record<string, string | undefined>

/** What one call asks of the vendor. */
export interface Target {
  readonly model: string | undefined
  readonly stream: boolean
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
    else out[field] = parseExact(text)
  }
  return out
}

import { type Foreign, isObject, type JsonObject, type JsonPath } from 'deflector'
import { type IsOthers, isWrapped } from '../signature.ts'
import { isForeignProof } from './call-proof.ts'

/**
 * Proofs that another vendor made, and that a client of this format carries back in `reasoning_details` and with calls. A
 * host of this format takes back only what it gave. The words beside them are left to the host.
 */
export function foreign(body: JsonObject, isOthers: IsOthers = () => false): Foreign | undefined {
  const messages: unknown[] = Array.isArray(body.messages) ? body.messages : []
  const parts: JsonPath[] = []
  for (let at = 0; at < messages.length; at++) {
    const message = messages[at]
    if (!isObject(message)) continue
    const calls: unknown[] = Array.isArray(message.tool_calls) ? message.tool_calls : []
    for (const [place, call] of calls.entries())
      if (isForeignProof(call, isOthers)) parts.push(['messages', at, 'tool_calls', place, 'extra_content'])
    if (!Array.isArray(message.reasoning_details)) continue
    const details: unknown[] = message.reasoning_details
    const path = ['messages', at, 'reasoning_details']
    const places = [...details.keys()].filter(place => isForeign(details[place], isOthers))
    if (places.length < details.length) parts.push(...places.map(place => [...path, place]))
    else if (places.length > 0) parts.push(path)
  }
  return parts.length === 0 ? undefined : { parts }
}

const isForeign = (detail: unknown, isOthers: IsOthers): boolean =>
  isObject(detail) &&
  [detail.signature, detail.data].some(proof => typeof proof === 'string' && (isWrapped(proof) || isOthers(proof)))

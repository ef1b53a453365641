import { type Block, isObject, type JsonObject, type MediaBlock, type TextBlock, type ToolResultBlock } from 'deflector'
import { z } from 'zod'
import { badRequest, optional } from '../body.ts'
import { exactJson } from '../exact-json.ts'
import type { CallIds } from './call-ids.ts'
import { camel, fields, listOf } from './fields.ts'
import { readFile, readInline } from './media.ts'
import { stepIn } from './own-deeds.ts'
import { OWN, readProof } from './proof.ts'

const id = optional(z.string())
const call = z.looseObject({ id, name: z.string(), args: optional(z.record(z.string(), z.unknown())) })
const result = z.looseObject({ id, name: z.string(), response: z.unknown().optional(), parts: z.unknown().optional() })

/** The blocks of one content. `at` is its path in the body. */
export function readParts(value: unknown, at: string, calls: CallIds): Block[] {
  return listOf(value, at).flatMap((part, i) => readPart(part, `${at}[${i}]`, calls))
}

function readPart(value: unknown, at: string, calls: CallIds): Block[] {
  if (!isObject(value)) throw badRequest(at, 'must be an object')
  const part = camel(value)
  const { text, thought, thoughtSignature, functionCall, functionResponse } = part
  const proof = readProof(thoughtSignature)
  if (typeof text === 'string') {
    if (thought === true) return [{ type: 'reasoning', text, ...proof }]
    const words: Block[] = text === '' ? [] : [{ type: 'text', text }]
    // Text cannot be signed; the signature stands behind it, as this vendor's own streams have it.
    return proof.origin === undefined ? words : [...words, { type: 'reasoning', text: '', ...proof }]
  }
  if (isObject(functionCall)) {
    const { id, name, args } = fields(call, functionCall, `${at}.functionCall`)
    const { signature, origin } = proof
    const signed = signature === undefined ? {} : { signature, origin: origin ?? OWN }
    return [{ type: 'tool_call', id: calls.made(id, name), name, args: exactJson(args ?? {}), ...signed }]
  }
  if (isObject(functionResponse)) return [readResult(functionResponse, `${at}.functionResponse`, calls)]
  const media = mediaIn(part, at)
  if (media) return [media]
  const step = stepIn(part)
  return [{ type: 'opaque', format: OWN, value, ...(step && { step }) }]
}

function readResult(value: JsonObject, at: string, calls: CallIds): ToolResultBlock {
  const { id, name, response, parts } = fields(result, value, at)
  const { text, isError } = told(response, name)
  const media = listOf(parts, `${at}.parts`).map((part, i) => readMedia(part, `${at}.parts[${i}]`))
  const blocks = [...(text === '' ? [] : [{ type: 'text' as const, text }]), ...media]
  return { type: 'tool_result', id: calls.answered(id, name), blocks, isError }
}

function readMedia(value: unknown, at: string): TextBlock | MediaBlock {
  const media = isObject(value) ? mediaIn(camel(value), at) : undefined
  if (!media) throw badRequest(at, 'must hold an image, a document or a sound')
  return media
}

function mediaIn({ inlineData, fileData }: JsonObject, at: string): MediaBlock | undefined {
  if (isObject(inlineData)) return readInline(inlineData, `${at}.inlineData`)
  return isObject(fileData) ? readFile(fileData, `${at}.fileData`) : undefined
}

/**
 * A result is an object here. One text under the usual name is that text, and so is the content beside the tool's own
 * name, as the framework `ai` writes it. All else is shown as it stands.
 */
function told(response: unknown, tool: unknown): { readonly text: string; readonly isError: boolean } {
  if (response === undefined || response === null) return { text: '', isError: false }
  if (!isObject(response)) return { text: wordsOf(response), isError: false }
  const { name, content, ...more } = response
  if (content !== undefined && name === tool && Object.keys(more).length === 0)
    return { text: wordsOf(content), isError: false }
  const [[key, only] = ['', undefined], ...others] = Object.entries(response)
  if (others.length > 0 || !(key === 'output' || key === 'result' || key === 'error'))
    return { text: key === '' ? '' : exactJson(response), isError: false }
  return { text: wordsOf(only), isError: key === 'error' }
}

const wordsOf = (value: unknown): string => (typeof value === 'string' ? value : exactJson(value))

import { isObject, type PromptHead } from 'deflector'
import { z } from 'zod'
import { badRequest, checked, optional } from '../body.ts'
import { promptHead } from '../prompt-head.ts'
import { stateOf } from './state.ts'

const object = z.record(z.string(), z.unknown(), 'must be a JSON object')
const head = z.compile(
  z.object({
    input: optional(z.union([z.string(), z.array(z.unknown())], 'must be a string or an array of items')),
    model: optional(z.string('must be a string')),
    stream: optional(z.boolean('must be a boolean')),
  }),
)

/** What may stand in place of `input`: the vendor has the words already. */
export const INSTEAD = ['prompt', 'previous_response_id', 'conversation'] as const

/** Checks no more than every request needs: a vendor knows its own fields better than we do. */
export function readHead(body: unknown): PromptHead {
  if (!isObject(body)) checked(object, body)
  const known = isObject(body) ? body : {}
  const { input, model, stream } = checked(head, known)
  if (Array.isArray(input)) {
    const odd = input.findIndex(item => !isObject(item))
    if (odd >= 0) throw badRequest(`input[${odd}]`, 'must be an object')
  }
  const isEmpty = input === undefined || (Array.isArray(input) && input.length === 0)
  if (isEmpty && INSTEAD.every(field => known[field] === undefined || known[field] === null))
    throw badRequest('input', input === undefined ? 'is missing' : 'must not be empty')
  return promptHead(known, { model, stream, state: stateOf(known) })
}

/** The head of a call that takes what a request takes, and makes no response of it. */
export function readHeadOnly(body: unknown): PromptHead {
  const { state, ...head } = readHead(body)
  return { ...head, stream: false, ...(state?.refers.length && { state: { ...state, creates: false } }) }
}

import { GatewayError, type HeadCall, isObject, type JsonObject, type PromptHead } from 'deflector'
import { z } from 'zod'
import { badRequest, checked } from '../body.ts'
import { promptHead } from '../prompt-head.ts'
import { bareModel, called, METHODS } from './called.ts'
import { stateOf } from './state.ts'

const object = z.record(z.string(), z.unknown(), 'must be a JSON object')

/**
 * The facts that every request needs. Model and stream stand in the path; a model in the body, which the vendor's own
 * libraries do not send, counts before it.
 */
export function readHead(given: unknown, call: HeadCall): PromptHead {
  const body = isObject(given) ? given : checked(object, given)
  const { method = 'generateContent', model: named } = called(call)
  const asked = METHODS[method]
  if (!asked) {
    const known = Object.keys(METHODS).join(', ')
    throw new GatewayError('unknown_endpoint', `a model has no method ${method.slice(0, 40)}; there are ${known}`)
  }
  const { operation, stream } = asked
  const model = modelIn(body) ?? named
  // A batch's lines have no path; elsewhere the provider's own model would answer in place of the one meant.
  if (!model && call.path !== '')
    throw new GatewayError('unknown_endpoint', 'the path names no model; ask /v1beta/models/{model}:generateContent')
  const chats = method.endsWith('enerateContent')
  if (chats) checkContents(body)
  const state = chats ? stateOf(body) : undefined
  return promptHead(body, { model, stream, operation, state })
}

function modelIn({ model }: JsonObject): string | undefined {
  if (model === undefined || model === null || model === '') return undefined
  if (typeof model !== 'string') throw badRequest('model', 'must be a string')
  return bareModel(model)
}

/** What else the body holds is the vendor's to judge. */
function checkContents({ contents }: JsonObject): void {
  if (isObject(contents)) return
  if (!Array.isArray(contents)) throw badRequest('contents', 'must be a list')
  if (contents.length === 0) throw badRequest('contents', 'must not be empty')
  const at = contents.findIndex(content => !isObject(content))
  if (at >= 0) throw badRequest(`contents[${at}]`, 'must be an object')
}

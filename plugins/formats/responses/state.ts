import { isObject, type JsonObject, type VendorState } from 'deflector'
import { isReference, refersToOwn } from './item-ids.ts'

/** A reference to state at the vendor, and the field that holds it. */
interface Reference {
  readonly field: string
  readonly id: string
}

/**
 * What of the vendor's state a request makes or needs. An absent `store` is true: the answer can then be referred to.
 * Work in the background is looked up later, and a conversation grows with each request.
 */
export function stateOf(body: JsonObject): VendorState | undefined {
  const references = [...referencesIn(body)]
  const creates = body.store !== false
  const [first] = references
  const starts = body.background === true && { starts: true }
  if (first) return { field: first.field, refers: references.map(({ id }) => id), creates, ...starts }
  if (starts) return { field: 'background', refers: [], creates: true, essential: true, ...starts }
  // A prompt that is held at the vendor can change there at any time. Its id is made by hand, so it may go to any provider.
  if (isObject(body.prompt)) return { field: 'prompt', refers: [], creates, essential: true }
  return creates ? { field: 'store', refers: [], creates } : undefined
}

function* referencesIn(body: JsonObject): Generator<Reference> {
  const { previous_response_id: previous, conversation, input, tools } = body
  if (typeof previous === 'string') yield { field: 'previous_response_id', id: previous }
  const held = isObject(conversation) ? conversation.id : conversation
  if (typeof held === 'string') yield { field: 'conversation', id: held }
  for (const [index, item] of listOf(input)) yield* referencesOfItem(item, `input[${index}]`)
  for (const [index, tool] of listOf(tools)) yield* referencesOfTool(tool, `tools[${index}]`)
}

function* referencesOfItem(item: JsonObject, at: string): Generator<Reference> {
  const { id } = item
  // No vendor has it, and nothing is lost without it but a proof.
  if (refersToOwn(item)) return
  if (isReference(item) && typeof id === 'string') yield { field: at, id }
  for (const field of ['content', 'output'])
    for (const [index, part] of listOf(item[field]))
      if (typeof part.file_id === 'string') yield { field: `${at}.${field}[${index}].file_id`, id: part.file_id }
}

/** Files that a tool searches, and the container that it runs in. */
function* referencesOfTool(tool: JsonObject, at: string): Generator<Reference> {
  const { vector_store_ids: stores, container } = tool
  if (Array.isArray(stores))
    for (const id of stores) if (typeof id === 'string') yield { field: `${at}.vector_store_ids`, id }
  if (typeof container === 'string') yield { field: `${at}.container`, id: container }
  const files = isObject(container) && Array.isArray(container.file_ids) ? container.file_ids : []
  for (const id of files) if (typeof id === 'string') yield { field: `${at}.container.file_ids`, id }
}

function* listOf(value: unknown): Generator<[number, JsonObject]> {
  if (!Array.isArray(value)) return
  for (const [index, each] of value.entries()) if (isObject(each)) yield [index, each]
}

/**
 * What an answer, or an event of a stream that holds all of one, says that its vendor holds: the response, its
 * conversation, its items, and the containers that tools ran in. Nothing, where the vendor was told to keep nothing.
 */
export function stateIn(body: JsonObject): string[] {
  const response = isObject(body.response) ? body.response : body
  if (response.object !== 'response' || response.store === false) return []
  const { id: own, conversation, output } = response
  const found: unknown[] = [own, isObject(conversation) ? conversation.id : undefined]
  for (const [, { id, container_id }] of listOf(output)) found.push(id, container_id)
  return found.filter(id => typeof id === 'string')
}

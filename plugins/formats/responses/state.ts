import { isObject, type JsonObject, type VendorState, type VendorWork } from 'deflector'
import { isReference, refersToOwn } from './item-ids.ts'
import { decodeUsage } from './usage.ts'

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
  const tools = [...listOf(body.tools)]
  const acts = tools.findIndex(([, { type }]) => type === 'mcp')
  const runs = tools.findIndex(([, tool]) => opensContainer(tool))
  const creates = body.store !== false || runs >= 0
  const [first] = references
  const background = body.background === true
  const more = {
    ...((background || acts >= 0) && { starts: true }),
    ...(background && { goesOn: true }),
    ...(runs >= 0 && { once: true }),
  }
  if (first) return { field: first.field, refers: references.map(({ id }) => id), creates, ...more }
  if (background) return { field: 'background', refers: [], creates: true, essential: true, ...more }
  // A prompt that is held at the vendor can change there at any time. Its id is made by hand, so it may go to any provider.
  if (isObject(body.prompt)) return { field: 'prompt', refers: [], creates, essential: true, ...more }
  if (acts >= 0 || runs >= 0) return { field: `tools[${Math.max(acts, runs)}]`, refers: [], creates, ...more }
  return creates ? { field: 'store', refers: [], creates } : undefined
}

/** Where a tool runs: an interpreter and a shell name it differently. */
const placeOf = ({ container, environment }: JsonObject): unknown => container ?? environment

/** The container that such a tool runs in is made for the answer, and forgotten when nobody uses it for minutes. */
function opensContainer(tool: JsonObject): boolean {
  const place = placeOf(tool)
  return isObject(place) && (place.type === 'auto' || place.type === 'container_auto')
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
  const { vector_store_ids: stores } = tool
  const place = placeOf(tool)
  if (Array.isArray(stores))
    for (const id of stores) if (typeof id === 'string') yield { field: `${at}.vector_store_ids`, id }
  const field = `${at}.${tool.container === undefined ? 'environment' : 'container'}`
  if (typeof place === 'string') yield { field, id: place }
  if (!isObject(place)) return
  if (typeof place.container_id === 'string') yield { field: `${field}.container_id`, id: place.container_id }
  for (const id of Array.isArray(place.file_ids) ? place.file_ids : [])
    if (typeof id === 'string') yield { field: `${field}.file_ids`, id }
}

function* listOf(value: unknown): Generator<[number, JsonObject]> {
  if (!Array.isArray(value)) return
  for (const [index, each] of value.entries()) if (isObject(each)) yield [index, each]
}

/**
 * What an answer, or an event of a stream that holds all of one, says that its vendor holds: the response, its
 * conversation, its items, and the containers that tools ran in. Those alone, where the vendor was told to keep nothing.
 */
export function stateIn(body: JsonObject): string[] {
  const response = isObject(body.response) ? body.response : body
  const items = isObject(body.item) ? [body.item] : [...listOf(response.output)].map(([, item]) => item)
  const found: unknown[] = items.flatMap(containersOf)
  if (response.object === 'response' && response.store !== false) {
    const { id, conversation } = response
    found.push(id, isObject(conversation) ? conversation.id : undefined, ...items.map(item => item.id))
  }
  return found.filter(id => typeof id === 'string')
}

const containersOf = ({ container_id: own, environment }: JsonObject): unknown[] => [
  own,
  isObject(environment) ? environment.container_id : undefined,
]

/** A response that goes on has counted nothing yet. One that was cancelled or failed may say what it took until then. */
export function workIn(body: JsonObject): VendorWork | undefined {
  const { object, id, status, usage, service_tier } = isObject(body.response) ? body.response : body
  if (object !== 'response' || typeof id !== 'string') return undefined
  const took = status === 'queued' || status === 'in_progress' ? undefined : decodeUsage(usage, service_tier)
  return { id, ...(took && { usage: took }) }
}
